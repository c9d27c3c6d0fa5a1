//! The map: from afterstates to candidates. No files, no threads.

use super::splitters::Splitters;
use crate::error::Result;
use crate::game::key::KeyCodec;
use crate::game::{Board, Exp, Rules};

/// Afterstates of a slice: the boards made from it fit a core's first caches.
const SLICE: usize = 1 << 10;

/// Spawn `tile` into every empty cell of a block of afterstates. `emit` gets the range and the key
/// of each resulting board, in canonical form. Returns the number of boards. `made` is scratch
/// space.
///
/// About 6 ns a candidate, without the time of `emit`.
pub(super) fn expand(
    afterstates: &[Board],
    tile: Exp,
    rules: &dyn Rules,
    codec: &KeyCodec,
    splitters: &Splitters,
    made: &mut Vec<u64>,
    mut emit: impl FnMut(usize, u64) -> Result<()>,
) -> Result<u64> {
    let mut candidates = 0;
    for slice in afterstates.chunks(SLICE) {
        made.clear();
        rules.spawn(slice, tile, made);
        rules.canonicalise(made);
        codec.encode(made);
        candidates += made.len() as u64;
        for &key in made.iter() {
            emit(splitters.range(key), key)?;
        }
    }
    Ok(candidates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn a_block_expands_to_the_candidates_of_the_rules() {
        let game: Game = "2x2".parse().unwrap();
        let rules = game.rules();
        // 2 . / . . and . . / 4 2 with a 2: sums 4 and 8, so each needs a codec of its own.
        for (afterstate, expected) in [
            (0x2000, vec![0x0012, 0x0012, 0x0120]),
            (0x0021, vec![0x0112, 0x0121]),
        ] {
            let sum = crate::game::sum(afterstate) + 2;
            let codec = KeyCodec::new(sum, Exp::of_tile(8).unwrap());
            let splitters = Splitters::new(&[], 1, codec.bits(4));
            let (mut made, mut boards) = (Vec::new(), Vec::new());
            let candidates = expand(
                &[afterstate],
                Exp::TWO,
                rules,
                &codec,
                &splitters,
                &mut made,
                |range, key| {
                    assert_eq!(range, 0);
                    boards.push(codec.decode(key));
                    Ok(())
                },
            );
            boards.sort_unstable();
            assert_eq!(boards, expected, "{afterstate:#x}");
            assert_eq!(candidates.unwrap(), expected.len() as u64);
        }
    }
}
