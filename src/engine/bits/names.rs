//! Names of canonical boards: how many there are, and their fingerprints.
//!
//! Key idea: most boards need no test. A board is canonical if its first corner is less than the
//! other three, and the next cell of its first row less than the next of its first column: then
//! every image begins with something greater. Only boards with ties are compared with their images.

use std::mem;
use std::ops::AddAssign;

use super::begins::{Begins, Others, Standing};
use super::boards::{Boards, ROOM, Row, extract, keep_canonical};
use super::census::EXPONENTS;
use super::half::Half;
use super::kernels::{Line, select};
use super::tables::Tables;
use crate::engine::lists::Listing;
use crate::error::Result;
use crate::game::Board;
use crate::part::{Fingerprint, fingerprint};

/// Of so many boards one is kept as a sample.
const SAMPLED: usize = 1 << 12;

/// What is named so far, by largest exponent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Named {
    pub(crate) live: [u64; EXPONENTS],
    pub(crate) fingerprints: [Fingerprint; EXPONENTS],
    /// Some of the boards that were looked at, in no order.
    pub(crate) samples: [Vec<Board>; EXPONENTS],
}

impl AddAssign for Named {
    fn add_assign(&mut self, other: Self) {
        for exp in 0..EXPONENTS {
            self.live[exp] += other.live[exp];
            self.fingerprints[exp] += other.fingerprints[exp];
            self.samples[exp].extend_from_slice(&other.samples[exp]);
        }
    }
}

/// Whether boards are known to be canonical.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tie {
    /// They are.
    No,
    /// It has to be tested.
    Maybe,
}

/// Which boards of a row are named: those with its half on top, the same flipped, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ways {
    Upright,
    Flipped,
    Both,
}

/// Names boards.
pub(crate) struct Names {
    /// The thread that does.
    thread: usize,
    named: Named,
    /// Boards looked at since one was sampled.
    passed: usize,
    boards: Box<Boards>,
    masks: Masks,
}

/// Memory for the masks of a row.
#[derive(Default)]
struct Masks {
    wanted: Vec<Line>,
    none: Vec<Line>,
    /// Halves below the row's, and halves above it, that make canonical boards with it.
    bottoms: Others,
    tops: Others,
}

impl Masks {
    fn resize(&mut self, lines: usize) {
        let Self {
            wanted,
            none,
            bottoms,
            tops,
        } = self;
        for mask in [
            wanted,
            none,
            &mut bottoms.sure,
            &mut bottoms.perhaps,
            &mut tops.sure,
            &mut tops.perhaps,
        ] {
            mask.resize(lines, Line::ZERO);
        }
    }
}

impl Names {
    pub(crate) fn new(thread: usize) -> Self {
        Self {
            thread,
            named: Named::default(),
            passed: 0,
            boards: Box::new([0; ROOM]),
            masks: Masks::default(),
        }
    }

    /// Name the canonical ones of the boards of a row, but for those that have a bit in `dead`, and
    /// list them if there is a listing. `half` has largest exponent `max`.
    pub(crate) fn row(
        &mut self,
        (half, max): (Half, u8),
        row: &[Line],
        dead: Option<&[Line]>,
        columns: &Tables,
        ways: Ways,
        listing: Option<&Listing>,
    ) -> Result<()> {
        let begins = Begins::of(half, columns.up_to.len() as u8);
        let (digits, turned) = (u64::from(half.0), u64::from(half.0.rotate_left(16)));
        let upright = Row {
            half: digits << 32,
            digits: &columns.bottoms,
            shift: 0,
        };
        let flipped = Row {
            half: turned,
            digits: &columns.tops,
            shift: 32,
        };
        let mut masks = mem::take(&mut self.masks);
        masks.resize(row.len());
        let Masks {
            wanted,
            none,
            bottoms,
            tops,
        } = &mut masks;
        let named_upright = ways != Ways::Flipped && begins.standing != Standing::Never;
        if named_upright {
            columns.orders.bottoms(&begins, bottoms);
        }
        if ways != Ways::Upright {
            columns.orders.tops(&begins, tops);
        }
        for exp in max..columns.up_to.len() as u8 {
            let last = usize::from(exp) + 1 == columns.up_to.len();
            let bits = if exp == max && last && dead.is_none() {
                row
            } else {
                let within = columns.up_to[usize::from(exp)].as_slice();
                let below = if exp > max {
                    &columns.up_to[usize::from(exp) - 1]
                } else {
                    &*none
                };
                let others = [within, within, below, dead.unwrap_or(none)];
                select(wanted, row, others);
                wanted.as_slice()
            };
            let mut name = |others: &Others, boards| {
                self.add(exp, bits, &others.sure, boards, Tie::No, listing)?;
                self.add(exp, bits, &others.perhaps, boards, Tie::Maybe, listing)
            };
            if named_upright {
                name(bottoms, upright)?;
            }
            if ways != Ways::Upright {
                name(tops, flipped)?;
            }
        }
        self.masks = masks;
        Ok(())
    }

    /// Name the canonical ones of the boards of a row that have a bit in `bits` and in `mask`; all
    /// have largest exponent `max`.
    fn add(
        &mut self,
        max: u8,
        bits: &[Line],
        mask: &[Line],
        row: Row,
        tie: Tie,
        listing: Option<&Listing>,
    ) -> Result<()> {
        let mut line = 0;
        while line < bits.len() {
            let (lines, found) = extract(
                &bits[line..],
                &mask[line..],
                row.from(line),
                &mut self.boards,
            );
            line += lines;
            self.name(max, found, tie, listing)?;
        }
        Ok(())
    }

    fn name(&mut self, max: u8, found: usize, tie: Tie, listing: Option<&Listing>) -> Result<()> {
        let mut boards = &mut self.boards[..found];
        if tie == Tie::Maybe {
            let live = keep_canonical(boards);
            boards = &mut boards[..live];
        }
        if boards.is_empty() {
            return Ok(());
        }
        let of_max = usize::from(max);
        self.named.live[of_max] += boards.len() as u64;
        self.named.fingerprints[of_max] += fingerprint(boards);
        self.passed += boards.len();
        if self.passed >= SAMPLED {
            self.passed -= SAMPLED;
            self.named.samples[of_max].push(boards[boards.len() / 2]);
        }
        match listing {
            Some(listing) => listing.add(max, boards, self.thread),
            None => Ok(()),
        }
    }

    /// What was named; begins anew.
    pub(crate) fn take(&mut self) -> Named {
        mem::take(&mut self.named)
    }
}
