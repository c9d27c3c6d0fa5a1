//! Prefixes of the images of a board.
//!
//! Key idea: each of the eight images of a board begins with one of its four corners and one of the
//! two neighbours of the corner: its *prefix*. The canonical image is the least, so the eight
//! prefixes decide most boards. A board with the single least prefix is canonical. A board with a
//! greater prefix than some image is not. Only ties need a comparison of whole images. The top half
//! decides a tie with the mirror image. The next cell mostly decides a tie with the reflection at
//! the diagonal, which is the most frequent tie.

use super::class::Class;
use super::half::Half;
use super::kernels::{BitLine, combine, or_masked, set};

/// A corner and a neighbour as a number. The corner weighs more.
type Prefix = usize;

/// The prefixes of a half.
pub(crate) struct Prefixes {
    /// The prefix of a board with this top half.
    own: Prefix,
    /// The least of all four.
    least: Prefix,
    pub(crate) standing: Standing,
    /// The third cell of the outer row.
    third: usize,
    /// The first cell of the inner row. If this is the bottom half, the reflection at the diagonal
    /// has this cell third.
    reflected: usize,
}

/// Whether a board with some top half can be canonical, according to this half alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// An image is less.
    Never,
    /// An image may be less.
    Tied,
    /// Of all images that begin in this half, only the reflection at the diagonal may be less.
    DiagonalTie,
    /// Every image that begins in this half is greater.
    Certain,
}

impl Prefixes {
    /// The prefixes of a half of a board with `digits` digits, of which the last is for a stone if there
    /// are stones.
    fn of(half: Half, digits: u8) -> Self {
        let number = |digit: u8| usize::from(digit.min(digits - 1));
        let [a, b, c, d, e, _, _, h] = half.cells().map(number);
        let prefix = |corner: usize, next: usize| corner * usize::from(digits) + next;
        let own = prefix(a, b);
        let (diagonal, turned) = (prefix(a, e), prefix(d, h));
        // The mirror image has the mirrored half on top: the halves alone decide.
        let mirrored = half.mirrored();
        let standing = if half > mirrored || own > diagonal || own > turned {
            Standing::Never
        } else if half == mirrored || own == turned {
            Standing::Tied
        } else if own == diagonal {
            Standing::DiagonalTie
        } else {
            Standing::Certain
        };
        let least = own.min(diagonal).min(turned).min(prefix(d, c));
        Self {
            own,
            least,
            standing,
            third: c,
            reflected: e,
        }
    }
}

/// Masks of the halves of a class by their prefixes.
#[derive(Default)]
pub(crate) struct PrefixMasks {
    /// By prefix of the top half: bottom halves with greater prefixes only.
    greater: Vec<Vec<BitLine>>,
    /// By prefix of the top half: bottom halves whose least prefix equals it.
    equal: Vec<Vec<BitLine>>,
    /// By least prefix of the bottom half: `Certain` top halves with a lesser prefix.
    certain: Vec<Vec<BitLine>>,
    /// By least prefix of the bottom half: top halves with a `DiagonalTie` and a lesser prefix.
    diagonal: Vec<Vec<BitLine>>,
    /// By least prefix of the bottom half: other top halves whose prefix is not greater.
    tied: Vec<Vec<BitLine>>,
    /// By exponent: halves with a lesser third cell, and halves with an equal third cell.
    third_less: Vec<Vec<BitLine>>,
    third_equal: Vec<Vec<BitLine>>,
    /// By exponent: halves with a greater first cell of the inner row, and halves with an equal
    /// cell.
    reflected_greater: Vec<Vec<BitLine>>,
    reflected_equal: Vec<Vec<BitLine>>,
}

impl PrefixMasks {
    /// The masks of boards with `digits` digits.
    pub(crate) fn new(class: &Class, digits: u8) -> Self {
        let count = usize::from(digits) * usize::from(digits);
        let zeros = |count| vec![vec![BitLine::ZERO; class.lines()]; count];
        let [mut greater, mut equal, mut certain, mut diagonal, mut tied] = [count; 5].map(zeros);
        let [
            mut third_less,
            mut third_equal,
            mut reflected_greater,
            mut reflected_equal,
        ] = [usize::from(digits); 4].map(zeros);
        for (position, half) in class.halves() {
            let Prefixes {
                own,
                least,
                standing,
                third,
                reflected,
            } = Prefixes::of(half, digits);
            let add = |masks: &mut [Vec<BitLine>]| {
                masks.iter_mut().for_each(|mask| set(mask, position));
            };
            add(&mut greater[..least]);
            add(&mut equal[least..=least]);
            add(&mut third_less[third + 1..]);
            add(&mut third_equal[third..=third]);
            add(&mut reflected_greater[..reflected]);
            add(&mut reflected_equal[reflected..=reflected]);
            let masks = match standing {
                Standing::Never => continue,
                Standing::Tied => &mut tied,
                Standing::DiagonalTie => &mut diagonal,
                Standing::Certain => &mut certain,
            };
            add(&mut masks[own + 1..]);
            // A top half with an equal prefix is tied.
            add(&mut tied[own..=own]);
        }
        Self {
            greater,
            equal,
            certain,
            diagonal,
            tied,
            third_less,
            third_equal,
            reflected_greater,
            reflected_equal,
        }
    }

    /// The prefixes of a half of any class.
    pub(crate) fn prefixes(&self, half: Half) -> Prefixes {
        Prefixes::of(half, self.third_less.len() as u8)
    }

    /// Two masks of bottom halves for a top half: boards that are certainly canonical, and boards
    /// that need a test. A mask that is not among the tables is made in `certain` or `test`, which
    /// are as long as a row. An empty mask has no bits.
    pub(crate) fn bottoms<'a>(
        &'a self,
        top: &Prefixes,
        [certain, test]: [&'a mut [BitLine]; 2],
    ) -> [&'a [BitLine]; 2] {
        let (greater, equal) = (&self.greater[top.own], &self.equal[top.own]);
        match top.standing {
            Standing::Never | Standing::Tied => {
                combine(test, equal, greater, greater);
                [&[], test]
            }
            Standing::DiagonalTie => {
                certain.fill(BitLine::ZERO);
                or_masked(certain, greater, &self.reflected_greater[top.third]);
                combine(test, equal, greater, &self.reflected_equal[top.third]);
                [certain, test]
            }
            Standing::Certain => [greater, equal],
        }
    }

    /// Make two masks of top halves for a bottom half: boards that are certainly canonical, and
    /// boards that need a test. The masks may be shorter than a row.
    pub(crate) fn tops<'a>(
        &self,
        bottom: &Prefixes,
        [certain, test]: [&'a mut [BitLine]; 2],
    ) -> [&'a [BitLine]; 2] {
        let Prefixes {
            least, reflected, ..
        } = *bottom;
        let diagonal = &self.diagonal[least];
        let (less, equal) = (&self.third_less[reflected], &self.third_equal[reflected]);
        combine(certain, &self.certain[least], diagonal, less);
        combine(test, &self.tied[least], diagonal, equal);
        [certain, test]
    }
}
