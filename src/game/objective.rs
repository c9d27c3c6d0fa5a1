//! The quantity that a player maximises.

use std::fmt;
use std::str::FromStr;

use super::exp::Exp;
use super::variant::text_in_json;
use crate::error::{Error, InputError, Result};

text_in_json!(Objective);

/// The quantity that a player maximises; the value of a board is its expectation.
///
/// ```
/// use enum48::game::{Exp, Objective};
/// assert_eq!("score".parse::<Objective>()?, Objective::Score);
/// let tile = Objective::Tile(Exp::of_tile(512).unwrap());
/// assert_eq!(tile.to_string(), "512");
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Objective {
    /// The expected score.
    Score,
    /// The expected number of moves.
    Moves,
    /// The chance to reach a tile, from 4 to 65536.
    Tile(Exp),
    /// Whether a tile can be forced: 1 if some play reaches it against every spawn, else 0.
    Sure(Exp),
}

impl Objective {
    /// The chance to reach a tile; `None` unless it is a power of two from 4 to 65536.
    #[must_use]
    pub fn of_tile(tile: u32) -> Option<Self> {
        made(tile).map(Self::Tile)
    }

    /// Whether a tile can be forced; `None` unless it is a power of two from 4 to 65536.
    #[must_use]
    pub fn sure(tile: u32) -> Option<Self> {
        made(tile).map(Self::Sure)
    }
}

/// A tile that a move can make.
fn made(tile: u32) -> Option<Exp> {
    Exp::of_tile(tile).filter(|&exp| exp >= Exp::FOUR)
}

/// The prefix of the names of tiles to be forced.
const SURE: &str = "sure-";

/// `score`, `moves`, the tile, or `sure-` and the tile.
impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Score => f.write_str("score"),
            Self::Moves => f.write_str("moves"),
            Self::Tile(exp) => write!(f, "{}", exp.tile()),
            Self::Sure(exp) => write!(f, "{SURE}{}", exp.tile()),
        }
    }
}

/// Reads only the form that [`fmt::Display`] writes.
impl FromStr for Objective {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text {
            "score" => Some(Self::Score),
            "moves" => Some(Self::Moves),
            name => match name.strip_prefix(SURE) {
                Some(tile) => tile.parse().ok().and_then(Self::sure),
                None => name.parse().ok().and_then(Self::of_tile),
            },
        }
        .filter(|objective| objective.to_string() == text)
        .ok_or_else(|| InputError::Objective(text.to_owned()).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_objective_is_read_back_from_its_name() {
        let tile = |tile| Objective::Tile(Exp::of_tile(tile).unwrap());
        let named = [
            ("score", Objective::Score),
            ("moves", Objective::Moves),
            ("4", tile(4)),
            ("512", tile(512)),
            ("65536", tile(65536)),
            ("sure-4", Objective::sure(4).unwrap()),
            ("sure-512", Objective::sure(512).unwrap()),
        ];
        for (name, objective) in named {
            assert_eq!(objective.to_string(), name);
            assert_eq!(name.parse::<Objective>().unwrap(), objective);
        }
        assert!(named.is_sorted_by_key(|(_, objective)| objective));
    }

    #[test]
    fn other_names_of_objectives_are_refused() {
        for other in [
            "",
            "Score",
            " score",
            "win",
            "0",
            "1",
            "2",
            "3",
            "12",
            "0512",
            "+512",
            "131072",
            "sure",
            "sure-",
            "sure-2",
            "sure-12",
            "sure-064",
            "sure-score",
            "sure-sure-64",
        ] {
            let refused = other.parse::<Objective>();
            assert!(
                matches!(refused, Err(Error::Input(InputError::Objective(text))) if text == other)
            );
        }
    }
}
