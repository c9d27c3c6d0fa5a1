//! Published numbers, with their sources.
//!
//! Two conventions are in use, and each source follows one. Lees-Miller counts live states, plus one
//! for the win and one for the loss where they can be reached; Kaneko, Yamashita and others count
//! live and dead states of the game without a winning tile.

use crate::counts::Totals;
use crate::game::Game;

/// A published figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure {
    /// What was counted.
    pub what: What,
    /// The number.
    pub expected: u64,
}

/// What a figure counts; see [`Totals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Live states, the win and the loss.
    Total,
    /// Live and dead states.
    States,
    /// Dead states.
    Dead,
    /// Boards, counted without symmetry.
    Labeled,
    /// Afterstates.
    Afterstates,
}

impl What {
    /// Its word in tables.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::States => "states",
            Self::Dead => "dead",
            Self::Labeled => "labeled",
            Self::Afterstates => "afterstates",
        }
    }

    /// The same figure of a count.
    #[must_use]
    pub fn of(self, totals: &Totals) -> u64 {
        match self {
            Self::Total => totals.total(),
            Self::States => totals.states(),
            Self::Dead => totals.dead,
            Self::Labeled => totals.labeled,
            Self::Afterstates => totals.afterstates,
        }
    }
}

/// A game that has been counted before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Published {
    /// Its name, as [`Game`] writes it.
    pub game: &'static str,
    /// The winning tile, if there is one.
    pub max: Option<u32>,
    /// The figures.
    pub figures: &'static [Figure],
    /// Who published them.
    pub source: &'static str,
    /// How long counting takes on two cores.
    pub effort: Effort,
}

/// How long a count takes on two cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effort {
    /// Less than a minute.
    Short,
    /// An hour or so.
    Long,
    /// Days, and a disk to match.
    Days,
}

const LEES_MILLER: &str = "Lees-Miller, Counting States by Exhaustive Enumeration, 2017";
const KANEKO: &str = "Kaneko and Yamashita, Strongly Solving 2048 4x3, arXiv 2510.04580, 2025";

const fn figure(what: What, expected: u64) -> Figure {
    Figure { what, expected }
}

/// All of them.
pub const PUBLISHED: &[Published] = &[
    Published {
        game: "2x2-32",
        max: Some(32),
        figures: &[figure(What::Total, 59)],
        source: LEES_MILLER,
        effort: Effort::Short,
    },
    Published {
        game: "2x2",
        max: None,
        figures: &[
            figure(What::States, 110),
            figure(What::Dead, 36),
            figure(What::Labeled, 662),
            figure(What::Afterstates, 67),
        ],
        source: "several, derived independently",
        effort: Effort::Short,
    },
    Published {
        game: "3x3-1024",
        max: Some(1024),
        figures: &[figure(What::Total, 25_179_014)],
        source: LEES_MILLER,
        effort: Effort::Short,
    },
    Published {
        game: "3x3",
        max: None,
        figures: &[
            figure(What::States, 48_713_519),
            figure(What::Dead, 7_388_502),
            figure(What::Afterstates, 31_431_374),
        ],
        source: "github.com/shuymst/solving_2048_on_3x3_board, 2023",
        effort: Effort::Short,
    },
    Published {
        game: "4x4-64",
        max: Some(64),
        figures: &[figure(What::Total, 40_652_843_435)],
        source: LEES_MILLER,
        effort: Effort::Long,
    },
    Published {
        game: "4x3",
        max: None,
        figures: &[
            figure(What::States, 1_152_817_492_752),
            figure(What::Afterstates, 739_648_886_170),
        ],
        source: KANEKO,
        effort: Effort::Days,
    },
];

/// What has been published of a game, if anything.
#[must_use]
pub fn published(game: &Game) -> Option<&'static Published> {
    let name = game.to_string();
    PUBLISHED.iter().find(|published| published.game == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_names_a_game_and_is_found_by_it() {
        for entry in PUBLISHED {
            let size = entry.game.split('-').next().unwrap().parse().unwrap();
            let game = Game::new(size, entry.max).unwrap();
            assert_eq!(published(&game), Some(entry));
        }
    }

    #[test]
    fn a_turned_board_is_the_same_game_under_another_name() {
        // 3x4 has never been published under its own name.
        assert_eq!(
            published(&Game::new("3x4".parse().unwrap(), None).unwrap()),
            None
        );
    }
}
