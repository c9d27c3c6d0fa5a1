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

use super::code::{Code, numbers};
use super::position::Spawn;
use super::refused;
use super::replay::Luck;
use crate::error::{Error, InputError, Result};
use crate::game::{Direction, Game, Size};

/// The characters of a code of 2048verse; each stands for its position.
const VERSE: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz\
                     {|}~ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒá";
const VERSE_2026: &str = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ\
                          ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞßàáâãäåæçèéêëìíîïðñòóôõö÷øùúûüýþÿ¤¾";

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

/// A move and the tile placed after it. The moves of the first two tiles mean nothing.
type Placed = (Direction, Spawn);

impl OtherForm {
    /// The form that a text seems to have; `None` for codes of this program and other texts.
    pub fn of(text: &str) -> Option<Self> {
        if text.starts_with(REPLAY) {
            return Some(Self::Verse);
        }
        if verse_2026(text).is_some() {
            return Some(Self::Verse2026);
        }
        let mut records = text.lines().map(|line| line.split('#').next());
        let first = records.find_map(|record| record?.split_whitespace().next())?;
        let begins = ["start", "U", "R", "D", "L"].contains(&first);
        begins.then_some(Self::Certificate)
    }

    /// A text without the space around it. Space at the end of a code of 2048verse is a part of it.
    pub fn trimmed(text: &str) -> &str {
        match Self::of(text.trim_start()) {
            Some(Self::Verse) => text.trim_start().trim_end_matches(['\r', '\n']),
            _ => text.trim(),
        }
    }

    /// Read a game, and play it.
    pub(super) fn read(self, text: &str) -> Result<Code> {
        let (name, steps) = match self {
            Self::Verse => ("a code of 2048verse", read_verse(text)),
            Self::Verse2026 => ("a code of 2048verse since 2026", read_verse_2026(text)),
            Self::Certificate => ("a certificate: @FILE reads one", read_certificate(text)),
        };
        let code = steps.and_then(|(size, steps)| play(size, steps));
        code.map_err(|error| match error {
            Error::Input(InputError::Code { turn, what }) => {
                let what = format!("{what} (it looks like {name})");
                InputError::Code { turn, what }.into()
            }
            other => other,
        })
    }
}

fn play(size: Size, mut steps: Vec<Placed>) -> Result<Code> {
    if steps.len() < 2 {
        return Err(refused("it ends before the two tiles of the start".into()));
    }
    let (moves, then) = steps.split_off(2).into_iter().unzip();
    let mut start = [steps[0].1, steps[1].1];
    start.sort_by_key(|spawn| spawn.cell);
    let luck = Luck::Spawns {
        stones: Vec::new(),
        start,
        then,
    };
    Code::new(Game::new(size, None)?, luck, moves)
}

/// A move and the tile after it, at a row and a column from 0. To play the game refuses other tiles
/// than 2 and 4, and cells that the board does not have.
fn step(direction: usize, [row, column, tile]: [u8; 3], size: Size) -> Placed {
    let cell = row
        .checked_mul(size.cols())
        .filter(|_| column < size.cols());
    let cell = cell.map_or(u8::MAX, |first| first.saturating_add(column));
    (Direction::ALL[direction], Spawn { cell, tile })
}

fn read_verse(text: &str) -> Result<(Size, Vec<Placed>)> {
    let tiles = text.strip_prefix(REPLAY).unwrap_or(text);
    let mut small = ["2x4", "3x3", "3x4"].into_iter();
    let small = small.find_map(|name| Some((name, tiles.strip_prefix(name)?)));
    let (size, tiles) = small.unwrap_or(("4x4", tiles));
    let size = size.parse()?;
    let position = |letter| VERSE.chars().position(|other| other == letter);
    let read = |number: u8| {
        let spawn = [number & 3, number >> 2 & 3, 2 << (number >> 4 & 1)];
        step(usize::from(number >> 5), spawn, size)
    };
    let steps = numbers(tiles, position, "tiles").map(|number| number.map(read));
    Ok((size, steps.collect::<Result<_>>()?))
}

/// The size and the tiles of a code of 2048verse since 2026.
fn verse_2026(text: &str) -> Option<(Size, &str)> {
    let (size, rest) = text.split_once('-')?;
    let (_, tiles) = rest.split_once('_')?;
    let size = size.parse().ok().filter(|_| size.contains('x'))?;
    Some((size, tiles))
}

fn read_verse_2026(text: &str) -> Result<(Size, Vec<Placed>)> {
    let (size, tiles) = verse_2026(text).ok_or_else(|| refused("no board size".into()))?;
    let position = |letter| VERSE_2026.chars().position(|other| other == letter);
    let numbers: Vec<u8> = numbers(tiles, position, "tiles").collect::<Result<_>>()?;
    let (tiles, cut) = numbers.as_chunks();
    if !cut.is_empty() {
        return Err(refused(
            "expected three characters for each tile: it was cut".into(),
        ));
    }
    // The other bits are the time of the move.
    let read = |&[_, high, low]: &[u8; 3]| {
        let spawn = [high & 7, low >> 4, 2 << (low >> 2 & 3)];
        // Up, down, left, right.
        step([0, 2, 3, 1][usize::from(low & 3)], spawn, size)
    };
    Ok((size, tiles.iter().map(read).collect()))
}

/// The lines of a certificate that are not empty, with their numbers, as words without comments.
fn records(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    let records = text.lines().map(|line| {
        let record = line.split('#').next().unwrap_or_default();
        record.split_whitespace().collect()
    });
    (1..)
        .zip(records)
        .filter(|(_, words): &(_, Vec<&str>)| !words.is_empty())
}

fn read_certificate(text: &str) -> Result<(Size, Vec<Placed>)> {
    let (size, mut steps) = (Size::new(4, 4)?, Vec::new());
    for (line, words) in records(text) {
        let names = match steps.len() {
            0 | 1 => &["start"][..],
            _ => &["U", "R", "D", "L"],
        };
        let direction = names.iter().position(|name| *name == words[0]);
        let numbers = words[1..].iter().map(|word| word.parse::<u8>().ok());
        let numbers: Option<Vec<_>> = numbers.collect();
        let spawn = numbers.and_then(|numbers| numbers.try_into().ok());
        let (Some(direction), Some(spawn)) = (direction, spawn) else {
            let names = names.join(" or ");
            return Err(refused(format!(
                "line {line}: expected {names}, then a row, a column and a tile"
            )));
        };
        steps.push(step(direction, spawn, size));
    }
    Ok((size, steps))
}

impl Code {
    /// The game as a certificate, a line for each tile. A move that wins has no tile; the certificate
    /// puts a 2 into the first empty cell, and says so.
    ///
    /// # Errors
    ///
    /// [`InputError::Code`] if the board is not 4x4, or has stones.
    pub fn certificate(&self) -> Result<String> {
        let size = self.game().size();
        if size.cells() != 16 || size.stones() > 0 {
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
        ("replay_2x4,8aH=a1ë@5", "2 . 16 2 / . 4 . 4", 8),
        (
            "2x4-abc_XêMKUAvã1ÛgzapQÅx1òV4ßEyAú3f9k",
            "2 . 16 2 / . 4 . 4",
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
        let stones = read("w1.free6-16.EIMQSUWYacPf.2.I.fD.44f4a380").unwrap();
        assert_eq!(
            stones.certificate().unwrap_err().to_string(),
            "code: certificates are of 4x4, not of free6"
        );
    }

    #[test]
    fn what_cannot_be_read_names_its_form() {
        for (text, fault) in [
            (
                "replay_!%€",
                "code: character 3 of the tiles, '€', is not in the alphabet (it looks like a code of 2048verse)",
            ),
            ("replay_", "the start (it looks like a code of 2048verse)"),
            (
                "replay_3x3 /",
                "a 2 cannot be placed at cell 255: 3x3 has the cells 0 to 8",
            ),
            ("replay_!% ", "move 1: a 2 cannot be placed"),
            (
                "4x4-abc_ûF0OÓ",
                "expected three characters for each tile: it was cut",
            ),
            (
                "4x4-_!F0",
                "'!', is not in the alphabet (it looks like a code of 2048verse since 2026)",
            ),
            (
                "start 0 0 2\nstart 0 0 2",
                "(it looks like a certificate: @FILE reads one)",
            ),
            (
                "start 0 0 2\nL 0 1 2",
                "line 2: expected start, then a row, a column and a tile",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nX 0 1 2",
                "line 3: expected U or R or D or L, then a row",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nL 0 4 2",
                "move 1: a 2 cannot be placed at cell 255: 4x4 has",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nL 0 1",
                "line 3: expected U or R or D or L, then a row",
            ),
            ("start 0 0 2 2", "line 1: expected start, then a row"),
            (
                "start 0 0 2\nstart 0 1 2\nL 0 1 8",
                "the tile 8 cannot be placed",
            ),
            (
                "start 0 0 2\nstart 0 1 2\nU 0 3 2",
                "move 1: up changes nothing",
            ),
            (
                "L 1 1 2",
                "line 1: expected start, then a row, a column and a tile (it looks like a certificate",
            ),
            (
                "REPLAY_v1RPL_B64_UlBM",
                "a replay of 2048next, which is not read",
            ),
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
