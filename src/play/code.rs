//! A played game, and its code as text, which `read` reads. [`crate::play`] describes the form.

use std::fmt;

use super::position::{Position, Spawn, Status};
use super::refused;
use super::replay::{Luck, Replay};
use crate::error::Result;
use crate::game::{Direction, Game};

/// The latest version of the codes.
pub(super) const VERSION: u32 = 1;

/// The characters; each stands for its position in the alphabet.
const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/";

/// Moves per character.
const GROUP: usize = 3;

/// A game that was played by the rules: a code is made only by playing the game.
///
/// ```
/// use enum48::play::Code;
/// let code: Code = "w1.2x2-8.BD.1.w..W.10f0c486".parse()?;
/// assert_eq!(code.replay().position().to_string(), "4 4 / . .");
/// assert_eq!(code.end().to_string(), "8 . / . .");
/// assert_eq!(code.to_string(), "w1.2x2-8.BD.1.w..W.10f0c486");
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    luck: Luck,
    moves: Vec<Direction>,
    end: Position,
}

impl Code {
    /// The code of a game. Plays the game, so the cost is linear in the number of moves.
    ///
    /// # Errors
    ///
    /// [`InputError::Code`](crate::InputError::Code) if a move is not legal, or if a tile cannot be placed, is missing or is
    /// left over. It names the move, unless the fault is before the first move.
    pub fn new(game: Game, luck: Luck, moves: Vec<Direction>) -> Result<Self> {
        let mut replay = Replay::new(game, &luck, &moves)?;
        replay.try_for_each(|turn| turn.map(drop))?;
        let end = replay.end()?;
        Ok(Self { luck, moves, end })
    }

    /// The game.
    pub fn game(&self) -> Game {
        self.end.game()
    }

    /// The moves.
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// The last board.
    pub fn end(&self) -> &Position {
        &self.end
    }

    /// Play the game again, turn by turn. Every turn is `Ok`.
    pub fn replay(&self) -> Replay<'_> {
        Replay::new(self.game(), &self.luck, &self.moves)
            .expect("it was played when the code was made")
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (game, count) = (self.game(), self.moves.len());
        let moves = encode_moves(&self.moves);
        let won = match self.end.status() {
            Status::Won => ".W",
            Status::Live | Status::Dead => "",
        };
        let body = match &self.luck {
            Luck::Seed(seed) => format!("s{VERSION}.{game}.{seed}.{count}.{moves}{won}"),
            Luck::Spawns {
                stones,
                start,
                then,
            } => {
                let stones: String = stones.iter().map(|cell| character(2 * cell)).collect();
                let (start, then) = (encode_spawns(start), encode_spawns(then));
                format!("w{VERSION}.{game}.{stones}{start}.{count}.{moves}.{then}{won}")
            }
        };
        write!(f, "{body}.{}", check(&body))
    }
}

/// The field CHECK for the fields before it: their CRC-32.
pub(super) fn check(body: &str) -> String {
    format!("{:08x}", crc32fast::hash(body.as_bytes()))
}

/// Write moves as characters, three moves each, as in the classic codes of 2048 games. The last
/// character is padded with 0, which reads as moves up.
///
/// ```
/// use enum48::{game::Direction::{Down, Left, Right, Up}, play::encode_moves};
/// assert_eq!(encode_moves(&[Up, Right, Down]), "G");
/// assert_eq!(encode_moves(&[Left, Left, Left]), "/");
/// assert_eq!(encode_moves(&[Left]), "w");
/// ```
pub fn encode_moves(moves: &[Direction]) -> String {
    let group = |moves: &[Direction]| {
        let bits = |at: usize| moves.get(at).map_or(0, |&direction| direction as u8);
        character(bits(0) << 4 | bits(1) << 2 | bits(2))
    };
    moves.chunks(GROUP).map(group).collect()
}

/// Read moves, three per character. The padding of the last character is included: cut it off if
/// the number of moves is known.
///
/// ```
/// use enum48::{game::Direction::{Down, Right, Up}, play::decode_moves};
/// assert_eq!(decode_moves("G")?, [Up, Right, Down]);
/// assert!(decode_moves("G!").is_err());
/// # Ok::<(), enum48::Error>(())
/// ```
///
/// # Errors
///
/// [`InputError::Code`](crate::InputError::Code) for a character that is not in the alphabet.
pub fn decode_moves(text: &str) -> Result<Vec<Direction>> {
    let mut moves = Vec::with_capacity(GROUP * text.len());
    for bits in numbers(text, |letter| ALPHABET.find(letter), "moves") {
        let bits = bits?;
        moves.extend([4, 2, 0].map(|shift| Direction::ALL[usize::from(bits >> shift & 3)]));
    }
    Ok(moves)
}

/// Write spawns, one per character: twice the cell, plus 1 if the tile is a 4. Cells are below 16.
fn encode_spawns(spawns: &[Spawn]) -> String {
    let number = |spawn: &Spawn| 2 * spawn.cell + u8::from(spawn.tile == 4);
    spawns.iter().map(number).map(character).collect()
}

/// Read spawns. [`Replay`] checks the cells when it places the tiles.
pub(super) fn decode_spawns(text: &str) -> Result<Vec<Spawn>> {
    let spawn = |number| Spawn {
        cell: number / 2,
        tile: if number % 2 == 1 { 4 } else { 2 },
    };
    numbers(text, |letter| ALPHABET.find(letter), "tiles")
        .map(|number| number.map(spawn))
        .collect()
}

/// The character of a number below 64.
fn character(number: u8) -> char {
    char::from(ALPHABET.as_bytes()[usize::from(number)])
}

/// The numbers of characters, below 256. An error names the `field` that the characters belong to.
pub(super) fn numbers(
    text: &str,
    number: impl Fn(char) -> Option<usize>,
    field: &str,
) -> impl Iterator<Item = Result<u8>> {
    text.chars().enumerate().map(move |(at, letter)| {
        let number = number(letter).map(|number| number as u8);
        number.ok_or_else(|| {
            let at = at + 1;
            refused(format!(
                "character {at} of the {field}, {letter:?}, is not in the alphabet"
            ))
        })
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::play::Seed;
    use proptest::prelude::*;

    /// Games of a second program that was written from the description only: the ancestor of
    /// `scripts/replay_code.py`. It plays the first legal move of left, up, right, down (in 3x3 of
    /// left, down, right, up).
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

    fn read(text: &str) -> Code {
        text.parse().unwrap()
    }

    fn number(letter: char) -> Option<u8> {
        ALPHABET.find(letter).map(|number| number as u8)
    }

    /// A game of random legal moves.
    pub(in crate::play) fn game(name: &str, seed: u64, longest: usize) -> Code {
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

    /// The game as a witnessed code, with its tiles written down.
    pub(in crate::play) fn witnessed(code: &Code) -> Code {
        let first = code.replay();
        let cells: Vec<(usize, u32)> = first.position().tiles().enumerate().collect();
        let cells = cells.into_iter();
        let stones = cells.clone().filter(|(_, tile)| *tile == 1);
        let start: Vec<Spawn> = cells
            .filter(|(_, tile)| *tile > 1)
            .map(|(cell, tile)| Spawn {
                cell: cell as u8,
                tile: tile as u8,
            })
            .collect();
        let luck = Luck::Spawns {
            stones: stones.map(|(cell, _)| cell as u8).collect(),
            start: [start[0], start[1]],
            then: first.filter_map(|turn| turn.unwrap().spawn).collect(),
        };
        Code::new(code.game(), luck, code.moves().to_vec()).unwrap()
    }

    #[test]
    fn games_of_a_second_program_end_on_its_boards() {
        for (text, end) in KNOWN {
            let code = read(text);
            assert_eq!(code.end().to_string(), end, "{text}");
            assert_eq!(code.to_string(), text);
        }
    }

    #[test]
    fn every_character_stands_for_three_moves() {
        for group in 0..64u8 {
            let text = character(group).to_string();
            assert_eq!(number(character(group)), Some(group));
            assert_eq!(encode_moves(&decode_moves(&text).unwrap()), text);
        }
        let known = |&c: &u8| number(char::from(c)).is_some();
        assert_eq!((0..=0x7f).filter(known).count(), 64);
    }

    #[test]
    fn spawns_are_read_as_they_are_written() {
        let spawn = |cell, tile| Spawn { cell, tile };
        let tiles = [spawn(0, 2), spawn(0, 4), spawn(11, 2), spawn(15, 4)];
        assert_eq!(encode_spawns(&tiles), "ABWf");
        assert_eq!(decode_spawns("ABWf").unwrap(), tiles);
        let error = decode_spawns("AB.f").unwrap_err().to_string();
        assert_eq!(
            error,
            "code: character 3 of the tiles, '.', is not in the alphabet"
        );
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(moves in prop::collection::vec(0..4usize, 0..100)) {
            let moves: Vec<Direction> = moves.into_iter().map(|d| Direction::ALL[d]).collect();
            let decoded = decode_moves(&encode_moves(&moves)).unwrap();
            prop_assert_eq!(&decoded[..moves.len()], &moves[..]);
            prop_assert!(decoded[moves.len()..].iter().all(|&d| d == Direction::Up));
            prop_assert!(decoded.len() < moves.len() + GROUP);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn codes_are_read_as_they_are_written(seed: u64, name in "2x2-16|2x3|3x3-64|4x3|4x4-2048|free6-64|3x3free5", longest in 0..40usize) {
            let seeded = game(&name, seed, longest);
            let witnessed = witnessed(&seeded);
            prop_assert_eq!(seeded.end(), witnessed.end());
            for code in [seeded, witnessed] {
                prop_assert_eq!(&read(&code.to_string()), &code);
                prop_assert_eq!(code.replay().count(), code.moves().len());
            }
        }
    }
}
