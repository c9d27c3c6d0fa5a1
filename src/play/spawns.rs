//! Spawns as characters, one character per spawn: twice the cell, plus 1 if the tile is a 4.

use super::moves::{character, value};
use super::position::Spawn;
use crate::error::{Error, Result};

/// Write spawns as characters. Cells are below 16.
pub(super) fn encode(spawns: &[Spawn]) -> String {
    let each = spawns.iter();
    each.map(|spawn| character(2 * spawn.cell + u8::from(spawn.tile == 4)))
        .collect()
}

/// Read spawns. [`Replay`](super::Replay) checks the cells when it places the tiles.
pub(super) fn decode(text: &str) -> Result<Vec<Spawn>> {
    let read = |(at, letter)| match value(letter) {
        Some(value) => Ok(Spawn {
            cell: value / 2,
            tile: if value % 2 == 1 { 4 } else { 2 },
        }),
        None => Err(Error::Code {
            turn: None,
            what: format!(
                "character {} of the tiles, {letter:?}, is not in the alphabet",
                at + 1
            ),
        }),
    };
    text.chars().enumerate().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_are_read_as_they_are_written() {
        let spawn = |cell, tile| Spawn { cell, tile };
        let tiles = [spawn(0, 2), spawn(0, 4), spawn(11, 2), spawn(15, 4)];
        assert_eq!(encode(&tiles), "ABWf");
        assert_eq!(decode("ABWf").unwrap(), tiles);
        let error = decode("AB.f").unwrap_err().to_string();
        assert_eq!(
            error,
            "code: character 3 of the tiles, '.', is not in the alphabet"
        );
    }
}
