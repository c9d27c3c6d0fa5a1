//! Damaged and forged files of values.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use enum48::Error;
use enum48::game::{Exp, FourRate, Objective, PartKey};
use enum48::internals::{Block, PartWriter, ValueEncoder};
use enum48::part::{About, Decoder, Kind, Label, ValueColumn, fingerprint};
use fastrand::Rng;

use super::damage::{damage, interesting, put};
use super::files::in_memory;
use super::frame::{PREFIX, Sample, damaged, forged, kind_and_cause};
use super::fuzz;
use super::share::share;

const PLANES: usize = 4;
const LENGTHS: usize = 4 * PLANES;

/// A file of these values, for the boards 0, 3, 6 and so on.
fn sample(objective: Objective, block: usize, values: Vec<u32>) -> Sample<u32> {
    let keys: Vec<u64> = (0..values.len() as u64).map(|i| i * 3).collect();
    let about = About {
        afterstates: Label {
            kind: Kind::Afterstates,
            size: "3x3".parse().unwrap(),
            win: Exp::LAST,
            horizon: None,
            key: PartKey {
                sum: 100,
                max: Exp::of_tile(64).unwrap(),
            },
        },
        objective,
        fraction: 17,
        four: FourRate::default(),
        keys: fingerprint(&keys),
    };
    let file = Cursor::new(Vec::new());
    let mut writer = PartWriter::new(file, Path::new("memory"), about).unwrap();
    let mut encoder = ValueEncoder::new().unwrap();
    let mut encoded = Block::default();
    for (keys, values) in keys.chunks(block).zip(values.chunks(block)) {
        encoder.encode(keys, values, &mut encoded).unwrap();
        writer.append(&encoded).unwrap();
    }
    Sample::new(writer.finish().unwrap().0.into_inner(), block, values)
}

/// Files with an empty, a short and a long index. Their planes are stored, compressed, or mixed.
fn samples() -> Vec<Sample<u32>> {
    let many = 2 * Kind::Afterstates.block() as u32 + 100;
    let mixed = |i: u32| (i >> 3 << 16) + (i.wrapping_mul(0x9e37_79b9) >> 18);
    let tile = Objective::of_tile(64).unwrap();
    vec![
        sample(Objective::Score, 1 << 14, vec![]),
        sample(Objective::Score, 1 << 14, vec![0x0011_2233]),
        sample(Objective::Moves, 1, vec![0, 1, u32::MAX - 1, u32::MAX]),
        sample(tile, 5, (100..123).collect()),
        sample(tile, 100, vec![7; 420]),
        sample(Objective::Moves, 200, (0..500).map(mixed).collect()),
        sample(Objective::Score, 1 << 14, (0..many).map(mixed).collect()),
    ]
}

/// The planes of a block, as stored; `None` if the lengths do not fit the block.
fn planes(block: &[u8]) -> Option<Vec<Vec<u8>>> {
    let (lengths, mut rest) = block[PREFIX..].split_at_checked(LENGTHS)?;
    let mut planes = Vec::new();
    for length in lengths.chunks(4) {
        let length = u32::from_le_bytes(length.try_into().unwrap());
        let (plane, others) = rest.split_at_checked(length as usize)?;
        planes.push(plane.to_vec());
        rest = others;
    }
    Some(planes)
}

/// Damages stored planes, decompressed planes, or the lengths of planes.
fn damage_values(rng: &mut Rng, block: &mut Vec<u8>) {
    let Some(mut planes) = planes(block) else {
        return;
    };
    let at = rng.usize(0..PLANES);
    match rng.u8(0..7) {
        0..3 => {
            let plane = &mut planes[at];
            if let Ok(mut bytes) = zstd::bulk::decompress(plane, 1 << 18) {
                damage(rng, &mut bytes, &[]);
                *plane = zstd::bulk::compress(&bytes, 1).unwrap();
            }
        }
        3 => damage(rng, &mut planes[at], &[]),
        4 => {
            let copy = planes[at].clone();
            planes[rng.usize(0..PLANES)].extend(copy);
        }
        5 => {
            // Many values in few bytes; the count in the block may be wrong by one.
            let count = 1u32 << rng.u32(0..=20);
            let plane = zstd::bulk::compress(&vec![1; count as usize], 1).unwrap();
            planes.fill(plane);
            put(block, 8, &(count + rng.u32(0..3) - 1).to_le_bytes());
        }
        _ => {
            let length = interesting(rng, block.len()) as u32;
            put(block, PREFIX + 4 * at, &length.to_le_bytes());
            return;
        }
    }
    block.truncate(PREFIX);
    let lengths = planes.iter().map(|plane| plane.len() as u32);
    block.extend(lengths.flat_map(u32::to_le_bytes));
    block.extend(planes.concat());
}

fn read(path: &Path) -> Result<Vec<u32>, Error> {
    let column = ValueColumn::open(path)?;
    let mut decoder = Decoder::new().unwrap();
    let mut values = Vec::new();
    for block in 0..column.blocks() {
        column.read_block(block, &mut decoder, &mut values)?;
    }
    assert_eq!(values.len() as u64, column.states());
    Ok(values)
}

#[test]
fn a_damaged_file_of_values_is_refused_or_reads_unchanged() {
    let place = in_memory();
    let path = place.path().join("values");
    let samples = samples();
    let outcomes = fuzz("files of values", share(0..200_000), |rng| {
        let genuine = rng.bool();
        let bytes = if genuine {
            damaged(rng, &samples)
        } else {
            forged(rng, &samples, damage_values)
        };
        fs::write(&path, &bytes).unwrap();
        let result = read(&path);
        if let (true, Ok(values)) = (genuine, &result) {
            // A checksum covers every byte, so only an undamaged file can be read.
            let same = |sample: &Sample<u32>| sample.bytes == bytes && sample.contents == *values;
            assert!(samples.iter().any(same), "damaged, but read as {values:x?}");
        }
        kind_and_cause(&result)
    });
    // Each check of the reader must refuse some file; otherwise the damage is too crude.
    let kinds = outcomes.len();
    assert!(kinds >= 30, "only {kinds} outcomes: {outcomes:#?}");
}
