//! Reads the values of a part, and checks that they belong to its afterstates.

use super::block::Decoder;
use super::contents::About;
use super::segments::{Part, ValueColumn};
use crate::error::{Error, Result};
use crate::game::Objective;

impl ValueColumn {
    /// The objective and precision of the values, and the afterstates of the first file.
    pub fn about(&self) -> About {
        self.contents
    }

    /// Check that the blocks of the values begin at the boards at which the blocks of the
    /// afterstates begin. Then a value and its afterstate have equal places in their blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] if a block begins at another afterstate.
    pub fn expect_blocks_of(&self, afterstates: &Part) -> Result<()> {
        if self.firsts().eq(afterstates.firsts()) {
            return Ok(());
        }
        let what = "its blocks begin at other boards than the blocks of its afterstates";
        Err(Error::mismatch(self.path(), what))
    }

    /// Append the values of one block to `out`.
    ///
    /// # Errors
    ///
    /// [`Error::Damaged`], which names the block, if its bytes have changed; [`Error::Read`].
    pub fn read_block(
        &self,
        block: usize,
        decoder: &mut Decoder,
        out: &mut Vec<u32>,
    ) -> Result<()> {
        let from = out.len();
        self.decode(block, |payload| decoder.decode_values(payload, out))?;
        let about = self.contents;
        let certain = 1u64 << about.fraction;
        let chances = matches!(about.objective, Objective::Tile(_) | Objective::Sure(_));
        if chances && out[from..].iter().any(|&value| u64::from(value) > certain) {
            return Err(self.damaged(block, "a chance above 1"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::block::{Block, Encoder};
    use super::super::contents::BLOCK;
    use super::super::contents::{Kind, Label};
    use super::super::frame::tests::damage_is_an_error;
    use super::super::planes::ValueEncoder;
    use super::super::stream::tests::{file_of, label};
    use super::super::writer::PartWriter;
    use super::super::{fingerprint, stream, value_fingerprint};
    use super::*;
    use crate::game::rank::Ranking;
    use crate::game::{FourRate, Objective};
    use std::io::Cursor;
    use std::path::Path;

    /// Values in a full block.
    const FULL: usize = BLOCK / 8;

    fn about(keys: &[u64], objective: Objective) -> About {
        About {
            afterstates: Label {
                kind: Kind::Afterstates,
                ..label()
            },
            objective,
            fraction: 28,
            four: FourRate::default(),
            keys: fingerprint(keys),
        }
    }

    /// Boards and values. The high bytes of the values seldom change, and the low bytes always do.
    fn sample(count: usize) -> (Vec<u64>, Vec<u32>) {
        let values =
            (0..count as u32).map(|i| (9 << 24) + i * 5 + i.wrapping_mul(0x9e37_79b9) % 5000);
        (stream::tests::sample(count), values.collect())
    }

    fn column_of(keys: &[u64], values: &[u32], about: About) -> Vec<u8> {
        let file = Cursor::new(Vec::new());
        let mut writer = PartWriter::new(file, Path::new("memory"), about).unwrap();
        let mut encoder = ValueEncoder::new().unwrap();
        let mut block = Block::default();
        for (keys, values) in keys.chunks(FULL).zip(values.chunks(FULL)) {
            encoder.encode(keys, values, &mut block).unwrap();
            writer.append(&block).unwrap();
        }
        writer.finish().unwrap().0.into_inner()
    }

    /// Open bytes as a file and read every block.
    fn read(bytes: &[u8]) -> Result<(ValueColumn, Vec<u32>)> {
        let column = ValueColumn::from_memory(Path::new("memory"), bytes.into())?;
        let mut decoder = Decoder::new().unwrap();
        let mut values = Vec::new();
        for block in 0..column.blocks() {
            column.read_block(block, &mut decoder, &mut values)?;
        }
        Ok((column, values))
    }

    #[test]
    fn values_belong_to_afterstates_in_the_same_blocks() {
        let (keys, values) = sample(FULL + 500);
        let about = about(&keys, Objective::Score);
        let column = read(&column_of(&keys, &values, about)).unwrap().0;
        // A file of states has larger blocks.
        for (expected, kind) in [(true, Kind::Afterstates), (false, Kind::States)] {
            let label = Label {
                kind,
                ..about.afterstates
            };
            let file = Cursor::new(Vec::new());
            let mut writer = PartWriter::new(file, Path::new("memory"), label).unwrap();
            let (mut encoder, mut block) = (Encoder::new(1).unwrap(), Block::default());
            for keys in keys.chunks(kind.block()) {
                encoder
                    .encode(&Ranking::of_part(label.size, label.key), keys, &mut block)
                    .unwrap();
                writer.append(&block).unwrap();
            }
            let file = writer.finish().unwrap().0.into_inner();
            let part = Part::from_memory(Path::new("memory"), file.into()).unwrap();
            let belongs = column.expect_blocks_of(&part);
            assert_eq!(belongs.is_ok(), expected, "{belongs:?}");
        }
    }

    #[test]
    fn values_are_read_back_as_written() {
        let (chance, sure) = (
            Objective::of_tile(512).unwrap(),
            Objective::sure(512).unwrap(),
        );
        for count in [0, 1, 2, FULL, FULL + 1, 2 * FULL + 500] {
            let (keys, values) = sample(count);
            for (objective, four) in [
                (Objective::Score, "1/10"),
                (Objective::Moves, "0"),
                (Objective::Moves, "1"),
                (chance, "99/100"),
                (sure, "1/10"),
            ] {
                let mut about = about(&keys, objective);
                about.four = four.parse().unwrap();
                let (column, found) = read(&column_of(&keys, &values, about)).unwrap();
                assert!(found == values);
                assert_eq!(column.about(), about);
                assert_eq!(column.states(), count as u64);
                assert_eq!(column.fingerprint(), value_fingerprint(&keys, &values));
                assert_eq!(column.blocks(), count.div_ceil(FULL));
                assert!(column.firsts().eq(keys.iter().copied().step_by(FULL)));
                assert!(column.check_blocks().is_ok());
            }
        }
    }

    #[test]
    fn every_flipped_byte_cut_and_appended_byte_is_an_error() {
        let (keys, values) = sample(FULL + 900);
        let good = column_of(&keys, &values, about(&keys, Objective::Score));
        damage_is_an_error(&good, |bytes| read(bytes).map(drop));
    }

    #[test]
    fn a_header_of_impossible_numbers_is_refused_even_if_its_checksum_agrees() {
        let (keys, values) = sample(3);
        let good = column_of(&keys, &values, about(&keys, Objective::Score));
        for (at, number, what) in [
            (40, 2u32, "objective"),
            (40, 12, "objective"),
            (40, 1 << 31 | 2, "objective"),
            (44, 33, "fraction"),
            (44, 2 << 16 | 1 << 24 | 28, "rate of 4s"),
            (44, 2 << 16 | 10 << 24 | 28, "rate of 4s"),
            (44, 1 << 16 | 10 << 24 | 28, "rate of 4s"),
            (44, 1 << 16 | 101 << 24 | 28, "rate of 4s"),
            (44, 1 << 16 | 28, "rate of 4s"),
        ] {
            let mut bytes = good.clone();
            bytes[at..at + 4].copy_from_slice(&number.to_le_bytes());
            let crc = crc32fast::hash(&bytes[40..56]);
            bytes[56..60].copy_from_slice(&crc.to_le_bytes());
            let error = read(&bytes).err().unwrap().to_string();
            assert!(
                error.contains(&format!("damaged: header: impossible {what}")),
                "{error}"
            );
        }
    }

    #[test]
    fn a_block_whose_count_contradicts_the_footer_is_refused() {
        let (keys, values) = sample(3);
        let mut bytes = column_of(&keys, &values, about(&keys, Objective::Score));
        let footer = bytes.len() - 40;
        for states in [2u64, 4] {
            bytes[footer..footer + 8].copy_from_slice(&states.to_le_bytes());
            let crc = crc32fast::hash(&bytes[footer..footer + 28]);
            bytes[footer + 28..footer + 32].copy_from_slice(&crc.to_le_bytes());
            let error = read(&bytes).err().unwrap().to_string();
            assert!(
                error.contains("block 0: count differs from the footer"),
                "{error}"
            );
        }
    }

    #[test]
    fn the_error_for_a_file_of_the_other_kind_names_both_kinds() {
        let (keys, values) = sample(3);
        let mut about = about(&keys, Objective::Score);
        about.four = "1/3".parse().unwrap();
        let values = column_of(&keys, &values, about);
        let of_values = Part::from_memory(Path::new("memory"), values.into());
        let of_boards = read(&file_of(&keys));
        let said = [of_values.err(), of_boards.err()].map(|error| {
            assert!(matches!(error, Some(Error::Mismatch { .. })));
            error.map(|error| error.to_string()).unwrap_or_default()
        });
        assert_eq!(
            said,
            [
                "memory: not the file that was sealed: it holds values (score, 4s at a rate of 1/3) of \
                 afterstates of 4x4-1024, sum 400, largest tile 256, not boards: put the right file back, or \
                 delete the directory and count again",
                "memory: not the file that was sealed: it holds states of 4x4-1024, sum 400, largest tile \
                 256, not values: put the right file back, or delete the directory and count again",
            ]
        );
    }

    #[test]
    #[should_panic = "values belong to afterstates"]
    fn values_of_states_are_not_written() {
        let mut about = about(&[], Objective::Score);
        about.afterstates.kind = Kind::States;
        column_of(&[], &[], about);
    }
}
