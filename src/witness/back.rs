//! A step back: the boards that a tile came into, and the boards that a move came from.
//!
//! A move treats each line of the board alone, so the boards that it may come from are all combinations of the
//! lines that theirs may come from, and those are listed once for each possible line.

use crate::game::{Board, Direction, Game, Size, line};
use crate::play::Spawn;

/// The boards before a tile came: each cell that holds a 2 or a 4, emptied.
pub(super) fn spawns(size: Size, board: Board) -> impl Iterator<Item = (Spawn, Board)> {
    (0..size.cells()).rev().filter_map(move |place| {
        let tile = board >> (4 * place) & 15;
        matches!(tile, 1 | 2).then(|| {
            let spawn = Spawn {
                cell: (size.cells() - 1 - place) as u8,
                tile: 1 << tile,
            };
            (spawn, board ^ tile << (4 * place))
        })
    })
}

/// A move and the tile that followed, and the boards that it may have been made on.
pub(super) struct Step {
    pub(super) direction: Direction,
    /// None after the win.
    pub(super) spawn: Option<Spawn>,
    pub(super) before: Vec<Board>,
}

/// The moves of a game, backward.
pub(super) struct Back {
    size: Size,
    /// Of each direction.
    directions: [Lines; 4],
    /// For each line length up to 4, the lines that a move makes each line of.
    sources: [Sources; 5],
}

/// The lines of a board in one direction: the shifts of their cells, from the edge moved toward.
struct Lines(Vec<Vec<u32>>);

/// All lines of one length by the line that they become, moved to their front.
#[derive(Default)]
struct Sources {
    /// Where those of each line begin.
    starts: Vec<u32>,
    lines: Vec<u16>,
}

impl Back {
    /// Lines without the winning tile, as it ends the game, or larger ones than the game can have.
    pub(super) fn new(game: &Game) -> Self {
        let size = game.size();
        let shift = |cell: usize| 4 * (size.cells() - 1 - cell as u32);
        let directions = Direction::ALL.map(|direction| {
            let (lines, length) = line::lines(size, direction);
            let cells = |at| (0..length).map(move |step| line::cell(size, direction, at, step));
            Lines(
                (0..lines)
                    .map(|at| cells(at).map(shift).collect())
                    .collect(),
            )
        });
        let lengths = [size.rows(), size.cols()];
        let sources = [0, 1, 2, 3, 4].map(|length| {
            if lengths.contains(&length) {
                Sources::new(length.into(), game.top_exponent())
            } else {
                Sources::default()
            }
        });
        Self {
            size,
            directions,
            sources,
        }
    }

    /// All that may have been the last step to a board; a tile is part of it unless the board is `won`.
    pub(super) fn steps(&self, board: Board, won: bool) -> impl Iterator<Item = Step> {
        let whole = won.then_some((None, board));
        let tiles = spawns(self.size, board).map(|(spawn, after)| (Some(spawn), after));
        let afterstates = whole.into_iter().chain(tiles.filter(move |_| !won));
        afterstates.flat_map(|(spawn, after)| {
            Direction::ALL.map(|direction| Step {
                direction,
                spawn,
                before: self.moves(after, direction),
            })
        })
    }

    /// The boards that a move in a direction makes `after` of.
    fn moves(&self, after: Board, direction: Direction) -> Vec<Board> {
        let mut out = vec![0];
        for cells in &self.directions[direction as usize].0 {
            let digit = |cell: &u32| (after >> cell) as usize & 15;
            let line = cells.iter().fold(0, |line, cell| line << 4 | digit(cell));
            let sources = self.sources[cells.len()].of(line);
            let boards = out.len();
            for &source in sources {
                let places = cells.iter().rev().enumerate();
                let bits = places.fold(0, |bits, (place, cell)| {
                    bits | u64::from(source >> (4 * place) & 15) << cell
                });
                out.extend_from_within(..boards);
                let from = out.len() - boards;
                out[from..].iter_mut().for_each(|board| *board |= bits);
            }
            out.drain(..boards);
        }
        // A move that changes nothing is none.
        out.retain(|&board| board != after);
        out
    }
}

impl Sources {
    fn new(length: u32, top: u8) -> Self {
        let mut pairs = Vec::new();
        for line in 0..1u32 << (4 * length) {
            let digits = (0..length)
                .rev()
                .map(|place| (line >> (4 * place) & 15) as u8);
            let mut tiles: Vec<u8> = digits.collect();
            if tiles.iter().any(|&tile| tile > top) {
                continue;
            }
            line::slide(&mut tiles);
            // Only two tiles of 2^15 make one that has no digit.
            if tiles.iter().all(|&tile| tile < 16) {
                let after = tiles
                    .iter()
                    .fold(0, |line, &tile| line << 4 | u32::from(tile));
                pairs.push((after, line as u16));
            }
        }
        pairs.sort_unstable();
        let after = |line: u32| pairs.partition_point(|&(after, _)| after < line) as u32;
        Self {
            starts: (0..=1u32 << (4 * length)).map(after).collect(),
            lines: pairs.iter().map(|&(_, line)| line).collect(),
        }
    }

    fn of(&self, line: usize) -> &[u16] {
        &self.lines[self.starts[line] as usize..self.starts[line + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All moves of all boards of a small game, forward, against those before each board.
    #[test]
    fn every_move_is_listed_backward_and_no_other() {
        for name in ["2x2", "2x3-16", "3x2-8"] {
            let game: Game = name.parse().unwrap();
            let (back, rules, cells) = (Back::new(&game), game.rules(), game.size().cells());
            let top = u64::from(game.top_exponent());
            let boards: Vec<Board> = (1..1u64 << (4 * cells))
                .filter(|board| (0..cells).all(|place| board >> (4 * place) & 15 <= top))
                .collect();
            let mut forward: [Vec<(Board, Board)>; 4] = Default::default();
            for &board in &boards {
                let mut out = [[0u64]; 4];
                let slices = out.each_mut().map(<[u64; 1]>::as_mut_slice);
                rules.slide(&[board], 16, slices);
                for (direction, [after]) in
                    out.into_iter().enumerate().filter(|(_, out)| out[0] > 0)
                {
                    forward[direction].push((after, board));
                }
            }
            for (direction, mut forward) in Direction::ALL.into_iter().zip(forward) {
                forward.sort_unstable();
                for moves in forward.chunk_by(|a, b| a.0 == b.0) {
                    let mut before = back.moves(moves[0].0, direction);
                    before.sort_unstable();
                    assert!(
                        before.iter().eq(moves.iter().map(|(_, board)| board)),
                        "{moves:?}"
                    );
                }
                let reached = |board| forward.binary_search_by_key(&board, |pair| pair.0).is_ok();
                let unreached = boards.iter().find(|&&board| !reached(board));
                assert!(back.moves(*unreached.unwrap(), direction).is_empty());
            }
        }
    }

    #[test]
    fn tiles_that_may_have_come_last_are_the_twos_and_fours() {
        let size = "2".parse().unwrap();
        let found: Vec<(u8, u8, Board)> = spawns(size, 0x2310)
            .map(|(spawn, after)| (spawn.cell, spawn.tile, after))
            .collect();
        assert_eq!(found, [(0, 4, 0x0310), (2, 2, 0x2300)]);
    }
}
