//! The quantity that a player maximises, and how often a spawned tile is a 4, on which its values
//! depend.

use std::fmt;
use std::str::FromStr;

use super::exp::Exp;
use super::variant::text_in_json;
use crate::error::{Error, InputError, Result};

text_in_json!(Objective);
text_in_json!(FourRate);

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
    pub fn of_tile(tile: u32) -> Option<Self> {
        made(tile).map(Self::Tile)
    }

    /// Whether a tile can be forced; `None` unless it is a power of two from 4 to 65536.
    pub fn sure(tile: u32) -> Option<Self> {
        made(tile).map(Self::Sure)
    }

    /// The name of a column of values: `score`, `moves`, `tile_512` or `sure_512`. It is an identifier
    /// in SQL, R and Python, which take the word `512` for a number, and `sure-512` for a difference.
    pub fn column(self) -> String {
        match self {
            Self::Tile(exp) => format!("tile_{}", exp.tile()),
            _ => self.to_string().replace('-', "_"),
        }
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

/// The probability that a spawned tile is a 4, as a reduced ratio; otherwise it is a 2. Games of
/// 2048 have 1/10.
///
/// The rate decides values, never which boards are reached.
///
/// ```
/// use enum48::game::FourRate;
/// let rate: FourRate = "0.2".parse()?;
/// assert_eq!((rate.to_string().as_str(), rate.ratio()), ("1/5", (1, 5)));
/// assert_eq!(FourRate::default().to_string(), "1/10");
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FourRate {
    fours: u8,
    spawns: u8,
}

/// The greatest denominator: then the sum of a board's weighted candidates fits 64 bits.
const MOST_SPAWNS: u64 = 100;

impl FourRate {
    /// `fours` of `spawns` tiles; `None` unless it is at most 1 and its reduced denominator is from
    /// 1 to 100.
    pub fn new(fours: u64, spawns: u64) -> Option<Self> {
        let (mut divisor, mut rest) = (fours, spawns);
        while rest > 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        let spawns = spawns.checked_div(divisor)?;
        (fours / divisor <= spawns && (1..=MOST_SPAWNS).contains(&spawns)).then_some(Self {
            fours: (fours / divisor) as u8,
            spawns: spawns as u8,
        })
    }

    /// The numerator and the denominator.
    pub fn ratio(self) -> (u8, u8) {
        (self.fours, self.spawns)
    }

    /// The weights of a spawned 2 and of a spawned 4.
    pub(crate) fn weights(self) -> [u64; 2] {
        [self.spawns - self.fours, self.fours].map(u64::from)
    }
}

/// One in ten.
impl Default for FourRate {
    fn default() -> Self {
        Self {
            fours: 1,
            spawns: 10,
        }
    }
}

/// `1/10`; `0` and `1` stand alone.
impl fmt::Display for FourRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.fours)?;
        if self.spawns > 1 {
            write!(f, "/{}", self.spawns)?;
        }
        Ok(())
    }
}

/// Reads a ratio, such as `1/5`, or a decimal number, such as `0.2`.
impl FromStr for FourRate {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let digits = |text: &str| {
            let is_number = text.len() <= 9 && text.bytes().all(|digit| digit.is_ascii_digit());
            is_number.then(|| text.parse().ok())?
        };
        let ratio = || match text.split_once(['/', '.']) {
            None => Self::new(digits(text)?, 1),
            Some((whole, part)) if text.contains('.') => {
                let scale = 10u64.pow(u32::try_from(part.len()).ok().filter(|&n| n <= 9)?);
                Self::new(digits(whole)? * scale + digits(part)?, scale)
            }
            Some((fours, spawns)) => Self::new(digits(fours)?, digits(spawns)?),
        };
        ratio().ok_or_else(|| InputError::FourRate(text.to_owned()).into())
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

    #[test]
    fn a_rate_is_read_as_a_ratio_or_as_a_decimal_number() {
        for (text, name) in [
            ("0.1", "1/10"),
            ("1/10", "1/10"),
            ("10/100", "1/10"),
            ("0.125", "1/8"),
            ("0.250000000", "1/4"),
            ("99/100", "99/100"),
            ("1000/3000", "1/3"),
            ("0", "0"),
            ("0.0", "0"),
            ("0/7", "0"),
            ("1", "1"),
            ("1.0", "1"),
            ("7/7", "1"),
        ] {
            let rate: FourRate = text.parse().unwrap();
            assert_eq!(rate.to_string(), name, "{text}");
            assert_eq!(name.parse::<FourRate>().unwrap(), rate);
        }
        let rate: FourRate = "3/8".parse().unwrap();
        assert_eq!((rate.ratio(), rate.weights()), ((3, 8), [5, 3]));
    }

    #[test]
    fn other_texts_and_ratios_are_refused() {
        for text in [
            "",
            "/",
            ".",
            "1.",
            ".5",
            "-1",
            "+1",
            "2",
            "1.1",
            "3/2",
            "1/101",
            "0.123",
            "1/0",
            "0/0",
            "1e-1",
            "10%",
            " 1",
            "0.1000000000",
            "1/2/3",
            "0.1/2",
        ] {
            let refused = text.parse::<FourRate>();
            assert!(
                matches!(refused, Err(Error::Input(InputError::FourRate(of))) if of == text),
                "{text}"
            );
        }
    }
}
