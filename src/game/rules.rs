//! The rules, as kernels over slices of boards.
//!
//! The engine uses [`Rules`]: a few operations, most on many boards at once. Each is generic, and
//! compiled for each board size, and for AVX-512, AVX2 and any machine. The program chooses a
//! version at run time, so a plain `cargo build --release` is fast everywhere.
//! Each call costs a dispatch: pass hundreds of boards, not one.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::audit::audit;
use super::board::{Board, ONES, PartKey, Shape, Size, for_size, holds, no_stones, occupied};
use super::exp::Exp;
use super::locks::Locks;
use super::slide::{Moved, slide};
use super::symmetry::{canonical, canonical_with, orbit, orbit_with};
use crate::wide::wide;

/// Counts of some states, or of some afterstates. Each thread has its own tally, and the tallies
/// are added up, so threads share no counter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Candidates produced, repeats included.
    pub candidates: u64,
    /// Repeats among the candidates.
    pub duplicates: u64,
    /// Distinct states or afterstates.
    pub unique: u64,
    /// States without a legal move.
    pub dead: u64,
    /// Number of boards that the states represent: the sum of their orbit sizes.
    pub labeled: u64,
    /// Legal moves of the states, winning moves included.
    pub moves: u64,
    /// Moves that make the winning tile.
    pub wins: u64,
    /// Empty cells of the afterstates.
    pub empty_cells: u64,
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.candidates += other.candidates;
        self.duplicates += other.duplicates;
        self.unique += other.unique;
        self.dead += other.dead;
        self.labeled += other.labeled;
        self.moves += other.moves;
        self.wins += other.wins;
        self.empty_cells += other.empty_cells;
    }
}

/// Evaluate an expression in which `R` and `C` are the rows and columns of some [`Rules`], and `STONES`
/// says whether their boards have stones. All three are constants.
macro_rules! for_rules {
    ($rules:expr, $value:expr) => {
        if $rules.0.stones() == 0 {
            const STONES: bool = false;
            for_size!($rules.0, $value)
        } else {
            const STONES: bool = true;
            for_size!($rules.0, $value)
        }
    };
}

/// The rules on boards of one size. Digits beyond the size must be 0; only `audit` checks them.
#[derive(Clone, Copy, Debug)]
pub struct Rules(pub Size);

impl Rules {
    /// Replace each board by its canonical image.
    pub fn canonicalise(self, boards: &mut [Board]) {
        let locks = self.0.locks();
        if locks.is_none() {
            for_size!(self.0, canonicalise::<R, C>(boards));
        } else if self.0.symmetries() > 1 {
            for_size!(self.0, canonicalise_with::<R, C>(boards, locks));
        }
    }

    /// Move each of `boards` in all four directions: `out[d][i]` becomes the afterstate of
    /// `boards[i]` in direction `d`, not canonical, or 0 where the move is illegal or wins.
    /// `win` is the winning tile, or [`Exp::LAST`] without one. Counts moves and wins.
    ///
    /// # Panics
    ///
    /// If the lengths differ.
    pub fn slide(self, boards: &[Board], win: Exp, out: [&mut [Board]; 4]) -> Tally {
        let locks = self.0.locks();
        let slid = for_rules!(self, slide_all::<R, C, STONES>(boards, win, locks, out));
        let (moves, wins) = slid;
        Tally {
            moves,
            wins,
            ..Tally::default()
        }
    }

    /// The results of one board's four moves.
    pub(crate) fn moves(self, board: Board, win: Exp) -> [Moved; 4] {
        let base = below(win);
        let slid = for_rules!(
            self,
            [
                slide::<R, C, 0, STONES>(board, base),
                slide::<R, C, 1, STONES>(board, base),
                slide::<R, C, 2, STONES>(board, base),
                slide::<R, C, 3, STONES>(board, base),
            ]
        );
        let locks = self.0.locks();
        let is_won = |afterstate: u64, won: u64| match locks.targets() {
            None => won != 0,
            Some(_) => holds(afterstate & locks.targets, win),
        };
        slid.map(|moved| match moved {
            (afterstate, _) if !locks.keeps(afterstate) => Moved::Illegal,
            (afterstate, won) if is_won(afterstate, won) => Moved::Wins,
            (0, _) => Moved::Illegal,
            (afterstate, _) => Moved::To(afterstate),
        })
    }

    /// Append each board with `tile` in each of its empty cells, last cell first, not canonical.
    pub fn spawn(self, boards: &[Board], tile: Exp, out: &mut Vec<Board>) {
        for_size!(self.0, spawn::<R, C>(boards, tile, out));
    }

    /// Number of empty cells of all `boards` together.
    pub fn empty_cells(self, boards: &[Board]) -> u64 {
        for_size!(self.0, empty_cells::<R, C>(boards))
    }

    /// Check the boards of the part `key`: digits within the size, canonical form, sum and largest tile.
    /// Play must be able to make the large tiles of a board. With `room`, the boards are afterstates, so
    /// each must also have an empty cell. Returns the first board that fails, and the reason.
    pub(crate) fn audit(
        self,
        boards: &[Board],
        key: PartKey,
        room: bool,
    ) -> Option<(Board, &'static str)> {
        for_rules!(self, audit::<R, C, STONES>(boards, key, self.0, room))
    }

    /// Drop the dead states and keep the live states in order. Counts `dead` and `labeled`.
    pub fn census(self, states: &mut Vec<Board>) -> Tally {
        let (live, tally) = match self.0.locks().is_none() {
            true => self.free_census(states),
            false => self.expand(states, Exp::LAST, &mut Default::default()),
        };
        states.truncate(live);
        let Tally { dead, labeled, .. } = tally;
        Tally {
            dead,
            labeled,
            ..Tally::default()
        }
    }

    /// Move the live states to the front, in order, and [slide](Self::slide) them into `out`, which may
    /// have further zeros. Returns their number. Counts `dead`, `labeled`, `moves` and `wins`.
    pub(crate) fn expand(
        self,
        states: &mut [Board],
        win: Exp,
        out: &mut [Vec<Board>; 4],
    ) -> (usize, Tally) {
        let locks = self.0.locks();
        let (mut live, mut tally) = match locks.is_none() {
            true => self.free_census(states),
            false => (states.len(), Tally::default()),
        };
        out.iter_mut().for_each(|out| out.resize(live, 0));
        let slid = out.each_mut().map(Vec::as_mut_slice);
        tally += self.slide(&states[..live], win, slid);
        if !locks.is_none() {
            // Locks can forbid every move of a state with empty cells.
            let any_wins = tally.wins > 0;
            let wins = |state| any_wins && self.moves(state, win) != [Moved::Illegal; 4];
            tally.labeled = match self.0.symmetries() {
                1 => states.len() as u64,
                _ => for_size!(self.0, labeled_with::<R, C>(states, locks)),
            };
            live = 0;
            for at in 0..states.len() {
                let state = states[at];
                let moves = out.iter().fold(0, |moves, out| moves | out[at]) != 0;
                states[live] = state;
                live += usize::from(moves || wins(state));
            }
            tally.dead = (states.len() - live) as u64;
        }
        (live, tally)
    }

    /// Move the live states of a game without locks to the front. Returns their number.
    fn free_census(self, states: &mut [Board]) -> (usize, Tally) {
        let (live, labeled) = for_rules!(self, census::<R, C, STONES>(states));
        let tally = Tally {
            dead: (states.len() - live) as u64,
            labeled,
            ..Tally::default()
        };
        (live, tally)
    }
}

/// The exponent below the winning exponent, in every digit.
fn below(win: Exp) -> u64 {
    u64::from(win.get() - 1) * ONES
}

wide! {
    fn spawn<const R: usize, const C: usize>(boards: &[u64], tile: Exp, out: &mut Vec<u64>) {
        let mut end = out.len();
        let all = end + empty_cells::<R, C>(boards) as usize;
        out.resize(all + 1, 0);
        for &board in boards {
            let mut empty = !occupied(board) & ONES & Shape::<R, C>::BOARD;
            let mut at = end;
            end += empty.count_ones() as usize;
            // Two at a time, because the processor cannot predict the number of empty cells. The next
            // board takes the place of the second if there is one.
            while empty != 0 {
                for spawned in &mut out[at..at + 2] {
                    let cell = empty & empty.wrapping_neg();
                    *spawned = board | (cell * u64::from(tile.get()));
                    empty ^= cell;
                }
                at += 2;
            }
        }
        out.truncate(all);
    }
}

wide! {
    fn canonicalise<const R: usize, const C: usize>(boards: &mut [u64]) {
        for board in boards {
            *board = canonical::<R, C>(*board);
        }
    }
}

wide! {
    fn canonicalise_with<const R: usize, const C: usize>(boards: &mut [u64], locks: Locks) {
        for board in boards {
            *board = canonical_with::<R, C>(*board, locks);
        }
    }
}

wide! {
    /// Returns the number of legal moves and of winning moves.
    fn slide_all<const R: usize, const C: usize, const STONES: bool>(
        boards: &[u64],
        win: Exp,
        locks: Locks,
        out: [&mut [u64]; 4],
    ) -> (u64, u64) {
        let [up, right, down, left] = out;
        let each = [
            slide_each::<R, C, 0, STONES>(boards, win, &locks, up),
            slide_each::<R, C, 1, STONES>(boards, win, &locks, right),
            slide_each::<R, C, 2, STONES>(boards, win, &locks, down),
            slide_each::<R, C, 3, STONES>(boards, win, &locks, left),
        ];
        each.into_iter().fold((0, 0), |sum, each| (sum.0 + each.0, sum.1 + each.1))
    }
}

/// One direction of [`slide_all`].
#[inline(always)]
fn slide_each<const R: usize, const C: usize, const D: usize, const STONES: bool>(
    boards: &[u64],
    win: Exp,
    locks: &Locks,
    out: &mut [u64],
) -> (u64, u64) {
    assert_eq!(boards.len(), out.len(), "one afterstate for each board");
    let base = below(win);
    let (mut wins, mut others) = (0, 0);
    for (out, &board) in out.iter_mut().zip(boards) {
        let (afterstate, won) = slide::<R, C, D, STONES>(board, base);
        let kept = !STONES || locks.keeps(afterstate);
        // In a game with target cells, a tile can also slide into one.
        let won = if STONES {
            holds(afterstate & locks.targets, win)
        } else {
            won != 0
        };
        *out = if !won && kept { afterstate } else { 0 };
        wins += u64::from(won && kept);
        others += u64::from(*out != 0);
    }
    (wins + others, wins)
}

wide! {
    fn empty_cells<const R: usize, const C: usize>(boards: &[u64]) -> u64 {
        let all = Shape::<R, C>::BOARD & ONES;
        boards
            .iter()
            .map(|&board| u64::from((!occupied(board) & all).count_ones()))
            .sum()
    }
}

/// Number of boards that [`census`] checks together, which fills the registers.
const LANES: usize = 64;

wide! {
    /// Moves the live states to the front. Returns their number, and the labeled count of all
    /// states.
    fn census<const R: usize, const C: usize, const STONES: bool>(
        states: &mut [u64],
    ) -> (usize, u64) {
        let mut live = 0;
        let mut labeled = 0;
        let mut from = 0;
        while from + LANES <= states.len() {
            let mut group = [0; LANES];
            group.copy_from_slice(&states[from..from + LANES]);
            let mut free = [0; LANES];
            for (free, &state) in free.iter_mut().zip(&group) {
                labeled += orbit::<R, C>(state);
                *free = freedom::<R, C, STONES>(state);
            }
            for (&state, free) in group.iter().zip(free) {
                states[live] = state;
                live += usize::from(free != 0);
            }
            from += LANES;
        }
        for i in from..states.len() {
            let state = states[i];
            labeled += orbit::<R, C>(state);
            states[live] = state;
            live += usize::from(freedom::<R, C, STONES>(state) != 0);
        }
        (live, labeled)
    }
}

wide! {
    /// The labeled count of the states of a game with locks.
    fn labeled_with<const R: usize, const C: usize>(states: &[u64], locks: Locks) -> u64 {
        let mut labeled = 0;
        for &state in states {
            labeled += orbit_with::<R, C>(state, locks);
        }
        labeled
    }
}

/// Nonzero if the state has a legal move: an empty cell, into which a tile or a stone can slide, or two
/// equal tiles side by side.
#[inline(always)]
fn freedom<const R: usize, const C: usize, const STONES: bool>(x: u64) -> u64 {
    let all = Shape::<R, C>::BOARD & ONES;
    let empty = !occupied(x) & all;
    let all = all & no_stones::<STONES>(x);
    let beside = !occupied(x ^ (x << 4)) & all & !Shape::<R, C>::COLUMNS[C - 1];
    let below = !occupied(x ^ (x << (4 * C))) & all & !Shape::<R, C>::ROWS[R - 1];
    empty | beside | below
}
