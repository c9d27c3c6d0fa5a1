//! Reads codes from text. [`crate::play`] describes the form, and `code` writes it.

use std::str::FromStr;

use super::code::{Code, GROUP, VERSION, check, decode_moves, decode_spawns};
use super::position::{Spawn, Status};
use super::refused;
use super::replay::Luck;
use crate::error::{Error, InputError, Result};
use crate::game::{Direction, Game};

/// Reads the form that [`Display`](std::fmt::Display) writes, and plays the game.
impl FromStr for Code {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (body, claimed) = text.rsplit_once('.').ok_or_else(|| no_code(text))?;
        let mut fields = body.split('.');
        let is_seeded = read_form(fields.next().unwrap_or_default(), text)?;
        expect_check(claimed)?;
        let mut take = |name: &str| {
            let cut = || refused(format!("it ends before the field {name}: it was cut"));
            fields.next().ok_or_else(cut)
        };
        let game: Game = take("GAME")?.parse()?;
        let start = take("START or SEED")?;
        let count = take("COUNT")?;
        let count = number(count)
            .ok_or_else(|| refused(format!("count {}: not a number of moves", shown(count))))?;
        let moves = read_moves(count, take("MOVES")?)?;
        let luck = if is_seeded {
            Luck::Seed(start.parse()?)
        } else {
            Luck::Spawns {
                then: decode_spawns(take("SPAWNS")?)?,
                start: read_start(start)?,
            }
        };
        let won = match (fields.next(), fields.next()) {
            (None, _) => false,
            (Some("W"), None) => true,
            (Some(extra), _) => return Err(refused(format!("{}: a field too many", shown(extra)))),
        };
        let code = Self::new(game, luck, moves)?;
        check_win(&code, won)?;
        let own = check(body);
        if own != claimed {
            return Err(refused(format!(
                "the game is legal, but the check is {claimed:?}, expected {own}: a character was changed"
            )));
        }
        Ok(code)
    }
}

/// Read the first field: a letter and the version. Returns whether the code is seeded. `text` is the
/// whole code.
fn read_form(field: &str, text: &str) -> Result<bool> {
    let (letter, version) = field.split_at_checked(1).unwrap_or_default();
    let (is_seeded, version) = match (letter, number(version)) {
        ("s" | "w", Some(version)) if version > 0 => (letter == "s", version),
        _ => return Err(no_code(text)),
    };
    if version > u64::from(VERSION) {
        return Err(refused(format!(
            "version {version} is newer than this program reads ({VERSION}): use a newer enum48"
        )));
    }
    Ok(is_seeded)
}

/// Check that a code ends in eight hexadecimal digits.
fn expect_check(claimed: &str) -> Result<()> {
    let is_digit = |c: u8| matches!(c, b'0'..=b'9' | b'a'..=b'f');
    if claimed.len() == 8 && claimed.bytes().all(is_digit) {
        return Ok(());
    }
    Err(refused(format!(
        "it does not end in a check of eight hexadecimal digits, but in {}: it was cut or added to",
        shown(claimed)
    )))
}

fn read_moves(count: u64, text: &str) -> Result<Vec<Direction>> {
    let expected = count.div_ceil(GROUP as u64);
    let length = text.chars().count() as u64;
    if length != expected {
        return Err(refused(format!(
            "{count} moves take {expected} characters, got {length}"
        )));
    }
    let mut moves = decode_moves(text)?;
    let padding = moves.split_off(count as usize);
    if padding.iter().any(|&direction| direction as u8 != 0) {
        return Err(refused(format!(
            "the last character has moves beyond the count of {count}"
        )));
    }
    Ok(moves)
}

fn read_start(text: &str) -> Result<[Spawn; 2]> {
    match decode_spawns(text)?[..] {
        [first, second] => Ok([first, second]),
        _ => Err(refused(format!(
            "start {}: expected two characters, one for each tile",
            shown(text)
        ))),
    }
}

/// Check that a code has `W` if and only if its game is won.
fn check_win(code: &Code, won: bool) -> Result<()> {
    let what = match (won, code.end().status()) {
        (true, Status::Live | Status::Dead) => "the code says that it wins, but it does not",
        (false, Status::Won) => "it wins, but the code does not say so",
        _ => return Ok(()),
    };
    Err(InputError::Code {
        turn: Some(code.moves().len() as u64).filter(|&turn| turn > 0),
        what: what.to_owned(),
    }
    .into())
}

/// A decimal number in the form that this program writes.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

fn no_code(text: &str) -> Error {
    refused(format!(
        "{}: not a code: expected one such as s1.4x4-2048.SEED.COUNT.MOVES.CHECK",
        shown(text)
    ))
}

/// The text in quotes, cut if it is long.
fn shown(text: &str) -> String {
    match text.char_indices().nth(20) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::code::tests::{game, witnessed};
    use super::*;

    fn read(text: &str) -> Result<Code> {
        text.parse()
    }

    /// A code with the right check.
    fn sealed(body: &str) -> String {
        format!("{body}.{}", check(body))
    }

    #[test]
    fn every_character_replaced_dropped_or_added_is_an_error() {
        let game = game("2x3-16", 3, 30);
        for text in [game.to_string(), witnessed(&game).to_string()] {
            assert!(read(&text).is_ok());
            let letters: Vec<char> = text.chars().collect();
            for at in 0..=letters.len() {
                let with = |put: Option<char>, skip: usize| {
                    let (before, after) =
                        (&letters[..at], &letters[(at + skip).min(letters.len())..]);
                    before.iter().chain(&put).chain(after).collect::<String>()
                };
                for other in (0..128u8).map(char::from).chain(['\u{e4}', '\u{1f3b2}']) {
                    let changed = with(Some(other), 1);
                    assert!(changed == text || read(&changed).is_err(), "{changed}");
                    assert!(read(&with(Some(other), 0)).is_err());
                }
                assert!(at == letters.len() || read(&with(None, 1)).is_err());
                assert!(
                    at == letters.len() || read(&letters[..at].iter().collect::<String>()).is_err()
                );
            }
        }
    }

    #[test]
    fn errors_name_the_move() {
        let huge = u64::MAX.to_string();
        for (body, says) in [
            ("", "not a code"),
            ("hello", "not a code"),
            (
                "s2.2x2-8.a.0.",
                "version 2 is newer than this program reads (1)",
            ),
            ("s01.2x2-8.a.0.", "not a code"),
            ("s1", "it ends before the field GAME"),
            (
                "w1.2x2-8.BD.1.g.!",
                "character 1 of the tiles, '!', is not in the alphabet",
            ),
            ("s1.2x2-8.a.0", "it ends before the field MOVES"),
            ("s1.9x9.a.0.", "size 9x9"),
            ("s1.2x2-9.a.0.", "max 9"),
            ("s1.2x2-08.a.0.", "not a game's name"),
            ("s1.2x2-8.A.0.", "seed \"A\""),
            ("s1.2x2-8.a.01.A", "count \"01\": not a number of moves"),
            ("s1.2x2-8.a.-1.", "count \"-1\": not a number of moves"),
            (
                &format!("s1.2x2-8.a.{huge}."),
                "moves take 6148914691236517205 characters, got 0",
            ),
            (&format!("w1.2x2-8.BD.{huge}.A.A"), "moves take"),
            ("s1.2x2-8.a.4.AA.A", "a field too many"),
            ("s1.2x2-8.a.0..W.W", "a field too many"),
            (
                "s1.2x2-8.a.1.B",
                "the last character has moves beyond the count of 1",
            ),
            (
                "s1.2x2-8.a.3._",
                "character 1 of the moves, '_', is not in the alphabet",
            ),
            ("w1.2x2-8.DB.0..", "the lesser cell first"),
            ("w1.2x2-8.BB.0..", "the lesser cell first"),
            ("w1.2x2-8.B.0..", "start \"B\""),
            (
                "w1.2x2-8.BI.0..",
                "a 2 cannot be placed at cell 4: 2x2 has the cells 0 to 3",
            ),
            (
                "w1.2x2-8.BD.1.g.",
                "move 1: no tile follows, though it does not win",
            ),
            (
                "w1.2x2-8.BD.0..A",
                "a tile is left over after the last move",
            ),
            (
                "w1.2x2-8.BD.1.g.AA",
                "move 1: a tile is left over after the last move",
            ),
            (
                "w1.2x2-8.BD.0...W",
                "code: the code says that it wins, but it does not",
            ),
            ("w1.2x2-8.BD.1.A.A", "move 1: up changes nothing"),
            (
                "w1.2x2-8.BD.1.g.E",
                "move 1: a 2 cannot be placed at row 2 column 1: a 4 is there",
            ),
            (
                "w1.2x2-8.BD.1.g.I",
                "move 1: a 2 cannot be placed at cell 4: ",
            ),
            ("w1.2x2-8.BD.1.g.A.W", "move 1: the code says"),
            (
                "w1.2x2-8.BD.1.w.E",
                "move 1: a tile is left over after the last move",
            ),
            (
                "w1.2x2-8.BD.1.w.",
                "move 1: it wins, but the code does not say so",
            ),
            (
                "w1.2x2-8.BD.2.w.E.W",
                "move 2: the move before it won the game",
            ),
            (
                "w1.2x2-16.AC.2.8.AA",
                "move 1: a 2 cannot be placed at row 1 column 1: a 4 is there",
            ),
        ] {
            let error = read(&sealed(body)).unwrap_err().to_string();
            assert!(error.contains(says), "{body}: {error}");
        }
        for cut in [
            "s1.2x2-16.5.7.PzA.W",
            "s1.2x2-16.5.7",
            "s1.2x2-16.5.7.PzA.W.8619cce7.",
        ] {
            let error = read(cut).unwrap_err().to_string();
            assert!(error.contains("it does not end in a check"), "{error}");
        }
        let error = read("w1.2x2-8.BD.1.w..W.00000000").unwrap_err().to_string();
        assert!(
            error.ends_with("expected 10f0c486: a character was changed"),
            "{error}"
        );
    }

    #[test]
    fn a_tile_whose_character_is_w_is_not_a_win() {
        // 2 2 in the first row, left, then a 2 in the last cell of 4x3, whose character is W.
        let code = read(&sealed("w1.4x3.AC.1.w.W")).unwrap();
        assert_eq!(code.end().to_string(), "4 . . / . . . / . . . / . . 2");
        assert_eq!(code.to_string(), sealed("w1.4x3.AC.1.w.W"));
    }
}
