//! Reading and writing codes. Their form is described in [`crate::play`].

use std::fmt;
use std::str::FromStr;

use super::chance::Luck;
use super::code::Code;
use super::position::{Spawn, Status};
use super::{moves, spawns};
use crate::error::{Error, Result};
use crate::game::{Direction, Game};

/// The latest version of the codes.
const VERSION: u32 = 1;

impl Code {
    /// All but the check.
    fn body(&self) -> String {
        let (game, count) = (self.game(), self.moves().len());
        let moves = moves::encode(self.moves());
        let won = if self.end().status() == Status::Won {
            ".W"
        } else {
            ""
        };
        match self.luck() {
            Luck::Seed(seed) => format!("s{VERSION}.{game}.{seed}.{count}.{moves}{won}"),
            Luck::Spawns { start, then } => {
                let (start, then) = (spawns::encode(start), spawns::encode(then));
                format!("w{VERSION}.{game}.{start}.{count}.{moves}.{then}{won}")
            }
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = self.body();
        write!(f, "{body}.{}", check(&body))
    }
}

/// Reads what [`fmt::Display`] writes, and nothing else, and plays it.
impl FromStr for Code {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (body, claimed) = text.rsplit_once('.').ok_or_else(|| no_code(text))?;
        let mut fields = body.split('.');
        let kind = Kind::read(fields.next().unwrap_or_default(), text)?;
        let digit = |c: u8| matches!(c, b'0'..=b'9' | b'a'..=b'f');
        if claimed.len() != 8 || !claimed.bytes().all(digit) {
            return Err(bad(format!(
                "it does not end in a check of eight hexadecimal digits, but in {}: it was cut or added to",
                shown(claimed)
            )));
        }
        let mut field = |name: &str| {
            let field = fields.next();
            field.ok_or_else(|| bad(format!("it ends before the field {name}: it was cut")))
        };
        let game: Game = field("GAME")?.parse()?;
        let start = field("START or SEED")?;
        let count = field("COUNT")?;
        let count = number(count)
            .ok_or_else(|| bad(format!("count {}: not a number of moves", shown(count))))?;
        let moves = read_moves(count, field("MOVES")?)?;
        let tiles = match kind {
            Kind::Seeded => None,
            Kind::Witnessed => Some(field("SPAWNS")?),
        };
        let won = match (fields.next(), fields.next()) {
            (None, _) => false,
            (Some("W"), None) => true,
            (Some(extra), _) => return Err(bad(format!("{}: a field too many", shown(extra)))),
        };
        let luck = match tiles {
            None => Luck::Seed(start.parse()?),
            Some(tiles) => Luck::Spawns {
                start: read_start(start)?,
                then: spawns::decode(tiles)?,
            },
        };
        let code = Self::new(game, luck, moves)?;
        let turn = Some(count);
        match (won, code.end().status()) {
            (true, Status::Live | Status::Dead) => {
                let what = "the code says that it wins, and it does not".to_owned();
                return Err(Error::Code { turn, what });
            }
            (false, Status::Won) => {
                let what = "it wins, and the code does not say so".to_owned();
                return Err(Error::Code { turn, what });
            }
            _ => {}
        }
        let own = check(body);
        if own != claimed {
            return Err(bad(format!(
                "the game is legal, but the check is {claimed:?}, expected {own}: a character was changed"
            )));
        }
        Ok(code)
    }
}

/// The form of a code.
#[derive(Clone, Copy)]
enum Kind {
    Seeded,
    Witnessed,
}

impl Kind {
    fn read(field: &str, text: &str) -> Result<Self> {
        let mut letters = field.chars();
        let kind = match letters.next() {
            Some('s') => Self::Seeded,
            Some('w') => Self::Witnessed,
            _ => return Err(no_code(text)),
        };
        match number(letters.as_str()) {
            Some(version) if version == u64::from(VERSION) => Ok(kind),
            Some(version) if version > u64::from(VERSION) => Err(bad(format!(
                "version {version} is newer than this program reads ({VERSION}): use a newer enum48"
            ))),
            _ => Err(no_code(text)),
        }
    }
}

fn bad(what: String) -> Error {
    Error::Code { turn: None, what }
}

fn no_code(text: &str) -> Error {
    bad(format!(
        "{}: not a code: expected one such as s1.4x4-2048.SEED.COUNT.MOVES.CHECK",
        shown(text)
    ))
}

/// What was given, or the beginning of it.
fn shown(text: &str) -> String {
    match text.char_indices().nth(20) {
        Some((end, _)) => format!("{:?}...", &text[..end]),
        None => format!("{text:?}"),
    }
}

/// A decimal number as this program writes it.
fn number(text: &str) -> Option<u64> {
    let number: u64 = text.parse().ok()?;
    (number.to_string() == text).then_some(number)
}

/// CRC-32 of what stands before it.
fn check(text: &str) -> String {
    format!("{:08x}", crc32fast::hash(text.as_bytes()))
}

fn read_moves(count: u64, text: &str) -> Result<Vec<Direction>> {
    let expected = count.div_ceil(moves::GROUP as u64);
    let length = text.chars().count() as u64;
    if length != expected {
        return Err(bad(format!(
            "{count} moves take {expected} characters, got {length}"
        )));
    }
    let mut moves = moves::decode(text)?;
    let filled = moves.split_off(count as usize);
    if filled.iter().any(|&direction| direction as u8 != 0) {
        return Err(bad(format!(
            "the last character has moves beyond the count of {count}"
        )));
    }
    Ok(moves)
}

fn read_start(text: &str) -> Result<[Spawn; 2]> {
    match spawns::decode(text)?[..] {
        [first, second] if first.cell < second.cell => Ok([first, second]),
        _ => Err(bad(format!(
            "start {}: expected two characters, each of a tile, the lesser cell first",
            shown(text)
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Seed;
    use proptest::prelude::*;

    /// Games by a second program that was written from the description alone, `scripts/replay_code.py`'s
    /// ancestor: always the first legal move of left, up, right, down (3x3: left, down, right, up).
    const KNOWN: [(&str, &str); 5] = [
        (
            "s1.4x4-2048.tiles.138./89/M/83//M338z/3z/P/zPPMzP//9N/M38Pwxz89zPf//.32e959d1",
            "2 64 32 8 / 128 16 4 2 / 8 2 8 4 / 2 16 4 2",
        ),
        ("s1.2x3-16.a.10.//zw.W.fa2cf282", "16 2 . / 4 2 ."),
        (
            "s1.3x3.0.31.-/t/v97/7/g.1385f34a",
            "4 2 4 / 16 4 2 / 32 8 4",
        ),
        ("s1.2x2-16.5.7.PzA.W.8619cce7", "16 4 / . ."),
        ("w1.2x2-8.BD.1.w..W.10f0c486", "8 . / . ."),
    ];

    fn read(text: &str) -> Result<Code> {
        text.parse()
    }

    /// A game in which every move is as good as any other.
    fn game(name: &str, seed: u64, longest: usize) -> Code {
        let mut random = fastrand::Rng::with_seed(seed);
        let (game, luck) = (name.parse().unwrap(), Luck::Seed(Seed(seed)));
        let mut moves = Vec::new();
        for _ in 0..longest {
            let mut next = Direction::ALL;
            random.shuffle(&mut next);
            let position = Code::new(game, luck.clone(), moves.clone())
                .unwrap()
                .end()
                .clone();
            let legal = next.iter().find(|&&d| position.clone().slide(d));
            match legal.filter(|_| position.status() == Status::Live) {
                Some(&direction) => moves.push(direction),
                None => break,
            }
        }
        Code::new(game, luck, moves).unwrap()
    }

    /// The same game with its tiles written down.
    fn witnessed(code: &Code) -> Code {
        let first = code.replay();
        let tiles = first
            .position()
            .tiles()
            .enumerate()
            .filter(|(_, tile)| *tile > 0);
        let start: Vec<Spawn> = tiles
            .map(|(cell, tile)| Spawn {
                cell: cell as u8,
                tile: tile as u8,
            })
            .collect();
        let luck = Luck::Spawns {
            start: [start[0], start[1]],
            then: first.filter_map(|turn| turn.unwrap().spawn).collect(),
        };
        Code::new(code.game(), luck, code.moves().to_vec()).unwrap()
    }

    /// The code with a check that fits.
    fn sealed(body: &str) -> String {
        format!("{body}.{}", check(body))
    }

    #[test]
    fn games_of_a_second_program_end_as_it_says() {
        for (text, end) in KNOWN {
            let code = read(text).unwrap();
            assert_eq!(code.end().to_string(), end, "{text}");
            assert_eq!(code.to_string(), text);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn codes_are_read_as_they_are_written(seed: u64, name in "2x2-16|2x3|3x3-64|4x3|4x4-2048", longest in 0..40usize) {
            let seeded = game(&name, seed, longest);
            let witnessed = witnessed(&seeded);
            prop_assert_eq!(seeded.end(), witnessed.end());
            for code in [seeded, witnessed] {
                prop_assert_eq!(&read(&code.to_string()).unwrap(), &code);
                prop_assert_eq!(code.replay().count(), code.moves().len());
            }
        }
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
    fn what_is_wrong_is_said_with_its_move() {
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
                "character 1 of the tiles, '!', stands for none",
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
                "character 1 of the moves, '_', stands for none",
            ),
            ("w1.2x2-8.DB.0..", "the lesser cell first"),
            ("w1.2x2-8.BB.0..", "the lesser cell first"),
            ("w1.2x2-8.B.0..", "start \"B\""),
            (
                "w1.2x2-8.BI.0..",
                "a 2 cannot come to cell 4: 2x2 has the cells 0 to 3",
            ),
            (
                "w1.2x2-8.BD.1.g.",
                "move 1: no tile follows, and it does not win",
            ),
            (
                "w1.2x2-8.BD.0..A",
                "a tile is left over after the last move",
            ),
            (
                "w1.2x2-8.BD.1.g.AA",
                "move 1: a tile is left over after the last move",
            ),
            ("w1.2x2-8.BD.0...W", "it does not"),
            ("w1.2x2-8.BD.1.A.A", "move 1: up changes nothing"),
            (
                "w1.2x2-8.BD.1.g.E",
                "move 1: a 2 cannot come to row 2 column 1: a 4 is there",
            ),
            ("w1.2x2-8.BD.1.g.I", "move 1: a 2 cannot come to cell 4: "),
            ("w1.2x2-8.BD.1.g.A.W", "move 1: the code says"),
            (
                "w1.2x2-8.BD.1.w.E",
                "move 1: a tile is left over after the last move",
            ),
            (
                "w1.2x2-8.BD.1.w.",
                "move 1: it wins, and the code does not say so",
            ),
            (
                "w1.2x2-8.BD.2.w.E.W",
                "move 2: the move before it won the game",
            ),
            (
                "w1.2x2-16.AC.2.8.AA",
                "move 1: a 2 cannot come to row 1 column 1: a 4 is there",
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
    fn a_tile_whose_character_is_w_is_no_win() {
        // 2 2 in the first row, left, then a 2 in the last cell of 4x3, which is W.
        let code = read(&sealed("w1.4x3.AC.1.w.W")).unwrap();
        assert_eq!(code.end().to_string(), "4 . . / . . . / . . . / . . 2");
        assert_eq!(code.to_string(), sealed("w1.4x3.AC.1.w.W"));
    }
}
