//! What the images of a board begin with.
//!
//! Key idea: the eight images of a board begin with its four corners, each followed by one of the
//! corner's two neighbours. The canonical image is the least, so these eight pairs alone say of most
//! boards whether they are canonical: those that begin with less than all others are, those that do
//! not begin with the least are not, and only boards with a tie have to be compared with their
//! images. A tie with the mirror image is decided by the top half.

use super::class::Class;
use super::half::Half;
use super::kernels::{Line, or, set};

/// A corner and a neighbour of it, as a number: less if the corner is, or else the neighbour.
type Begin = usize;

/// The pairs of a half, for boards of so many exponents.
pub(crate) struct Begins {
    /// The one that a board with this top half begins with.
    pub(crate) own: Begin,
    /// The least of all four.
    pub(crate) least: Begin,
    pub(crate) standing: Standing,
}

/// Whether a board with some top half can be canonical, as far as this half tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// An image is less.
    Never,
    /// An image may be less.
    Tied,
    /// Every image that begins in this half is greater.
    Sure,
}

impl Begins {
    pub(crate) fn of(half: Half, exponents: u8) -> Self {
        let [a, b, c, d, e, _, _, h] = half.cells().map(usize::from);
        let begin = |corner: usize, next: usize| corner * usize::from(exponents) + next;
        let own = begin(a, b);
        let columns = begin(a, e).min(begin(d, h));
        // The mirror image has the mirrored half on top: the halves alone decide.
        let mirrored = half.mirrored();
        let standing = if half > mirrored || own > columns {
            Standing::Never
        } else if half == mirrored || own == columns {
            Standing::Tied
        } else {
            Standing::Sure
        };
        let least = own.min(columns).min(begin(d, c));
        Self {
            own,
            least,
            standing,
        }
    }
}

/// Masks of a row for boards that can be canonical.
#[derive(Default)]
pub(crate) struct Orders {
    /// By what the top half begins with: bottom halves with nothing less or equal...
    pub(crate) after: Vec<Vec<Line>>,
    /// ...and those with nothing less, but something equal.
    pub(crate) tied: Vec<Vec<Line>>,
    /// By the least of the bottom half: top halves that begin with less than that and all else...
    pub(crate) tops: Vec<Vec<Line>>,
    /// ...and those that begin with nothing greater, but something equal.
    pub(crate) tied_tops: Vec<Vec<Line>>,
}

impl Orders {
    pub(crate) fn new(class: &Class, exponents: u8) -> Self {
        let begins = usize::from(exponents) * usize::from(exponents);
        let none = || vec![vec![Line::ZERO; class.lines()]; begins];
        let [mut after, mut tied, mut tops, mut tied_tops] = [none(), none(), none(), none()];
        for (position, half) in class.halves() {
            let begins = Begins::of(half, exponents);
            set(&mut tied[begins.least], position);
            match begins.standing {
                Standing::Never => {}
                Standing::Tied => set(&mut tied_tops[begins.own], position),
                Standing::Sure => set(&mut tops[begins.own], position),
            }
        }
        let mut sum = vec![Line::ZERO; class.lines()];
        for begin in (0..begins).rev() {
            after[begin].copy_from_slice(&sum);
            or(&mut sum, &tied[begin]);
        }
        let (mut sure, mut perhaps) = (
            vec![Line::ZERO; class.lines()],
            vec![Line::ZERO; class.lines()],
        );
        for begin in 0..begins {
            or(&mut perhaps, &tied_tops[begin]);
            tied_tops[begin].copy_from_slice(&perhaps);
            or(&mut tied_tops[begin], &tops[begin]);
            let here = std::mem::replace(&mut tops[begin], sure.clone());
            or(&mut sure, &here);
        }
        Self {
            after,
            tied,
            tops,
            tied_tops,
        }
    }
}
