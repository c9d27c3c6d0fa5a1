//! One step back, to the boards from which a spawn or a move can have come; and a game traced back,
//! step by step, to its start.
//!
//! A move treats each line of the board on its own, so the boards before it are all combinations of
//! the predecessors of its lines. The predecessors of every possible line are listed once.

use crate::error::Result;
use crate::game::board::exps;
use crate::game::line::{self, Line};
use crate::game::{Board, Direction, Exp, Game, Size};
use crate::play::{Code, Luck, Spawn};

/// The boards before a spawn: for each cell with a 2 or a 4, the board with that cell empty.
pub(super) fn before_spawn(size: Size, board: Board) -> impl Iterator<Item = (Spawn, Board)> {
    cells(size, board)
        .filter(|(_, exp)| matches!(*exp, Exp::TWO | Exp::FOUR))
        .map(move |(cell, exp)| {
            let tile = exp.tile() as u8;
            let shift = 4 * (size.cells() - 1 - u32::from(cell));
            (Spawn { cell, tile }, board ^ u64::from(exp.get()) << shift)
        })
}

/// The cells of a board, each with its tile or stone.
fn cells(size: Size, board: Board) -> impl Iterator<Item = (u8, Exp)> {
    let outside = 16 - size.cells() as usize;
    (0..).zip(exps(board).rev().skip(outside))
}

/// A move and the tile spawned after it, with all boards from which the move can have come.
pub(crate) struct Step {
    pub(super) direction: Direction,
    /// `None` if the move won.
    pub(super) spawn: Option<Spawn>,
    pub(crate) before: Vec<Board>,
}

/// The predecessors in a game.
pub(crate) struct Predecessors {
    pub(super) game: Game,
    directions: [Vec<Line>; 4],
    /// For each length of a line, up to 4: the predecessors of every packed line.
    lines: [Vec<Vec<u16>>; 5],
}

impl Predecessors {
    /// List the predecessors of all lines, except lines with tiles that no state has, such as the
    /// winning tile.
    pub(crate) fn new(game: &Game) -> Self {
        let size = game.size();
        let lengths = [size.rows(), size.cols()].map(usize::from);
        let lines = [0, 1, 2, 3, 4].map(|length| {
            let has_lines = lengths.contains(&length);
            let lines = has_lines.then(|| line_predecessors(length, game));
            lines.unwrap_or_default()
        });
        Self {
            game: *game,
            directions: Direction::ALL.map(|direction| line::lines(size, direction).collect()),
            lines,
        }
    }

    /// All possible last steps to a board: a winning move if the board is won, else a move and a spawn.
    pub(crate) fn steps(&self, board: Board) -> impl Iterator<Item = Step> {
        let won = self.game.is_won(board);
        let by_spawn = before_spawn(self.game.size(), board)
            .filter(move |&(_, before)| !won && !self.game.is_beyond(before))
            .map(|(spawn, afterstate)| (Some(spawn), afterstate));
        let afterstates = won.then_some((None, board)).into_iter().chain(by_spawn);
        afterstates.flat_map(|(spawn, after)| {
            Direction::ALL.map(|direction| Step {
                direction,
                spawn,
                before: self.before_move(after, direction),
            })
        })
    }

    /// The boards that a move in a direction turns into `after`.
    fn before_move(&self, after: Board, direction: Direction) -> Vec<Board> {
        let mut out = vec![0];
        for line in &self.directions[direction as usize] {
            let before = &self.lines[line.len()][usize::from(line.of_board(after))];
            // Every board so far, with every predecessor of this line.
            let boards = out.len();
            for &packed in before {
                out.extend_from_within(..boards);
                let from = out.len() - boards;
                out[from..]
                    .iter_mut()
                    .for_each(|board| *board |= line.to_board(packed));
            }
            out.drain(..boards);
        }
        // A move must change the board. No state has other stones than a move can leave.
        let locks = self.game.size().locks();
        let goes_on = |board| locks.targets().is_none() || !self.game.is_won(board);
        out.retain(|&board| board != after && locks.keeps(board) && goes_on(board));
        out
    }
}

/// For each packed line of a length, the lines of a game's states that become this line when they are
/// moved to the front.
fn line_predecessors(length: usize, game: &Game) -> Vec<Vec<u16>> {
    let (top, stone) = (game.top().get(), game.size().stone());
    let lines = 1u32 << (4 * length);
    let mut all = vec![Vec::new(); lines as usize];
    for before in (0..lines).map(|line| line as u16) {
        let mut tiles = line::unpack(before, length);
        let is_possible = |&tile: &u8| tile <= top || Some(tile) == stone;
        if tiles.iter().all(is_possible) {
            line::slide(&mut tiles, stone);
            // No board holds the tile 65536, so a line that slides to it is no predecessor.
            if let Some(after) = line::pack(&tiles) {
                all[usize::from(after)].push(before);
            }
        }
    }
    all
}

/// The end of a game that is being traced back.
pub(super) struct Trail<'a> {
    predecessors: &'a Predecessors,
    /// The earliest board so far.
    pub(super) board: Board,
    /// Moves and the tiles spawned after them, the last step first.
    pub(super) steps: Vec<(Direction, Option<Spawn>)>,
}

impl<'a> Trail<'a> {
    pub(super) fn new(predecessors: &'a Predecessors, board: Board) -> Self {
        Self {
            predecessors,
            board,
            steps: Vec::new(),
        }
    }

    /// Go one step back, to the first predecessor whose canonical image `accepts`; false if there
    /// is none.
    pub(super) fn step(&mut self, mut accepts: impl FnMut(Board) -> Result<bool>) -> Result<bool> {
        for step in self.predecessors.steps(self.board) {
            let mut canonical = step.before.clone();
            self.predecessors.game.rules().canonicalise(&mut canonical);
            for (board, canonical) in step.before.into_iter().zip(canonical) {
                if accepts(canonical)? {
                    self.board = board;
                    self.steps.push((step.direction, step.spawn));
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The code of the game. The trail must have come to a start.
    pub(super) fn code(mut self) -> Result<Code> {
        let game = self.predecessors.game;
        self.steps.reverse();
        let start: Vec<Spawn> = before_spawn(game.size(), self.board)
            .map(|(spawn, _)| spawn)
            .collect();
        let (moves, spawns): (_, Vec<_>) = self.steps.into_iter().unzip();
        let size = game.size();
        let stones = cells(size, self.board).filter(|(_, exp)| Some(exp.get()) == size.stone());
        let luck = Luck::Spawns {
            stones: stones.map(|(cell, _)| cell).collect(),
            start: [start[0], start[1]],
            then: spawns.into_iter().flatten().collect(),
        };
        Code::new(game, luck, moves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares all forward moves of a small game with the listed predecessors of each board.
    #[test]
    fn every_move_is_listed_backward_and_no_other() {
        for name in ["2x2", "2x3-16", "3x2-8", "2x2free3", "2x3free3-8"] {
            let game: Game = name.parse().unwrap();
            let (predecessors, rules) = (Predecessors::new(&game), game.rules());
            let boards: Vec<Board> = (1..1u64 << (4 * game.size().cells()))
                .filter(|&board| game.max_exp(board) <= game.top())
                .collect();
            let mut forward: [Vec<(Board, Board)>; 4] = Default::default();
            for &board in &boards {
                let mut out = [[0u64]; 4];
                let slices = out.each_mut().map(<[u64; 1]>::as_mut_slice);
                rules.slide(&[board], Exp::LAST, slices);
                for (direction, [after]) in
                    out.into_iter().enumerate().filter(|(_, out)| out[0] > 0)
                {
                    forward[direction].push((after, board));
                }
            }
            for (direction, mut forward) in Direction::ALL.into_iter().zip(forward) {
                forward.sort_unstable();
                for moves in forward.chunk_by(|a, b| a.0 == b.0) {
                    let mut before = predecessors.before_move(moves[0].0, direction);
                    before.sort_unstable();
                    assert!(
                        before.iter().eq(moves.iter().map(|(_, board)| board)),
                        "{moves:?}"
                    );
                }
                let reached = |board| forward.binary_search_by_key(&board, |pair| pair.0).is_ok();
                let unreached = boards.iter().find(|&&board| !reached(board));
                assert!(
                    predecessors
                        .before_move(*unreached.unwrap(), direction)
                        .is_empty()
                );
            }
        }
    }

    #[test]
    fn only_a_2_or_a_4_can_be_the_last_spawn() {
        let size = "2".parse().unwrap();
        let found: Vec<(u8, u8, Board)> = before_spawn(size, 0x2310)
            .map(|(spawn, after)| (spawn.cell, spawn.tile, after))
            .collect();
        assert_eq!(found, [(0, 4, 0x0310), (2, 2, 0x2300)]);
    }
}
