//! The description of a file of values, in its header.

use std::fmt;

use super::fingerprint::Fingerprint;
use super::label::Label;
use super::little_endian::{u32_at, u64_at};
use crate::game::Objective;

/// Bytes that are added to the header of a file of values.
pub(crate) const ABOUT: usize = 20;

/// Codes of the objectives that are not tiles.
const SCORE: u32 = 0;
const MOVES: u32 = 1;

/// Describes a file of values: a value for each afterstate of a part, in the order of the
/// afterstates.
///
/// The values belong to a part of afterstates if its label is `afterstates` and its fingerprint is
/// `keys`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    /// The afterstates that have the values.
    pub afterstates: Label,
    /// The objective that the values are for.
    pub objective: Objective,
    /// Bits after the binary point, at most 32: the number `value` stands for `value /
    /// 2^fraction`.
    pub fraction: u32,
    /// Fingerprint of the afterstates.
    pub keys: Fingerprint,
}

/// `values (score) of afterstates of 3x3-1024, sum 164, largest tile 32`.
impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "values ({}) of {}", self.objective, self.afterstates)
    }
}

impl About {
    pub(crate) fn to_bytes(self) -> [u8; ABOUT] {
        let objective = match self.objective {
            Objective::Score => SCORE,
            Objective::Moves => MOVES,
            Objective::Tile(exp) => exp.tile(),
        };
        let mut out = Vec::with_capacity(ABOUT);
        out.extend(objective.to_le_bytes());
        out.extend(self.fraction.to_le_bytes());
        out.extend(self.keys.0.to_le_bytes());
        out.extend(crc32fast::hash(&out).to_le_bytes());
        out.try_into().expect("the fields fill the bytes")
    }

    /// Read the description of the values of `afterstates`, or describe the damage.
    pub(crate) fn from_bytes(
        afterstates: Label,
        bytes: &[u8; ABOUT],
    ) -> Result<Self, &'static str> {
        if crc32fast::hash(&bytes[..16]) != u32_at(bytes, 16) {
            return Err("header: checksum about values differs");
        }
        let objective = match u32_at(bytes, 0) {
            SCORE => Some(Objective::Score),
            MOVES => Some(Objective::Moves),
            tile => Objective::of_tile(tile),
        };
        let fraction = u32_at(bytes, 4);
        if fraction > u32::BITS {
            return Err("header: impossible fraction");
        }
        Ok(Self {
            afterstates,
            objective: objective.ok_or("header: impossible objective")?,
            fraction,
            keys: Fingerprint(u64_at(bytes, 8)),
        })
    }
}
