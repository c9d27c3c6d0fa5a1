//! Moves as characters, three moves each, as in the classic codes of 2048 games.

use crate::error::{Error, Result};
use crate::game::Direction;

/// The characters; each stands for its position in the alphabet.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/";

/// Moves per character.
pub(super) const GROUP: usize = 3;

/// The character of a number below 64.
pub(super) fn character(value: u8) -> char {
    char::from(ALPHABET[usize::from(value)])
}

/// The number of a character; `None` if it is not in the alphabet.
pub(super) fn value(character: char) -> Option<u8> {
    let place = ALPHABET
        .iter()
        .position(|&own| char::from(own) == character);
    place.map(|place| place as u8)
}

/// Write moves as characters. The last character is padded with 0, which reads as moves up.
///
/// ```
/// use enum48::{game::Direction::{Down, Left, Right, Up}, play::moves};
/// assert_eq!(moves::encode(&[Up, Right, Down]), "G");
/// assert_eq!(moves::encode(&[Left, Left, Left]), "/");
/// assert_eq!(moves::encode(&[Left]), "w");
/// ```
#[must_use]
pub fn encode(moves: &[Direction]) -> String {
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
/// use enum48::{game::Direction::{Down, Right, Up}, play::moves};
/// assert_eq!(moves::decode("G")?, [Up, Right, Down]);
/// assert!(moves::decode("G!").is_err());
/// # Ok::<(), enum48::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Code`] for a character that is not in the alphabet.
pub fn decode(text: &str) -> Result<Vec<Direction>> {
    let mut moves = Vec::with_capacity(GROUP * text.len());
    for (at, letter) in text.chars().enumerate() {
        let bits = value(letter).ok_or_else(|| Error::Code {
            turn: None,
            what: format!(
                "character {} of the moves, {letter:?}, is not in the alphabet",
                at + 1
            ),
        })?;
        moves.extend([4, 2, 0].map(|shift| Direction::ALL[usize::from(bits >> shift & 3)]));
    }
    Ok(moves)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn every_character_stands_for_three_moves() {
        for group in 0..64u8 {
            let text = character(group).to_string();
            assert_eq!(value(character(group)), Some(group));
            assert_eq!(encode(&decode(&text).unwrap()), text);
        }
        assert!(
            (0..=0x7fu8)
                .filter(|&c| value(char::from(c)).is_some())
                .count()
                == 64
        );
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(moves in prop::collection::vec(0..4usize, 0..100)) {
            let moves: Vec<Direction> = moves.into_iter().map(|d| Direction::ALL[d]).collect();
            let decoded = decode(&encode(&moves)).unwrap();
            prop_assert_eq!(&decoded[..moves.len()], &moves[..]);
            prop_assert!(decoded[moves.len()..].iter().all(|&d| d == Direction::Up));
            prop_assert!(decoded.len() < moves.len() + GROUP);
        }
    }
}
