//! The boards that follow from other boards, by moves and spawns.
//!
//! Key idea: a layer is made again from the boards that the run kept. A move leads from a state to
//! an afterstate of its own layer; a move and a spawn lead to a state of a later layer. If the
//! states were dropped, a spawn and a move lead from the afterstates of two layers to the
//! afterstates of a third.
//!
//! A board is moved line by line, from a table of all lines. The engine moves whole boards by
//! arithmetic (`game/slide.rs`). This file shares no code with it, so a fault in either shows as a
//! difference. `game/line.rs` has the rule for a line.

use crate::error::Result;
use crate::game::line::{self, Line};
use crate::game::{Board, Direction, Exp, Game, Tally, exps};
use crate::part::Kind;
use crate::store::Run;

/// The states or the afterstates of a layer.
#[derive(Clone, Copy)]
pub(super) struct TargetLayer {
    pub(super) kind: Kind,
    pub(super) sum: u32,
    /// The kind of boards from which this layer is made.
    pub(super) from: Kind,
}

impl TargetLayer {
    /// All targets of a run, in the order in which they follow from each other.
    pub(super) fn all(run: &Run) -> Result<Vec<Self>> {
        let kinds = [Kind::States, Kind::Afterstates];
        let whole = kinds.into_iter().find(|&kind| run.first_sum(kind) == 4);
        let from = whole.ok_or_else(|| run.gone(Kind::States, 4))?;
        // Nothing follows the last layer of a complete game: the next two layers must be empty.
        let end = run.sealed_sum() + if run.complete() { 4 } else { 0 };
        Ok((4..=end)
            .step_by(2)
            .flat_map(|sum| kinds.map(|kind| Self { kind, sum, from }))
            .filter(|target| target.sum >= run.first_sum(target.kind))
            .collect())
    }

    /// The sums of the source layers, each with the spawned tile, if there is one.
    pub(super) fn sources(self) -> Vec<(u32, Option<Exp>)> {
        match (self.from, self.kind) {
            (Kind::States, Kind::Afterstates) => vec![(self.sum, None)],
            _ => vec![
                (self.sum - 2, Some(Exp::TWO)),
                (self.sum - 4, Some(Exp::FOUR)),
            ],
        }
    }

    /// Whether a move comes after the spawn.
    pub(super) fn moves_last(self) -> bool {
        (self.from, self.kind) == (Kind::Afterstates, Kind::Afterstates)
    }
}

/// The moves and spawns of a game.
pub(super) struct LineMoves {
    pub(super) game: Game,
    directions: [Vec<Line>; 4],
    /// The move of every packed line. A line of fewer than four cells is packed behind empty cells,
    /// and its tiles move to the first cells.
    moved: Vec<Move<u16>>,
}

/// A legal move of a board, or the move of a packed line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Move<T = Board> {
    /// The board, not canonical, or the line after the move.
    pub(super) after: T,
    /// The sum of the tiles that merges make.
    pub(super) score: u32,
    /// Whether a merge makes the winning tile.
    pub(super) wins: bool,
}

impl LineMoves {
    pub(super) fn new(game: &Game) -> Self {
        let lines = |direction| line::lines(game.size(), direction).collect();
        let moved = (0..=u16::MAX).map(|packed| move_line(packed, game));
        Self {
            game: *game,
            directions: Direction::ALL.map(lines),
            moved: moved.collect(),
        }
    }

    pub(super) fn legal(&self, board: Board) -> impl Iterator<Item = Move> {
        let moves = self.directions.iter().map(move |lines| {
            let mut all = Move::default();
            for line in lines {
                let packed = usize::from(line.of_board(board));
                let Move { after, score, wins } = self.moved[packed];
                all.after |= line.to_board(after >> (4 * (4 - line.len())));
                all.score += score;
                all.wins |= wins;
            }
            all
        });
        let masks = self.game.size().locks().masks();
        let (targets, win) = (self.game.size().locks().targets(), self.game.win());
        let moves = moves.map(move |mut all| {
            // In a game with target cells, a tile can also slide into one.
            if let Some(targets) = targets {
                all.wins = exps(all.after & targets).any(|exp| exp == win);
            }
            all
        });
        moves.filter(move |all| {
            let is_kept = masks.is_empty() || masks.iter().any(|mask| all.after & mask == *mask);
            is_kept && (all.wins || all.after != board)
        })
    }

    /// Append the boards after all legal moves except wins. Counts moves and wins.
    pub(super) fn moves(&self, board: Board, out: &mut Vec<Board>) -> Tally {
        let mut legal = Tally::default();
        for Move { after, wins, .. } in self.legal(board) {
            legal.moves += 1;
            if wins {
                legal.wins += 1;
            } else {
                out.push(after);
            }
        }
        legal
    }

    /// The canonical boards of a target that follow from boards of a source. If `tile` is given, it is
    /// spawned.
    pub(super) fn boards(
        &self,
        target: TargetLayer,
        from: &[Board],
        tile: Option<Exp>,
    ) -> Vec<Board> {
        let mut boards = match target.from {
            Kind::States => self.moved(from),
            Kind::Afterstates => from.to_vec(),
        };
        if let Some(tile) = tile {
            boards.retain(|&board| !self.game.is_beyond(board));
            let spawns = |board| self.game.spawns(board, tile);
            boards = boards.into_iter().flat_map(spawns).collect();
        }
        if target.moves_last() {
            boards = self.moved(&boards);
        }
        self.game.rules().canonicalise(&mut boards);
        boards
    }

    /// The canonical boards of a target that follow from no other board: starts, or boards after a
    /// move of a start.
    pub(super) fn starts(&self, target: TargetLayer) -> Vec<Board> {
        let mut starts = self.game.starts(target.sum);
        match target.kind {
            Kind::States => {}
            Kind::Afterstates if target.moves_last() => starts = self.moved(&starts),
            // These afterstates follow from states, which include the starts.
            Kind::Afterstates => starts.clear(),
        }
        self.game.rules().canonicalise(&mut starts);
        starts
    }

    /// Boards after every move that does not win.
    fn moved(&self, boards: &[Board]) -> Vec<Board> {
        let mut moved = Vec::new();
        for &board in boards {
            self.moves(board, &mut moved);
        }
        moved
    }
}

/// The table entry of a packed line.
fn move_line(packed: u16, game: &Game) -> Move<u16> {
    let mut tiles = line::unpack(packed, 4);
    let win = game.win().get();
    let holds_win = |tiles: &[u8]| tiles.contains(&win);
    let held = holds_win(&tiles);
    let score = line::slide(&mut tiles, game.size().stone());
    Move {
        // Only a merge of two tiles of 32768 cannot be packed. No counted board holds two of them,
        // unless 65536 is the winning tile. Then the board after the move is not used.
        after: line::pack(&tiles).unwrap_or_default(),
        score: score as u32,
        wins: holds_win(&tiles) && !held,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Rules;

    #[test]
    fn lines_move_by_the_rules() {
        // From the rules: 4 4 . 8 gives 8 8 . .; 2 2 2 . gives 4 2 . . toward the front; 2 2 2 2
        // gives 4 4 . .
        for (line, after, score) in [
            (0x2203, 0x3300, 8),
            (0x1110, 0x2100, 4),
            (0x1111, 0x2200, 8),
            (0x0001, 0x1000, 0),
        ] {
            let wins = false;
            let moved = Move { after, score, wins };
            assert_eq!(move_line(line, &"4x4".parse().unwrap()), moved);
        }
        let (after, score, wins) = (0x5000, 32, true);
        let won = Move { after, score, wins };
        assert_eq!(move_line(0x440, &"4x4-32".parse().unwrap()), won);
    }

    #[test]
    fn moves_agree_with_the_engine() {
        let mut boards = 0x9E37_79B9_7F4A_7C15u64;
        for name in [
            "2x2",
            "2x3-16",
            "4x2",
            "3x3-64",
            "3x4",
            "4x4-32",
            "4x4-2048",
            "2x3free4-16",
            "free8-64",
            "442-64",
            "2x3free4lockffatf00-16until60",
        ] {
            let game: Game = name.parse().unwrap();
            let (line_moves, rules) = (LineMoves::new(&game), game.rules());
            let cells = game.size().cells();
            for _ in 0..5_000 {
                // Few different tiles, so that many merge, and some empty cells.
                boards = boards.wrapping_mul(0xD129_0B26_88CC_F0F5).wrapping_add(11);
                let (mut board, top) = (0, u64::from(game.top().get()));
                for cell in 0..cells {
                    let digit = (boards.rotate_left(5 * cell) >> 40) % (top.min(4) + 1);
                    let digit = match digit {
                        0 => 0,
                        3 if game.size().stones() > 0 => 15,
                        below => top - below + 1,
                    };
                    board = board << 4 | digit;
                }
                if game.is_won(board) {
                    continue;
                }
                let mut out = Vec::new();
                let legal = line_moves.moves(board, &mut out);
                let mut slid: [Vec<u64>; 4] = std::array::from_fn(|_| vec![0]);
                let found = slide(rules, board, game.win(), &mut slid);
                assert_eq!((legal.moves, legal.wins), found, "{name} {board:#x}");
                let mut others: Vec<u64> = slid.concat().into_iter().filter(|&b| b > 0).collect();
                others.sort_unstable();
                out.sort_unstable();
                assert_eq!(out, others, "{name} {board:#x}");
            }
        }
    }

    fn slide(rules: Rules, board: u64, win: Exp, out: &mut [Vec<u64>; 4]) -> (u64, u64) {
        let moves = rules.slide(&[board], win, out.each_mut().map(Vec::as_mut_slice));
        (moves.moves, moves.wins)
    }
}
