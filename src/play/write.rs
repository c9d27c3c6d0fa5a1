//! Writes codes as text. [`crate::play`] describes the form, and `read` reads it.

use std::fmt;

use super::chance::Luck;
use super::code::Code;
use super::position::Status;
use super::{moves, spawns};

/// The latest version of the codes.
pub(super) const VERSION: u32 = 1;

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let body = self.body();
        write!(f, "{body}.{}", check(&body))
    }
}

impl Code {
    /// All fields but the check.
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

/// The check of the fields before it: their CRC-32.
pub(super) fn check(body: &str) -> String {
    format!("{:08x}", crc32fast::hash(body.as_bytes()))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::game::Direction;
    use crate::play::{Seed, Spawn};
    use proptest::prelude::*;

    /// Games of a second program, written from the description only: the ancestor of
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

    #[test]
    fn games_of_a_second_program_end_on_its_boards() {
        for (text, end) in KNOWN {
            let code = read(text);
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
                prop_assert_eq!(&read(&code.to_string()), &code);
                prop_assert_eq!(code.replay().count(), code.moves().len());
            }
        }
    }
}
