//! Games in the forms of other programs: two codes of 2048verse, and certificates.
//!
//! | form | text |
//! |---|---|
//! | code of 2048verse | `replay_`, then `2x4`, `3x3` or `3x4` on a smaller board, then a character a tile |
//! | code of 2048verse since 2026 | `3x3-`, anything without `_`, `_`, then three characters a tile |
//! | certificate | `start ROW COL VALUE` twice, then lines such as `L ROW COL VALUE`, from 0 |
//!
//! All write a game without a winning tile: two tiles, and then a move and a tile each. The definitions
//! are 2048Verse/2048-replay-utils (`src/index.ts`), game-difficulty/2048EndgameTablebase
//! (`backend/analysis_core.py`) and DomTheDeveloper/2048-undo (`witness/README.md`).

use super::code::Code;
use super::position::Spawn;
use super::refused;
use super::replay::Luck;
use crate::error::{Error, InputError, Result};
use crate::game::{Direction, Game, Size};

/// The characters of a code of 2048verse after those of ASCII, which begin with the space.
const AFTER_ASCII: &str = "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒá";

/// The beginning of a code of 2048verse.
const REPLAY: &str = "replay_";

/// A form of another program, which a text seems to have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherForm {
    /// A code of 2048verse.
    Verse,
    /// A code of 2048verse since 2026.
    Verse2026,
    /// A certificate of 2048-undo.
    Certificate,
}

/// A move and the tile after it. The moves of the first two tiles mean nothing.
type Step = (Direction, Spawn);

impl OtherForm {
    /// The form that a text seems to have; `None` for codes of this program and other texts.
    pub fn of(text: &str) -> Option<Self> {
        let mut records = records(text);
        if text.starts_with(REPLAY) {
            Some(Self::Verse)
        } else if verse_2026(text).is_some() {
            Some(Self::Verse2026)
        } else if records.next()?.1[0] == "start" {
            Some(Self::Certificate)
        } else {
            None
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Verse => "a code of 2048verse",
            Self::Verse2026 => "a code of 2048verse since 2026",
            Self::Certificate => "a certificate",
        }
    }

    /// Read a game, and play it.
    pub(super) fn read(self, text: &str) -> Result<Code> {
        let steps = match self {
            Self::Verse => read_verse(text),
            Self::Verse2026 => read_verse_2026(text),
            Self::Certificate => read_certificate(text),
        };
        let code = steps.and_then(|(size, steps)| play(size, steps));
        code.map_err(|error| match error {
            Error::Input(InputError::Code { turn, what }) => {
                let what = format!("{what} (it looks like {})", self.name());
                InputError::Code { turn, what }.into()
            }
            other => other,
        })
    }
}

fn play(size: Size, mut steps: Vec<Step>) -> Result<Code> {
    if steps.len() < 2 {
        return Err(refused("it ends before the two tiles of the start".into()));
    }
    let (moves, then) = steps.split_off(2).into_iter().unzip();
    let mut start = [steps[0].1, steps[1].1];
    start.sort_by_key(|spawn| spawn.cell);
    Code::new(Game::new(size, None)?, Luck::Spawns { start, then }, moves)
}

/// A step, if its cell is on the board; `at` names its place in the text.
fn step(
    direction: Direction,
    (row, column): (u32, u32),
    tile: u8,
    size: Size,
    at: &str,
) -> Result<Step> {
    let (rows, columns) = (u32::from(size.rows()), u32::from(size.cols()));
    if row >= rows || column >= columns {
        return Err(refused(format!(
            "{at}: row {row} column {column}, from 0: {size} has no such cell"
        )));
    }
    let cell = (row * columns + column) as u8;
    Ok((direction, Spawn { cell, tile }))
}

fn read_verse(text: &str) -> Result<(Size, Vec<Step>)> {
    let tiles = text.strip_prefix(REPLAY).unwrap_or(text);
    let mut small = ["2x4", "3x3", "3x4"].into_iter();
    let small = small.find_map(|name| Some((name, tiles.strip_prefix(name)?)));
    let (size, tiles) = small.unwrap_or(("4x4", tiles));
    let size: Size = size.parse()?;
    let letters = || (' '..='~').chain(AFTER_ASCII.chars());
    let read = |(at, letter)| {
        let at = format!("character {at} of the tiles, {letter:?}");
        let number = letters().zip(0u8..).find(|&(other, _)| other == letter);
        let (_, number) = number.ok_or_else(|| refused(format!("{at}: not in the alphabet")))?;
        let place = (u32::from(number & 3), u32::from(number >> 2 & 3));
        let tile = if number >> 4 & 1 == 0 { 2 } else { 4 };
        step(
            Direction::ALL[usize::from(number >> 5)],
            place,
            tile,
            size,
            &at,
        )
    };
    let steps = (1..).zip(tiles.chars()).map(read);
    Ok((size, steps.collect::<Result<_>>()?))
}

/// The size and the tiles of a code of 2048verse since 2026.
fn verse_2026(text: &str) -> Option<(Size, &str)> {
    let (size, rest) = text.split_once('-')?;
    let (_, tiles) = rest.split_once('_')?;
    let size = size.parse().ok().filter(|_| size.contains('x'))?;
    Some((size, tiles))
}

fn read_verse_2026(text: &str) -> Result<(Size, Vec<Step>)> {
    // Up, down, left, right.
    const MOVES: [Direction; 4] = [
        Direction::Up,
        Direction::Down,
        Direction::Left,
        Direction::Right,
    ];
    let (size, tiles) = verse_2026(text).ok_or_else(|| refused("no board size".into()))?;
    let letters = ('0'..='9').chain('a'..='z').chain('A'..='Z');
    let letters: Vec<char> = letters.chain('À'..='ÿ').chain("¤¾".chars()).collect();
    let mut numbers = Vec::new();
    for (at, letter) in (1..).zip(tiles.chars()) {
        let number = letters.iter().position(|&other| other == letter);
        numbers.push(number.ok_or_else(|| {
            refused(format!(
                "character {at} of the tiles, {letter:?}: not in the alphabet"
            ))
        })? as u32);
    }
    let read = |(at, number): (usize, &[u32])| {
        let at = format!("tile {at}");
        let &[high, middle, low] = number else {
            return Err(refused(format!(
                "{at}: expected three characters: it was cut"
            )));
        };
        // The rest is the time of the move.
        let bits = high << 14 | middle << 7 | low;
        let tile = 2 << (bits >> 2 & 3);
        let place = (bits >> 7 & 7, bits >> 4 & 7);
        step(MOVES[(bits & 3) as usize], place, tile, size, &at)
    };
    let steps = (1..).zip(numbers.chunks(3)).map(read);
    Ok((size, steps.collect::<Result<_>>()?))
}

/// The lines of a certificate that are not empty, with their numbers, as words without comments.
fn records(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let records = text.lines().map(|line| match line.split_once('#') {
        Some((record, _)) => record.split_whitespace().collect(),
        None => line.split_whitespace().collect(),
    });
    (1..)
        .zip(records)
        .filter(|(_, words): &(_, Vec<&str>)| !words.is_empty())
}

fn read_certificate(text: &str) -> Result<(Size, Vec<Step>)> {
    let (size, mut steps) = (Size::new(4, 4)?, Vec::new());
    for (line, words) in records(text) {
        let at = format!("line {line}");
        let numbers: Result<Vec<u32>, _> = words[1..].iter().map(|word| word.parse()).collect();
        let Ok(&[row, column, tile]) = numbers.as_deref() else {
            return Err(refused(format!(
                "{at}: expected a row, a column and a tile"
            )));
        };
        let direction = match (words[0], steps.len()) {
            ("start", 0 | 1) | ("U", 2..) => Direction::Up,
            ("R", 2..) => Direction::Right,
            ("D", 2..) => Direction::Down,
            ("L", 2..) => Direction::Left,
            (_, 0 | 1) => return Err(refused(format!("{at}: expected start and a tile"))),
            (other, _) => {
                return Err(refused(format!(
                    "{at}: {other:?}: expected U, R, D or L and a tile"
                )));
            }
        };
        let tile = u8::try_from(tile).unwrap_or(0);
        steps.push(step(direction, (row, column), tile, size, &at)?);
    }
    Ok((size, steps))
}

impl Code {
    /// The game as a certificate, a line for each tile. A move that wins has no tile; the certificate
    /// puts a 2 into the first empty cell, and says so.
    ///
    /// # Errors
    ///
    /// [`InputError::Code`] if the board is not 4x4.
    pub fn certificate(&self) -> Result<String> {
        let size = self.game().size();
        if size.cells() != 16 {
            return Err(refused(format!("certificates are of 4x4, not of {size}")));
        }
        let line =
            |word: &str, Spawn { cell, tile }| format!("{word} {} {} {tile}\n", cell / 4, cell % 4);
        let replay = self.replay();
        let mut text = String::new();
        for (cell, tile) in (0..).zip(replay.position().tiles()) {
            if tile > 0 {
                let tile = tile as u8;
                text += &line("start", Spawn { cell, tile });
            }
        }
        for turn in replay.map_while(Result::ok) {
            let spawn = turn.spawn.unwrap_or_else(|| {
                text += "# The move that wins is followed by no tile; this 2 is added.\n";
                let cell = turn.position.empty().next().unwrap_or_default();
                Spawn { cell, tile: 2 }
            });
            text += &line(&turn.direction.name()[..1].to_uppercase(), spawn);
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games that a second program encoded, which was written from the definitions, with the last board.
    const KNOWN: [(&str, &str, usize); 8] = [
        ("replay_!%ÿƒT6;cà,CèKl", END, 12),
        (
            "4x4-abc_ûF0OÓg93mKÌSö0n4ÜkTÍA8õ1bÚi7òMûb3ÒÛyËÅz6MN",
            END,
            12,
        ),
        ("replay_3x3 (Ieïøy`eèD!", ". 2 4 / 2 4 16 / . . .", 10),
        (
            "3x3-abc_5Ú0BgwiNzË9hÉäydiCLÛBÈ81Ê9hÑ1yÁÚjåN0",
            ". 2 4 / 2 4 16 / . . .",
            10,
        ),
        ("replay_2x4,8aH=a1ë@5", "2 . 16 . / 2 . 4 .", 8),
        (
            "2x4-abc_XêMKUAvã1ÛgzapQÅx1òV4ßEyAú3f9k",
            "2 . 16 . / 2 . 4 .",
            8,
        ),
        ("replay_3x4,4h0èNhlaA", ". . . . / 2 . 2 4 / . . . 16", 8),
        (
            "3x4-abc_lMMjEkRúxý04ãËyHìPÎExÌUN8û1úË3",
            ". . . . / 2 . 2 4 / . . . 16",
            8,
        ),
    ];
    const END: &str = ". . . 2 / . . . . / . . 16 2 / 8 4 2 4";

    /// The first game.
    const CERTIFICATE: &str = "start 1 0 2\nstart 1 1 2\nL 3 1 4\nL 2 3 4\nR 0 1 4\nU 2 1 4\n\
                               U 3 2 4\nD 3 0 2\nL 0 1 2\nU 0 3 2\nR 3 0 2\nL 1 2 2\nR 3 2 2\n\
                               D 0 3 2\n";

    fn read(text: &str) -> Result<Code> {
        text.parse()
    }

    #[test]
    fn games_of_other_programs_are_read() {
        for (text, end, moves) in KNOWN {
            let code = read(text).unwrap();
            assert_eq!(code.end().to_string(), end, "{text}");
            assert_eq!(code.moves().len(), moves);
            assert_eq!(read(&code.to_string()).unwrap(), code);
        }
        assert_eq!(read(KNOWN[0].0).unwrap(), read(KNOWN[1].0).unwrap());
    }

    #[test]
    fn certificates_are_read_and_written() {
        let code = read(CERTIFICATE).unwrap();
        assert_eq!(code, read(KNOWN[0].0).unwrap());
        assert_eq!(code.certificate().unwrap(), CERTIFICATE);
        let noted = CERTIFICATE
            .replace("\nL 3", "\n\n# first\n  L 3")
            .replace("D 0 3 2", "D 0 3 2 # last");
        assert_eq!(read(&format!("# a game\n{noted}")).unwrap(), code);
        let won = read("w1.4x4-8.BD.1.w..W.92efcfa9").unwrap();
        let certificate = won.certificate().unwrap();
        assert_eq!(
            certificate,
            "start 0 0 4\nstart 0 1 4\n\
             # The move that wins is followed by no tile; this 2 is added.\nL 0 1 2\n"
        );
        let again = read(&certificate).unwrap();
        assert_eq!(
            again.end().to_string(),
            "8 2 . . / . . . . / . . . . / . . . ."
        );
        let small = read(KNOWN[2].0).unwrap().certificate().unwrap_err();
        assert_eq!(
            small.to_string(),
            "code: certificates are of 4x4, not of 3x3"
        );
    }

    #[test]
    fn what_cannot_be_read_names_its_form() {
        for (text, fault) in [
            (
                "replay_!%€",
                "code: character 3 of the tiles, '€': not in the alphabet (it looks like a code of 2048verse)",
            ),
            ("replay_", "the start (it looks like a code of 2048verse)"),
            (
                "replay_3x3 /",
                "row 3 column 3, from 0: 3x3 has no such cell",
            ),
            ("replay_!% ", "move 1: a 2 cannot be placed"),
            (
                "4x4-abc_ûF0OÓ",
                "tile 2: expected three characters: it was cut",
            ),
            (
                "4x4-_!F0",
                "'!': not in the alphabet (it looks like a code of 2048verse since 2026)",
            ),
            ("start 0 0 2\nstart 0 0 2", "(it looks like a certificate)"),
            ("start 0 0 2\nL 0 1 2", "line 2: expected start and a tile"),
            (
                "start 0 0 2\nstart 0 1 2\nX 0 1 2",
                "line 3: \"X\": expected U, R, D or L",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nL 0 4 2",
                "line 3: row 0 column 4, from 0",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nL 0 1",
                "line 3: expected a row, a column and a tile",
            ),
            (
                "start 0 0 2 2",
                "line 1: expected a row, a column and a tile",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nL 0 1 8",
                "the tile 8 cannot be placed",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nU 0 3 2",
                "move 1: up changes nothing",
            ),
            ("L 1 1 2", "a line of a certificate: give @FILE"),
            ("0x2310", "a board: give it to enum48 best or show"),
            (
                "0123456789abcde0",
                "a board: give it to enum48 best or show",
            ),
        ] {
            let refused = read(text).unwrap_err().to_string();
            assert!(refused.contains(fault), "{text}: {refused}");
        }
    }
}
