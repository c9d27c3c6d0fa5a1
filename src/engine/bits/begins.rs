//! What the images of a board begin with.
//!
//! Key idea: the eight images of a board begin with its four corners, each followed by one of the
//! corner's two neighbours. The canonical image is the least, so these eight pairs alone say of most
//! boards whether they are canonical: those that begin with less than all others are, those that do
//! not begin with the least are not, and only boards with a tie have to be compared with their
//! images. A tie with the mirror image is decided by the top half; one with the reflection at the
//! diagonal through the first corner, the most frequent one, mostly by the next cell.

use std::mem;

use super::class::Class;
use super::half::Half;
use super::kernels::{BitLine, combine, or, or_masked, set};

/// A corner and a neighbour of it, as a number: less if the corner is, or else the neighbour.
type Begin = usize;

/// The pairs of a half, for boards of so many exponents.
pub(crate) struct Begins {
    /// The one that a board with this top half begins with.
    pub(crate) own: Begin,
    /// The least of all four.
    pub(crate) least: Begin,
    pub(crate) standing: Standing,
    /// The third cell of the first row...
    third: usize,
    /// ...and what its reflection at the diagonal has there, if this is the bottom half.
    reflected: usize,
}

/// Whether a board with some top half can be canonical, as far as this half tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// An image is less.
    Never,
    /// An image may be less.
    Tied,
    /// Only the reflection at the diagonal may be less, of all images that begin in this half.
    Diagonal,
    /// Every image that begins in this half is greater.
    Sure,
}

impl Begins {
    pub(crate) fn of(half: Half, exponents: u8) -> Self {
        let [a, b, c, d, e, _, _, h] = half.cells().map(usize::from);
        let begin = |corner: usize, next: usize| corner * usize::from(exponents) + next;
        let own = begin(a, b);
        let (diagonal, turned) = (begin(a, e), begin(d, h));
        // The mirror image has the mirrored half on top: the halves alone decide.
        let mirrored = half.mirrored();
        let standing = if half > mirrored || own > diagonal || own > turned {
            Standing::Never
        } else if half == mirrored || own == turned {
            Standing::Tied
        } else if own == diagonal {
            Standing::Diagonal
        } else {
            Standing::Sure
        };
        let least = own.min(diagonal).min(turned).min(begin(d, c));
        Self {
            own,
            least,
            standing,
            third: c,
            reflected: e,
        }
    }
}

/// Halves that make canonical boards with a given other half.
#[derive(Default)]
pub(crate) struct Others {
    /// Those that do...
    pub(crate) sure: Vec<BitLine>,
    /// ...and those that may.
    pub(crate) perhaps: Vec<BitLine>,
}

/// The halves of a class as others: masks.
#[derive(Default)]
pub(crate) struct Orders {
    /// By what the top half begins with: bottom halves with nothing less or equal...
    after: Vec<Vec<BitLine>>,
    /// ...and those with nothing less, but something equal.
    tied: Vec<Vec<BitLine>>,
    /// By the least of the bottom half: top halves that begin with less than that and all else...
    sure: Vec<Vec<BitLine>>,
    /// ...those that may have a reflection that is less...
    diagonal: Vec<Vec<BitLine>>,
    /// ...and those that begin with nothing greater, but something equal.
    perhaps: Vec<Vec<BitLine>>,
    /// By exponent: halves with a third cell that is less, and those where it is that.
    third_below: Vec<Vec<BitLine>>,
    third_is: Vec<Vec<BitLine>>,
    /// By exponent: halves with a greater first cell of the inner row, and those where it is that.
    reflected_above: Vec<Vec<BitLine>>,
    reflected_is: Vec<Vec<BitLine>>,
}

impl Orders {
    pub(crate) fn new(class: &Class, exponents: u8) -> Self {
        let begins = usize::from(exponents) * usize::from(exponents);
        let none = || vec![vec![BitLine::ZERO; class.lines()]; begins];
        let [mut tied, mut sure, mut diagonal, mut perhaps] = [none(), none(), none(), none()];
        for (position, half) in class.halves() {
            let begins = Begins::of(half, exponents);
            set(&mut tied[begins.least], position);
            let standing = match begins.standing {
                Standing::Never => continue,
                Standing::Tied => &mut perhaps,
                Standing::Diagonal => &mut diagonal,
                Standing::Sure => &mut sure,
            };
            set(&mut standing[begins.own], position);
        }
        let mut after = none();
        let mut sum = vec![BitLine::ZERO; class.lines()];
        for begin in (0..begins).rev() {
            after[begin].copy_from_slice(&sum);
            or(&mut sum, &tied[begin]);
        }
        // Those that begin with the same are not sure.
        let mut sums = [(); 3].map(|()| vec![BitLine::ZERO; class.lines()]);
        for begin in 0..begins {
            or(&mut sums[2], &perhaps[begin]);
            perhaps[begin].copy_from_slice(&sums[2]);
            for (masks, sum) in [&mut sure, &mut diagonal].into_iter().zip(&mut sums) {
                or(&mut perhaps[begin], &masks[begin]);
                let here = mem::replace(&mut masks[begin], sum.clone());
                or(sum, &here);
            }
        }
        let masks = |keep: fn(&Begins, usize) -> bool| {
            let mask = |exp| class.mask(|half| keep(&Begins::of(half, exponents), exp));
            (0..usize::from(exponents)).map(mask).collect()
        };
        Self {
            after,
            tied,
            sure,
            diagonal,
            perhaps,
            third_below: masks(|begins, exp| begins.third < exp),
            third_is: masks(|begins, exp| begins.third == exp),
            reflected_above: masks(|begins, exp| begins.reflected > exp),
            reflected_is: masks(|begins, exp| begins.reflected == exp),
        }
    }

    /// The bottom halves under a top half that has one, as far as there is room.
    pub(crate) fn bottoms(&self, top: &Begins, bottoms: &mut Others) {
        let Others { sure, perhaps } = bottoms;
        let (after, tied) = (&self.after[top.own], &self.tied[top.own]);
        match top.standing {
            Standing::Never | Standing::Tied => {
                sure.fill(BitLine::ZERO);
                combine(perhaps, tied, after, after);
            }
            Standing::Diagonal => {
                let (above, is) = (
                    &self.reflected_above[top.third],
                    &self.reflected_is[top.third],
                );
                sure.fill(BitLine::ZERO);
                or_masked(sure, after, above);
                combine(perhaps, tied, after, is);
            }
            Standing::Sure => {
                let lines = sure.len();
                sure.copy_from_slice(&after[..lines]);
                perhaps.copy_from_slice(&tied[..lines]);
            }
        }
    }

    /// The top halves over a bottom half, as far as there is room.
    pub(crate) fn tops(&self, bottom: &Begins, tops: &mut Others) {
        let diagonal = &self.diagonal[bottom.least];
        let (below, is) = (
            &self.third_below[bottom.reflected],
            &self.third_is[bottom.reflected],
        );
        combine(&mut tops.sure, &self.sure[bottom.least], diagonal, below);
        combine(&mut tops.perhaps, &self.perhaps[bottom.least], diagonal, is);
    }
}
