//! Reads codes from text. [`crate::play`] describes the form, and `code` writes it.
//!
//! Key idea: a game has one code. So a text is read as far as needed to play the game, and is then
//! compared with the code of the game.

use std::str::FromStr;

use super::code::{Code, VERSION, decode_moves, decode_spawns};
use super::others::OtherForm;
use super::refused;
use super::replay::Luck;
use crate::error::{Error, Result};
use crate::game::{Game, Grid};

/// Reads the form that [`Display`](std::fmt::Display) writes, or an [`OtherForm`], and plays the game.
impl FromStr for Code {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        if let Some(form) = OtherForm::of(text) {
            return form.read(text);
        }
        let no_code = || {
            refused(format!(
                "{}: not a code{}: expected one such as s{VERSION}.4x4-2048.SEED.COUNT.MOVES.CHECK or \
                 w{VERSION}.4x4-2048.START.COUNT.MOVES.SPAWNS.CHECK",
                shown(text),
                other_kind(text)
            ))
        };
        let (body, _) = text.rsplit_once('.').ok_or_else(no_code)?;
        let mut fields = body.split('.');
        let form = fields.next().unwrap_or_default();
        let (is_seeded, version) = read_form(form).ok_or_else(no_code)?;
        if version > VERSION {
            return Err(refused(format!(
                "version {version} is newer than this program reads ({VERSION}): use a newer enum48"
            )));
        }
        let mut take = |name: &str| {
            let cut = || refused(format!("it ends before the field {name}: it was cut"));
            fields.next().ok_or_else(cut)
        };
        let game: Game = take("GAME")?.parse()?;
        let start = take("START or SEED")?;
        let count = take("COUNT")?;
        let mut moves = decode_moves(take("MOVES")?)?;
        let number = count.parse().ok().filter(|&number| number <= moves.len());
        moves.truncate(number.ok_or_else(|| {
            let most = moves.len();
            refused(format!(
                "count {}: expected at most {most} moves",
                shown(count)
            ))
        })?);
        let luck = if is_seeded {
            Luck::Seed(start.parse()?)
        } else {
            let mut stones = decode_spawns(start)?;
            let number = game.size().stones() as usize;
            let two = stones.split_off(number.min(stones.len())).try_into();
            Luck::Spawns {
                stones: stones.iter().map(|stone| stone.cell).collect(),
                start: two.map_err(|_| {
                    let start = shown(start);
                    let stones = match number {
                        0 => String::new(),
                        _ => format!("{number} stones, and of "),
                    };
                    refused(format!(
                        "start {start}: expected a character for each of {stones}two tiles"
                    ))
                })?,
                then: decode_spawns(take("SPAWNS")?)?,
            }
        };
        let code = Self::new(game, luck, moves)?;
        let own = code.to_string();
        if own == text {
            return Ok(code);
        }
        let letters = own.bytes().zip(text.bytes());
        let same = letters.take_while(|(own, given)| own == given).count();
        Err(refused(format!(
            "the game is legal, but after {same} characters its code has {}, not {}: it was changed or cut",
            shown(&own[same..]),
            shown(&text[same..])
        )))
    }
}

/// The kind of a text that is no code, for an error; empty if the kind is unknown.
fn other_kind(text: &str) -> &'static str {
    let is_hex = text.len() == 16 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    match text {
        _ if text.starts_with("REPLAY_v1RPL") => ", but a replay of 2048next, which is not read",
        _ if is_hex || text.starts_with("0x") || Grid::size_of(text).is_some() => {
            ", but a board: give it to enum48 best or show"
        }
        _ => "",
    }
}

/// Read the first field, a letter and the version. Returns whether the code is seeded, and the version.
fn read_form(field: &str) -> Option<(bool, u32)> {
    let (letter, version) = field.split_at_checked(1)?;
    match letter {
        "s" | "w" => Some((letter == "s", version.parse().ok()?)),
        _ => None,
    }
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
    use super::super::code::check;
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
            (
                "s01.2x2-8.a.0.",
                "after 1 characters its code has \"1.2x2-8.a.0",
            ),
            ("s0.2x2-8.a.0.", "its code has \"1.2x2-8.a.0"),
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
            ("s1.2x2-8.a.01.A", "after 11 characters its code has \"1.A."),
            ("s1.2x2-8.a.-1.", "count \"-1\": expected at most 0 moves"),
            (
                &format!("s1.2x2-8.a.{huge}."),
                "count \"18446744073709551615\": expected at most 0 moves",
            ),
            (
                &format!("w1.2x2-8.BD.{huge}.A.A"),
                "expected at most 3 moves",
            ),
            ("s1.2x2-8.a.0..A", "its code has \""),
            ("s1.2x2-8.a.0..W.W", "its code has \""),
            ("s1.2x2-8.a.1.B", "its code has \"A."),
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
            ("w1.2x2-8.BD.0...W", "its code has \""),
            ("w1.2x2-8.BD.1.A.A", "move 1: up changes nothing"),
            (
                "w1.L3-16.SUWaceIY.1.w.A",
                "move 1: left changes nothing, or leaves no mask with all its stones",
            ),
            (
                "w1.2x2-8.BD.1.g.E",
                "move 1: a 2 cannot be placed at row 2 column 1: a 4 is there",
            ),
            (
                "w1.2x2-8.BD.1.g.I",
                "move 1: a 2 cannot be placed at cell 4: ",
            ),
            ("w1.2x2-8.BD.1.g.A.W", "its code has \""),
            (
                "w1.2x2-8.BD.1.w.E",
                "move 1: a tile is left over after the last move",
            ),
            ("w1.2x2-8.BD.1.w.", "its code has \"W."),
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
        for (cut, says) in [
            (
                "s1.2x2-16.5.7.PzA.W",
                "its code has \".8619cce7\", not \"\"",
            ),
            (
                "s1.2x2-16.5.7",
                "it ends before the field COUNT: it was cut",
            ),
            (
                "s1.2x2-16.5.7.PzA.W.8619cce7.",
                "its code has \"\", not \".\"",
            ),
            (
                "w1.2x2-8.BD.1.w..W.00000000",
                "after 19 characters its code has \"10f0c486\", not \"00000000\": it was changed or cut",
            ),
        ] {
            let error = read(cut).unwrap_err().to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn a_tile_whose_character_is_w_is_not_a_win() {
        // 2 2 in the first row, left, then a 2 in the last cell of 4x3, whose character is W.
        let code = read(&sealed("w1.4x3.AC.1.w.W")).unwrap();
        assert_eq!(code.end().to_string(), "4 . . / . . . / . . . / . . 2");
        assert_eq!(code.to_string(), sealed("w1.4x3.AC.1.w.W"));
    }
}
