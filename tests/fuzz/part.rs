//! Damaged and forged part files.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use enum48::Error;
use enum48::game::{Exp, PartKey};
use enum48::internals::{Block, Encoder, PartWriter, Ranking};
use enum48::part::{Decoder, Kind, Label, Part};
use fastrand::Rng;

use super::damage::{damage, put};
use super::files::in_memory;
use super::frame::{PREFIX, Sample, damaged, forged, kind_and_cause, pick};
use super::fuzz;
use super::share::share;

/// The part that most samples have.
const KEY: PartKey = PartKey {
    sum: 100,
    max: Exp::of_tile(64).unwrap(),
};

/// A part file of these states, in blocks of `block`.
fn sample(kind: Kind, block: usize, states: Vec<u64>) -> Sample<u64> {
    sample_of("3x3", KEY, kind, block, states)
}

/// Append all boards of the part, in order, that begin with the cells of `board`. `cells` more follow, and their
/// tiles have the sum `left`.
fn boards(board: u64, cells: u32, left: u32, out: &mut Vec<u64>) {
    if cells == 0 {
        out.extend((left == 0 && PartKey::of(board) == KEY).then_some(board));
        return;
    }
    for digit in 0..=KEY.max.get() {
        let tile = 1 << digit & !1;
        if tile <= left && left - tile <= (cells - 1) * KEY.max.tile() {
            boards(board << 4 | u64::from(digit), cells - 1, left - tile, out);
        }
    }
}

/// A part file with stones, whose payload has ranks: a 2, a 4, and three stones in the first row.
fn sample_with_stones() -> Sample<u64> {
    let cells = || (0..6).map(|cell| 4 * cell);
    let boards = cells().flat_map(|four| cells().map(move |two| (four, two)));
    let boards = boards.filter(|(four, two)| four != two);
    let boards = boards.map(|(four, two)| 0xf_ff00_0000 | 2 << four | 1 << two);
    let mut boards: Vec<u64> = boards.collect();
    boards.sort_unstable();
    sample_of("3x3free6", PartKey::of(0x12), Kind::States, 7, boards)
}

fn sample_of(size: &str, key: PartKey, kind: Kind, block: usize, states: Vec<u64>) -> Sample<u64> {
    let label = Label {
        kind,
        size: size.parse().unwrap(),
        win: Exp::of_tile(1024).unwrap(),
        horizon: None,
        key,
    };
    let file = Cursor::new(Vec::new());
    let mut writer = PartWriter::new(file, Path::new("memory"), label).unwrap();
    let (mut encoder, ranking) = (
        Encoder::new(3).unwrap(),
        Ranking::of_part(label.size, label.key),
    );
    let mut encoded = Block::default();
    for states in states.chunks(block) {
        encoder.encode(&ranking, states, &mut encoded).unwrap();
        writer.append(&encoded).unwrap();
    }
    Sample::new(writer.finish().unwrap().0.into_inner(), block, states)
}

/// Files with an empty, a short and a long index, and with the least and the largest differences.
fn samples() -> Vec<Sample<u64>> {
    let many = 2 * Kind::Afterstates.block() + 100;
    let mut all = Vec::new();
    boards(0, 9, KEY.sum, &mut all);
    let [first, second, .., last_but_one, last] = all[..] else {
        panic!("{} boards", all.len());
    };
    let each = |step| all.iter().copied().step_by(step);
    vec![
        sample(Kind::States, 1 << 17, vec![]),
        sample(Kind::States, 1 << 17, vec![all[500]]),
        sample(
            Kind::Afterstates,
            1,
            vec![first, second, last_but_one, last],
        ),
        sample(Kind::States, 5, all[100..123].to_vec()),
        sample(Kind::Afterstates, 7, each(300).take(64).collect()),
        sample_with_stones(),
        sample(Kind::States, 100, each(70).take(420).collect()),
        sample(Kind::Afterstates, 1 << 14, all[..many].to_vec()),
    ]
}

/// Damages a block after decompression, so that the damage reaches the differences.
fn damage_states(rng: &mut Rng, block: &mut Vec<u8>) {
    if rng.u8(0..7) < 6 {
        let Ok(mut deltas) = zstd::bulk::decompress(&block[PREFIX..], 1 << 18) else {
            return;
        };
        let other = vec![rng.u8(..); rng.usize(0..30)];
        damage(rng, &mut deltas, &other);
        block.truncate(PREFIX);
        block.extend(zstd::bulk::compress(&deltas, 1).unwrap());
    } else {
        // Many states in few bytes; the count in the block may be wrong by one.
        let deltas = vec![1; 1 << rng.u32(0..=20)];
        let count = deltas.len() as u32 + rng.u32(0..3);
        put(block, 8, &count.to_le_bytes());
        block.truncate(PREFIX);
        block.extend(zstd::bulk::compress(&deltas, 1).unwrap());
    }
}

/// Opens a part, reads every block and looks `probes` up. Look-ups must agree with the blocks.
fn read(path: &Path, probes: &[u64]) -> Result<Vec<u64>, Error> {
    let part = Part::open(path)?;
    let mut decoder = Decoder::new().unwrap();
    let mut states = Vec::new();
    let all =
        (0..part.blocks()).try_for_each(|block| part.read_block(block, &mut decoder, &mut states));
    for &probe in probes {
        let mut boards = Vec::new();
        let found = part.block_of(probe).map(|block| -> Result<bool, Error> {
            part.read_block(block, &mut decoder, &mut boards)?;
            Ok(boards.binary_search(&probe).is_ok())
        });
        if all.is_ok() {
            let found = found.transpose().unwrap().unwrap_or(false);
            assert_eq!(found, states.binary_search(&probe).is_ok(), "{probe:#x}");
        }
    }
    all?;
    assert!(states.is_sorted_by(|a, b| a < b), "states out of order");
    Ok(states)
}

#[test]
fn a_damaged_part_file_is_refused_or_reads_unchanged() {
    let place = in_memory();
    let path = place.path().join("part");
    let samples = samples();
    let outcomes = fuzz("part files", share(0..200_000), |rng| {
        let genuine = rng.bool();
        let bytes = if genuine {
            damaged(rng, &samples)
        } else {
            forged(rng, &samples, damage_states)
        };
        fs::write(&path, &bytes).unwrap();
        let known = &pick(rng, &samples).contents;
        let near = known.get(rng.usize(0..=known.len())).copied();
        let probes = [0, u64::MAX, rng.u64(..), near.unwrap_or(1)];
        let result = read(&path, &probes);
        if let (true, Ok(states)) = (genuine, &result) {
            // A checksum covers every byte, so only an undamaged file can be read.
            let same = |sample: &Sample<u64>| sample.bytes == bytes && sample.contents == *states;
            assert!(samples.iter().any(same), "damaged, but read as {states:x?}");
        }
        kind_and_cause(&result)
    });
    let kinds = ["ok", "Foreign", "Cut", "Damaged", "Unfinished", "Format"];
    for kind in kinds {
        assert!(
            outcomes.keys().any(|outcome| outcome.starts_with(kind)),
            "never {kind}"
        );
    }
    for what in ["does not belong to the part", "beyond the last possible"] {
        assert!(
            outcomes.keys().any(|outcome| outcome.contains(what)),
            "never {what}: {outcomes:#?}"
        );
    }
    // Each check of the reader must refuse some file; otherwise the damage is too crude.
    let kinds = outcomes.len();
    assert!(kinds >= 22, "only {kinds} outcomes: {outcomes:#?}");
}
