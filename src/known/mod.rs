//! Published numbers, with their sources.
//!
//! There are two conventions. Lees-Miller counts live states, plus one for the win and one for the
//! loss if they can be reached. Kaneko, Yamashita and others count live and dead states of the game
//! without a winning tile.
//!
//! Lees-Miller also published sixteen games by sum and largest tile. These counts come from the
//! repository of his article; `layer_parts.csv` names the repository and its license. Like the tables
//! of this program, they count live canonical states.

use std::collections::BTreeMap;
use std::fmt;

use What::{Afterstates, Dead, Labeled, Live, States, Total};

use serde::{Serialize, Serializer};

use crate::counts::{Column, Table};
use crate::game::{Game, Size};

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
    /// Read the text that [`fmt::Display`] writes.
    fn parse(text: &str) -> Option<Self> {
        if let Some(sum) = text.strip_prefix("sum ") {
            return Some(Self::Layer(sum.parse().ok()?));
        }
        if let Some(part) = text.strip_prefix("part ") {
            let (sum, max) = part.split_once('/')?;
            return Some(Self::Part(sum.parse().ok()?, max.parse().ok()?));
        }
        let mut whole = [Total, Live, States, Dead, Labeled, Afterstates].into_iter();
        whole.find(|what| what.to_string() == text)
    }

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

/// A published figure.
#[derive(Clone, Copy)]
pub(crate) struct Figure {
    pub(crate) game: Game,
    what: What,
    number: u64,
    pub(crate) effort: Effort,
    /// The publication.
    source: &'static str,
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

/// All published figures that this program knows, game by game.
pub(crate) fn figures() -> impl Iterator<Item = Figure> {
    let lines = include_str!("figures.csv").lines();
    let figures = lines.filter(|line| !line.starts_with('#'));
    figures.map(|line| read(line).expect("a test reads the whole file"))
}

/// Read a line of `figures.csv`.
fn read(line: &'static str) -> Option<Figure> {
    let mut fields = line.splitn(5, ',');
    let mut next = || fields.next();
    Some(Figure {
        game: next()?.parse().ok()?,
        what: What::parse(next()?)?,
        number: next()?.parse().ok()?,
        effort: match next()? {
            "short" => Effort::Short,
            "long" => Effort::Long,
            _ => Effort::Never,
        },
        source: next()?,
    })
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
    let figures = figures().filter(|figure| figure.game == *game);
    let known = figures.filter_map(|figure| {
        let got = figure.what.in_table(table, complete)?;
        Some(verdict(figure.what, figure.number, got, figure.source))
    });
    let mut verdicts: Vec<Verdict> = known.collect();
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
            let is_square = Size::new(side, side).is_ok_and(|size| size == game.size());
            is_square && game.max() == Some(1 << win)
        })
        .map(|(_, _, sum, largest, live)| ((sum, 1 << largest), live))
        .collect()
}

/// Compare a table with the published parts of its layers: the number of parts that agree, and the
/// first part that differs, each with the published and the counted number. Empty if no parts were
/// published for these layers, or if the table lacks the column `live`.
fn compare_parts(game: &Game, table: &Table, complete: bool) -> Vec<(What, u64, u64)> {
    let last = if complete { u32::MAX } else { table.last_sum() };
    let published = known_parts(game).into_iter();
    let published = published.filter(|&((sum, _), _)| sum <= last);
    // The published and the counted number of each part.
    let mut parts: BTreeMap<(u32, u32), [u64; 2]> =
        published.map(|(part, live)| (part, [live, 0])).collect();
    if parts.is_empty() || !table.columns().has(Column::Live) {
        return Vec::new();
    }
    for row in table.rows().iter().filter(|row| row.live > 0) {
        parts.entry((row.sum, row.max_tile)).or_default()[1] = row.live;
    }
    let differs = |(_, [expected, got]): &(&_, &[u64; 2])| expected != got;
    let different: Vec<_> = parts.iter().filter(differs).collect();
    let agreeing = parts.len() - different.len();
    let mut compared = vec![(What::Parts, parts.len() as u64, agreeing as u64)];
    let first = different.first();
    compared.extend(
        first.map(|&(&(sum, max), &[expected, got])| (What::Part(sum, max), expected, got)),
    );
    compared
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counts::{Columns, Row};

    #[test]
    fn every_figure_is_written_as_it_is_read() {
        let effort = |effort| match effort {
            Effort::Short => "short",
            Effort::Long => "long",
            Effort::Never => "never",
        };
        let written: Vec<String> = figures()
            .map(|figure| {
                let (game, number, source) = (figure.game, figure.number, figure.source);
                let (what, effort) = (figure.what.to_string(), effort(figure.effort));
                format!("{game},{what},{number},{effort},{source}")
            })
            .collect();
        let file = include_str!("figures.csv").lines();
        let lines: Vec<&str> = file.filter(|line| !line.starts_with('#')).collect();
        assert_eq!(written, lines);
        let mut games: Vec<Game> = figures().map(|figure| figure.game).collect();
        games.dedup();
        for game in &games {
            let named = games.iter().filter(|other| *other == game);
            assert_eq!(named.count(), 1, "{game}");
        }
    }

    #[test]
    fn a_turned_board_has_no_published_figures() {
        // Only 4x3 was published.
        let turned = Game::new("3x4".parse().unwrap(), None).unwrap();
        assert!(figures().all(|figure| figure.game != turned));
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
        let first = figures().filter(|figure| figure.source == LEES_MILLER);
        for entry in first.filter(|figure| figure.what == What::Live) {
            let known = known_parts(&entry.game);
            let live: u64 = known.values().sum();
            assert_eq!(entry.number, live, "{}", entry.game);
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
