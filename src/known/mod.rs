//! Published numbers, with their sources.
//!
//! There are two conventions. Lees-Miller counts live states, plus one for the win and one for the
//! loss if they can be reached. Kaneko, Yamashita and others count live and dead states of the game
//! without a winning tile.
//!
//! Lees-Miller also published sixteen games by sum and largest tile. These counts come from the
//! repository of his article; `layer_parts.csv` names the repository and its license. Like the tables
//! of this program, they count live canonical states.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use What::{Afterstates, Dead, Labeled, Layer, Live, Part, States, Total};

use serde::{Serialize, Serializer};

use crate::counts::{Column, Table};
use crate::game::Game;

/// The quantity that a figure counts; see [`crate::counts::Totals`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Live states, the win and the loss.
    Total,
    /// Live states.
    Live,
    /// Live and dead states.
    States,
    /// Dead states.
    Dead,
    /// Boards, counted without symmetry.
    Labeled,
    Afterstates,
    /// Live states of one sum.
    Layer(u32),
    /// Live states of one sum and largest tile.
    Part(u32, u32),
    /// Number of parts that agree with the published parts.
    Parts,
}

/// Names the figure in the tables that the program prints.
impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match self {
            Self::Layer(sum) => format!("sum {sum}"),
            Self::Part(sum, max) => format!("part {sum}/{max}"),
            whole => format!("{whole:?}").to_lowercase(),
        })
    }
}

impl Serialize for What {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl What {
    /// The figure in a table; `None` if the table lacks a column or a layer for it. Most figures
    /// need a complete count.
    pub(crate) fn in_table(self, table: &Table, complete: bool) -> Option<u64> {
        let totals = table.totals();
        let of_layer = |sum, max: Option<u32>| {
            let rows = table.layer(sum).iter();
            let chosen = rows.filter(|row| max.is_none_or(|max| row.max_tile == max));
            (table.last_sum() >= sum || complete).then(|| chosen.map(|row| row.live).sum())
        };
        let whole = |number| complete.then_some(number);
        let (columns, number): (&[Column], _) = match self {
            Self::Layer(sum) => (&[Column::Live], of_layer(sum, None)),
            Self::Part(sum, max) => (&[Column::Live], of_layer(sum, Some(max))),
            // The total has one more if there are wins.
            Self::Total => (
                &[Column::Live, Column::Dead, Column::Wins],
                whole(totals.total()),
            ),
            Self::Live => (&[Column::Live], whole(totals.live)),
            Self::States => (&[Column::Live, Column::Dead], whole(totals.states())),
            Self::Dead => (&[Column::Dead], whole(totals.dead)),
            Self::Labeled => (&[Column::Labeled], whole(totals.labeled)),
            Self::Afterstates => (&[Column::Afterstates], whole(totals.afterstates)),
            // `parts` compares each part.
            Self::Parts => return None,
        };
        number.filter(|_| table.columns().has_all(columns))
    }
}

/// The published figures of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Published {
    /// Name of the game, as [`Game`] writes it.
    pub(crate) game: &'static str,
    /// The game, the counted quantity and the published number of each figure.
    figures: &'static [(&'static str, What, u64)],
    /// The publication.
    pub(crate) source: &'static str,
    /// The command that counts the game.
    pub(crate) effort: Effort,
}

/// The command that counts a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Effort {
    /// `check`.
    Short,
    /// `check --long`.
    Long,
    /// None: a count takes too much time, memory or disk.
    Never,
}

const LEES_MILLER: &str = "Lees-Miller, Counting States by Exhaustive Enumeration, 2017";

/// All published numbers that this program knows, game by game. Lees-Miller published most games by
/// parts, without a total; the sum of the parts is the number of live states.
static FIGURES: [(&str, What, u64); 42] = [
    ("2x2-8", Live, 15),
    ("2x2-16", Live, 35),
    ("2x2-32", Total, 59),
    ("2x2-32", Live, 57),
    ("2x2-64", Live, 74),
    ("2x2-128", Live, 74),
    ("2x2", States, 110),
    ("2x2", Dead, 36),
    ("2x2", Labeled, 662),
    ("2x2", Afterstates, 67),
    ("3x3-8", Live, 1_186),
    ("3x3-16", Live, 16_834),
    ("3x3-32", Live, 124_372),
    ("3x3-64", Live, 594_046),
    ("3x3-128", Live, 2_064_918),
    ("3x3-256", Live, 5_643_584),
    ("3x3-512", Live, 12_789_511),
    ("3x3-1024", Total, 25_179_014),
    ("3x3-1024", Live, 25_179_012),
    ("3x3", States, 48_713_519),
    ("3x3", Dead, 7_388_502),
    ("3x3", Afterstates, 31_431_374),
    ("4x4-16", Live, 23_482_821),
    ("4x4-32", Live, 1_566_798_892),
    ("4x4-64", Total, 40_652_843_435),
    ("4x4-64", Live, 40_652_843_433),
    ("4x4-64", Part(164, 32), 856_386_976),
    ("4x4-64", Layer(348), 4),
    ("4x4-128", Total, 570_715_293_234),
    ("4x4-128", Live, 570_715_293_232),
    ("4x4-128", Dead, 3_689_317_941),
    ("4x4-128", Labeled, 4_595_195_505_042),
    ("4x4-128", Afterstates, 239_836_321_717),
    ("4x4-128", Part(278, 64), 6_192_510_204),
    ("4x4-256", Total, 5_177_707_025_278),
    ("4x4-256", Live, 5_177_707_025_276),
    ("4x4-256", Dead, 72_212_103_598),
    ("4x4-256", Labeled, 41_999_183_087_198),
    ("4x4-256", Afterstates, 2_442_066_619_208),
    ("4x4-256", Part(474, 128), 29_111_153_949),
    ("4x3", States, 1_152_817_492_752),
    ("4x3", Afterstates, 739_648_886_170),
];

/// All games with published figures.
pub(crate) fn all_published() -> impl Iterator<Item = Published> {
    FIGURES.chunk_by(|a, b| a.0 == b.0).map(|figures| {
        let game = figures[0].0;
        let (source, effort) = match game {
            "2x2" => ("several, derived independently", Effort::Short),
            "3x3" => (
                "github.com/shuymst/solving_2048_on_3x3_board, 2023",
                Effort::Short,
            ),
            "4x3" => (
                "Kaneko and Yamashita, Strongly Solving 2048 4x3, arXiv 2510.04580, 2025",
                Effort::Never,
            ),
            "4x4-128" | "4x4-256" => (
                "first counted by enum48, 2026: results/trust.md",
                Effort::Never,
            ),
            "4x4-32" | "4x4-64" => (LEES_MILLER, Effort::Long),
            _ => (LEES_MILLER, Effort::Short),
        };
        Published {
            game,
            figures,
            source,
            effort,
        }
    })
}

/// The published figures of a game, if there are any.
pub(crate) fn published(game: &Game) -> Option<Published> {
    let name = game.to_string();
    all_published().find(|published| published.game == name)
}

/// A published number and the counted number. The fields are keys of `check --json`, in order: add
/// new keys at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Verdict {
    pub(crate) game: Game,
    pub(crate) figure: What,
    pub(crate) expected: u64,
    pub(crate) got: u64,
    pub(crate) agrees: bool,
    /// The publication.
    pub(crate) source: &'static str,
}

/// Compare a table with the published figures of its game, as far as its columns and layers allow.
pub(crate) fn verdicts(game: &Game, table: &Table, complete: bool) -> Vec<Verdict> {
    let verdict = |figure, expected, got, source| Verdict {
        game: *game,
        figure,
        expected,
        got,
        agrees: expected == got,
        source,
    };
    let mut verdicts = Vec::new();
    if let Some(known) = published(game) {
        verdicts.extend(known.figures.iter().filter_map(|&(_, what, expected)| {
            let got = what.in_table(table, complete)?;
            Some(verdict(what, expected, got, known.source))
        }));
    }
    let parts = compare_parts(game, table, complete).into_iter();
    verdicts.extend(parts.map(|(what, expected, got)| verdict(what, expected, got, LEES_MILLER)));
    verdicts
}

/// Live states by sum and largest tile.
type KnownParts = BTreeMap<(u32, u32), u64>;

/// A row of `layer_parts.csv`: the side of the board, the exponent of the winning tile, the sum, the
/// exponent of the largest tile, and the live states.
type PartRecord = (u8, u8, u32, u8, u64);

/// The published parts of a game; empty for all but the sixteen games.
fn known_parts(game: &Game) -> KnownParts {
    let file = include_bytes!("layer_parts.csv");
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .from_reader(&file[..]);
    reader
        .deserialize()
        .map(|record| -> PartRecord { record.expect("a test reads the whole file") })
        .filter(|&(side, win, ..)| {
            let (rows, cols) = (game.size().rows(), game.size().cols());
            [rows, cols] == [side; 2] && game.max() == Some(1 << win)
        })
        .map(|(_, _, sum, largest, live)| ((sum, 1 << largest), live))
        .collect()
}

/// Compare a table with the published parts of its layers: the number of parts that agree, and the
/// first part that differs, each with the published and the counted number. Empty if no parts were
/// published for these layers, or if the table lacks the column `live`.
fn compare_parts(game: &Game, table: &Table, complete: bool) -> Vec<(What, u64, u64)> {
    let last = if complete { u32::MAX } else { table.last_sum() };
    let mut published = known_parts(game);
    published.retain(|&(sum, _), _| sum <= last);
    if published.is_empty() || !table.columns().has(Column::Live) {
        return Vec::new();
    }
    let rows = table.rows().iter();
    let counted: KnownParts = rows
        .filter(|row| row.live > 0)
        .map(|row| ((row.sum, row.max_tile), row.live))
        .collect();
    let keys: BTreeSet<_> = published.keys().chain(counted.keys()).collect();
    let live = |parts: &KnownParts, key| parts.get(key).copied().unwrap_or(0);
    let different: Vec<_> = keys
        .iter()
        .filter(|key| live(&published, key) != live(&counted, key))
        .collect();
    let agreeing = keys.len() - different.len();
    let mut compared = vec![(What::Parts, keys.len() as u64, agreeing as u64)];
    compared.extend(different.first().map(|&&key| {
        let part = What::Part(key.0, key.1);
        (part, live(&published, key), live(&counted, key))
    }));
    compared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Columns, Row};

    #[test]
    fn every_entry_names_a_game_and_is_found_by_it() {
        for entry in all_published() {
            let game: Game = entry.game.parse().unwrap();
            assert_eq!(game.to_string(), entry.game);
            assert_eq!(published(&game), Some(entry));
        }
    }

    #[test]
    fn a_turned_board_has_no_published_figures() {
        // Only 4x3 was published.
        assert_eq!(
            published(&Game::new("3x4".parse().unwrap(), None).unwrap()),
            None
        );
    }

    #[test]
    fn figures_beyond_the_last_layer_are_not_compared() {
        let row = |sum, max_tile, live| Row {
            sum,
            max_tile,
            live,
            ..Row::default()
        };
        let game = "4x4-64".parse().unwrap();
        let table = Table::new([row(164, 16, 5), row(164, 32, 856_386_976), row(166, 32, 7)]);
        let verdicts = |table: &Table| {
            let verdicts = verdicts(&game, table, false);
            verdicts.iter().map(|v| v.agrees).collect::<Vec<_>>()
        };
        // A figure of the article, the parts, and the first part that differs.
        assert_eq!(verdicts(&table), [true, false, false]);
        assert!(verdicts(&table.until(Some(162))).is_empty());
        assert!(!verdicts(&Table::new([row(164, 32, 1)]))[0]);
    }

    fn table(parts: &KnownParts) -> Table {
        let row = |(&(sum, max_tile), &live): (&(u32, u32), &u64)| Row {
            sum,
            max_tile,
            live,
            ..Row::default()
        };
        Table::new(parts.iter().map(row))
    }

    #[test]
    fn the_parts_of_a_game_are_its_published_live_states() {
        let mut games = 0;
        let mut parts = 0;
        for entry in all_published().filter(|entry| entry.source == LEES_MILLER) {
            let known = known_parts(&entry.game.parse().unwrap());
            let live = known.values().sum();
            let found = entry.figures.iter().find(|figure| figure.1 == What::Live);
            assert_eq!(found.map(|figure| figure.2), Some(live), "{}", entry.game);
            games += 1;
            parts += known.len();
        }
        // The rows of the file: each belongs to one of the games.
        assert_eq!((games, parts), (16, 3903));
    }

    #[test]
    fn a_table_is_compared_part_by_part_up_to_its_last_layer() {
        let game = "2x2-32".parse().unwrap();
        let judge = |table: &Table, complete| compare_parts(&game, table, complete);
        let mut parts = known_parts(&game);
        let all = table(&parts);
        assert_eq!(judge(&all, true), [(What::Parts, 25, 25)]);
        assert_eq!(judge(&all.until(Some(8)), false), [(What::Parts, 4, 4)]);
        // In a complete count, a missing layer has no states.
        let first = (What::Part(10, 4), 3, 0);
        assert_eq!(
            judge(&all.until(Some(8)), true),
            [(What::Parts, 25, 4), first]
        );
        parts.insert((8, 8), 1);
        let more = (What::Part(8, 8), 0, 1);
        assert_eq!(judge(&table(&parts), true), [(What::Parts, 26, 25), more]);
    }

    #[test]
    fn a_table_without_live_states_is_not_compared() {
        let game = "2x2-32".parse().unwrap();
        let all = table(&known_parts(&game));
        let columns = Columns::of(&[Column::Sum, Column::MaxTile, Column::Dead]);
        assert!(compare_parts(&game, &all.only(columns), true).is_empty());
    }

    #[test]
    fn other_games_have_no_published_parts() {
        for other in ["2x2", "2x3-32", "4x4-128"] {
            let game = other.parse().unwrap();
            assert!(compare_parts(&game, &table(&KnownParts::new()), true).is_empty());
        }
    }
}
