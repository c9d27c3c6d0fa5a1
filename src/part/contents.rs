//! The contents of a file, as its header describes them: a part's boards, their values,
//! or the matrices of a layer.

use std::fmt;

use super::bytes::{u32_at, u64_at};
use super::fingerprint::Fingerprint;
use crate::game::{Exp, FourRate, Game, Objective, PartKey, Size};

/// Maximum number of states in a block that this program writes. Larger blocks compress better
/// (each doubling from 2^14 on saves about a tenth); smaller blocks make look-ups and parallel
/// reads faster.
pub const BLOCK: usize = 1 << 17;

/// Boards before or after the spawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Boards with the player to move.
    States,
    /// Boards after a move, before the spawn.
    Afterstates,
}

impl Kind {
    /// Number of boards in a full block. Large blocks make files of states small; small blocks let
    /// the next layers read afterstates in parallel.
    pub fn block(self) -> usize {
        match self {
            Self::States => BLOCK,
            Self::Afterstates => BLOCK / 8,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::States => "states",
            Self::Afterstates => "afterstates",
        })
    }
}

/// Describes a file of boards: the kind, game, sum and largest tile of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Label {
    /// States or afterstates.
    pub kind: Kind,
    /// Size of the boards.
    pub size: Size,
    /// The winning tile, [`Exp::LAST`] if there is none.
    pub win: Exp,
    /// The sum from which on an afterstate ends the game, if there is one.
    pub horizon: Option<u32>,
    /// Sum and largest tile of every board.
    pub key: PartKey,
}

impl Label {
    pub(crate) fn new(game: &Game, kind: Kind, key: PartKey) -> Self {
        Self {
            kind,
            size: game.size(),
            win: game.win(),
            horizon: game.horizon(),
            key,
        }
    }

    /// The name of the game: `3x3-1024`, or `3x3` without a winning tile.
    fn game(&self) -> Game {
        Game::of_label(self.size, self.win, self.horizon)
    }
}

/// `states of 3x3-1024, sum 164, largest tile 32`.
impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}, {}", self.kind, self.game(), self.key)
    }
}

/// Describes a file of matrices: the game and the sum.
///
/// It is a label of afterstates with the largest tile 65536, because a matrix has afterstates with
/// any largest tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerLabel(Label);

impl LayerLabel {
    pub(crate) fn new(game: &Game, sum: u32) -> Self {
        let key = PartKey {
            sum,
            max: Exp::LAST,
        };
        Self(Label::new(game, Kind::Afterstates, key))
    }

    /// Read the label, or describe the damage.
    pub(super) fn of(label: Label) -> Result<Self, &'static str> {
        if label.key.max < Exp::LAST {
            return Err("header: expected 65536 as the largest tile of matrices");
        }
        Ok(Self(label))
    }
}

/// `matrices of 4x4-64, sum 164`.
impl fmt::Display for LayerLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "matrices of {}, sum {}", self.0.game(), self.0.key.sum)
    }
}

/// Bytes that are added to the header of a file of values.
pub(crate) const ABOUT: usize = 20;

/// Codes of the objectives that are not tiles. `SURE` is added to a tile that is to be forced.
const SCORE: u32 = 0;
const MOVES: u32 = 1;
const SURE: u32 = 1 << 31;

/// Describes a file of values: a value for each afterstate of a part, in the order of the
/// afterstates.
///
/// The values belong to a part of afterstates if its label is `afterstates` and its fingerprint is
/// `keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The afterstates that have the values.
    pub afterstates: Label,
    /// The objective of the values.
    pub objective: Objective,
    /// Bits after the binary point, at most 32: the number `value` stands for `value /
    /// 2^fraction`.
    pub fraction: u32,
    /// The rate of spawned 4s.
    pub four: FourRate,
    /// Fingerprint of the afterstates of the same file.
    pub keys: Fingerprint,
}

/// `values (score) of afterstates of 3x3-1024, sum 164, largest tile 32`; the rate of 4s stands
/// after the objective unless it is 1/10.
impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "values ({}", self.objective)?;
        if self.four != FourRate::default() {
            write!(f, ", 4s at a rate of {}", self.four)?;
        }
        write!(f, ") of {}", self.afterstates)
    }
}

impl About {
    pub(super) fn to_bytes(self) -> Vec<u8> {
        let objective = match self.objective {
            Objective::Score => SCORE,
            Objective::Moves => MOVES,
            Objective::Tile(exp) => exp.tile(),
            Objective::Sure(exp) => SURE | exp.tile(),
        };
        // The usual rate is written as two zeros.
        let four = match self.four {
            four if four == FourRate::default() => [0, 0],
            four => <[u8; 2]>::from(four.ratio()),
        };
        let mut out = Vec::with_capacity(ABOUT);
        out.extend(objective.to_le_bytes());
        out.extend((self.fraction as u16).to_le_bytes());
        out.extend(four);
        out.extend(self.keys.0.to_le_bytes());
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out
    }

    /// Read the description of the values of `afterstates`, or describe the damage.
    pub(super) fn from_bytes(
        afterstates: Label,
        bytes: &[u8; ABOUT],
    ) -> Result<Self, &'static str> {
        if crc32fast::hash(&bytes[..16]) != u32_at(bytes, 16) {
            return Err("header: checksum about values differs");
        }
        let objective = match u32_at(bytes, 0) {
            SCORE => Some(Objective::Score),
            MOVES => Some(Objective::Moves),
            tile if tile & SURE != 0 => Objective::sure(tile ^ SURE),
            tile => Objective::of_tile(tile),
        };
        let fraction = u32::from(u16::from_le_bytes([bytes[4], bytes[5]]));
        if fraction > u32::BITS {
            return Err("header: impossible fraction");
        }
        let four = match [bytes[6], bytes[7]] {
            [0, 0] => Some(FourRate::default()),
            [fours, spawns] => FourRate::new(fours.into(), spawns.into())
                .filter(|four| four.ratio() == (fours, spawns) && *four != FourRate::default()),
        };
        Ok(Self {
            afterstates,
            objective: objective.ok_or("header: impossible objective")?,
            fraction,
            four: four.ok_or("header: impossible rate of 4s")?,
            keys: Fingerprint(u64_at(bytes, 8)),
        })
    }
}

/// The contents of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contents {
    /// States or afterstates.
    Boards(Label),
    /// Values of afterstates.
    Values(About),
    /// The afterstates of a layer as matrices.
    Matrices(LayerLabel),
}

impl Contents {
    /// The label of the boards, or of the afterstates that the values belong to.
    pub(crate) fn label(&self) -> Label {
        match self {
            Self::Boards(label) | Self::Matrices(LayerLabel(label)) => *label,
            Self::Values(about) => about.afterstates,
        }
    }

    /// Number of boards, values or matrices in a full block. Values have the blocks of their
    /// afterstates, and a matrix is a block.
    pub(crate) fn block(&self) -> usize {
        match self {
            Self::Matrices(_) => 1,
            Self::Boards(_) | Self::Values(_) => self.label().kind.block(),
        }
    }
}

impl fmt::Display for Contents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boards(label) => label.fmt(f),
            Self::Values(about) => about.fmt(f),
            Self::Matrices(layer) => layer.fmt(f),
        }
    }
}

/// The contents of files that can be joined: [`Label`], [`About`] or [`LayerLabel`].
pub trait FileContents: Copy + PartialEq + fmt::Display {
    /// The noun for the contents in messages.
    const NOUN: &'static str;

    /// The contents, or `None` if they are of another type.
    fn of(contents: Contents) -> Option<Self>;
}

/// Implement [`FileContents`] for a type that is a variant of [`Contents`].
macro_rules! file_contents {
    ($type:ident, $variant:ident, $noun:literal) => {
        impl From<$type> for Contents {
            fn from(contents: $type) -> Self {
                Self::$variant(contents)
            }
        }

        impl FileContents for $type {
            const NOUN: &'static str = $noun;

            fn of(contents: Contents) -> Option<Self> {
                match contents {
                    Contents::$variant(contents) => Some(contents),
                    _ => None,
                }
            }
        }
    };
}

file_contents!(Label, Boards, "boards");
file_contents!(LayerLabel, Matrices, "matrices");
file_contents!(About, Values, "values");
