//! Part files: damaged as they lie, and forged, with checksums that agree.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use enum48::Error;
use enum48::game::{Exp, PartKey};
use enum48::internals::{Block, Encoder, PartWriter};
use enum48::part::{Decoder, Kind, Label, Lookup, Part};
use fastrand::Rng;

use super::damage::{damage, interesting, put, region};
use super::memory::in_memory;
use super::{fuzz, kind};

// The layout, as `src/part/mod.rs` has it.
const HEADER: usize = 40;
const PREFIX: usize = 20;
const ENTRY: usize = 16;
const FOOTER: usize = 40;
/// States in the largest block that a header may ask for.
const LARGEST_BLOCK: u32 = 1 << 20;

/// The kind of an error and, for damage, what was damaged, without the numbers in it.
fn kind_and_cause<T>(result: &Result<T, Error>) -> String {
    match result {
        Err(Error::Damaged { what, .. }) => {
            let words: String = what.chars().filter(|c| !c.is_ascii_digit()).collect();
            format!("Damaged: {words}")
        }
        _ => kind(result),
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// A sound part file and what is in it.
struct Sample {
    bytes: Vec<u8>,
    states: Vec<u64>,
}

impl Sample {
    /// A file of blocks of `block` states, which may be fewer than the program would write.
    fn new(kind: Kind, block: usize, states: Vec<u64>) -> Self {
        let label = Label {
            kind,
            rows: 3,
            cols: 3,
            win: Exp::of_tile(1024).unwrap(),
            key: PartKey {
                sum: 100,
                max: Exp::of_tile(64).unwrap(),
            },
        };
        let file = Cursor::new(Vec::new());
        let mut writer = PartWriter::new(file, Path::new("memory"), label).unwrap();
        let mut encoder = Encoder::new(3).unwrap();
        let mut encoded = Block::default();
        for states in states.chunks(block) {
            encoder.encode(states, &mut encoded).unwrap();
            writer.append(&encoded).unwrap();
        }
        let mut bytes = writer.finish().unwrap().0.into_inner();
        bytes[24..28].copy_from_slice(&(block as u32).to_le_bytes());
        seal_header(&mut bytes);
        Self { bytes, states }
    }

    /// The blocks, cut at the places that the index gives.
    fn blocks(&self) -> Vec<Vec<u8>> {
        let end = self.bytes.len() - FOOTER;
        let count = u64_at(&self.bytes, end + 8) as usize;
        let index = end - ENTRY * count;
        let offset = |block| u64_at(&self.bytes, index + ENTRY * block) as usize;
        (0..count)
            .map(|block| {
                let next = if block + 1 < count {
                    offset(block + 1)
                } else {
                    index
                };
                self.bytes[offset(block)..next].to_vec()
            })
            .collect()
    }
}

/// Files with each shape of index, and of differences from the least to the largest.
fn samples() -> Vec<Sample> {
    let many = 2 * Kind::Afterstates.block() as u64 + 100;
    vec![
        Sample::new(Kind::States, 1 << 17, vec![]),
        Sample::new(Kind::States, 1 << 17, vec![0x0011_2233]),
        Sample::new(Kind::Afterstates, 1, vec![0, 1, u64::MAX - 1, u64::MAX]),
        Sample::new(Kind::States, 5, (100..123).collect()),
        Sample::new(Kind::Afterstates, 7, (0..64).map(|i| 1 << i).collect()),
        Sample::new(Kind::States, 100, (0..420).map(|i| i * i * i).collect()),
        Sample::new(
            Kind::Afterstates,
            1 << 14,
            (0..many).map(|i| i * 3).collect(),
        ),
    ]
}

/// The sample of several whole blocks takes long to decode and is rare.
fn pick<'a>(rng: &mut Rng, samples: &'a [Sample]) -> &'a Sample {
    let (large, small) = samples.split_last().unwrap();
    if rng.u8(0..64) == 0 {
        large
    } else {
        &small[rng.usize(0..small.len())]
    }
}

fn seal_header(bytes: &mut [u8]) {
    let crc = crc32fast::hash(&bytes[..36]);
    bytes[36..40].copy_from_slice(&crc.to_le_bytes());
}

fn seal_footer(bytes: &mut [u8]) {
    let crc = crc32fast::hash(&bytes[..28]);
    bytes[28..32].copy_from_slice(&crc.to_le_bytes());
}

fn seal_block(bytes: &mut [u8]) {
    if bytes.len() >= PREFIX {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&bytes[..16]);
        crc.update(&bytes[PREFIX..]);
        bytes[16..20].copy_from_slice(&crc.finalize().to_le_bytes());
    }
}

/// A sample damaged in some places and, at times, not from a sample at all.
fn damaged(rng: &mut Rng, samples: &[Sample]) -> Vec<u8> {
    if rng.u8(0..50) == 0 {
        let length = region(rng, 4096).len();
        return std::iter::repeat_with(|| rng.u8(..)).take(length).collect();
    }
    let mut bytes = pick(rng, samples).bytes.clone();
    for _ in 0..=rng.u32(0..3) {
        let other = &pick(rng, samples).bytes;
        damage(rng, &mut bytes, other);
    }
    bytes
}

/// Damage the blocks of a file. Half of the time it is what zstd gives back that is damaged, so
/// that it reaches the differences.
fn damage_blocks(rng: &mut Rng, blocks: &mut Vec<Vec<u8>>) {
    if blocks.is_empty() {
        blocks.push(vec![0; PREFIX]);
    }
    let at = rng.usize(0..blocks.len());
    let to = rng.usize(0..blocks.len());
    let block = &mut blocks[at];
    match rng.u8(0..14) {
        0..6 if block.len() >= PREFIX => {
            let Ok(mut deltas) = zstd::bulk::decompress(&block[PREFIX..], 1 << 18) else {
                return;
            };
            let other = vec![rng.u8(..); rng.usize(0..30)];
            damage(rng, &mut deltas, &other);
            block.truncate(PREFIX);
            block.extend(zstd::bulk::compress(&deltas, 1).unwrap());
        }
        6 if block.len() >= PREFIX => {
            // Many states in few bytes: as many as the count says, or one more or less.
            let deltas = vec![1; 1 << rng.u32(0..=20)];
            let count = deltas.len() as u32 + rng.u32(0..3);
            put(block, 8, &count.to_le_bytes());
            block.truncate(PREFIX);
            block.extend(zstd::bulk::compress(&deltas, 1).unwrap());
        }
        7 => put(block, 0, &interesting(rng, 0).to_le_bytes()),
        8 => put(block, 8, &(interesting(rng, 0) as u32).to_le_bytes()),
        9 => {
            let mut payload = block.split_off(block.len().min(PREFIX));
            let other = block.clone();
            damage(rng, &mut payload, &other);
            block.extend(payload);
        }
        10 => damage(rng, block, &[]),
        11 => blocks.swap(at, to),
        12 => drop(blocks.remove(at)),
        _ => {
            let copy = blocks[at].clone();
            blocks.insert(to, copy);
        }
    }
}

/// A sample damaged within, with checksums that agree: what no accident does, and the only way to
/// the code behind the checksums.
fn forged(rng: &mut Rng, samples: &[Sample]) -> Vec<u8> {
    let sample = pick(rng, samples);
    let rarely = |rng: &mut Rng| rng.u8(0..6) == 0;
    let mut blocks = sample.blocks();
    for _ in 0..rng.u32(0..3) {
        damage_blocks(rng, &mut blocks);
    }
    let mut file = sample.bytes[..HEADER].to_vec();
    let mut index = Vec::new();
    for block in &mut blocks {
        let stored = block.len().saturating_sub(PREFIX) as u32;
        if block.len() >= PREFIX && !rarely(rng) {
            put(block, 12, &stored.to_le_bytes());
        }
        seal_block(block);
        index.extend((file.len() as u64).to_le_bytes());
        let mut first = [0; 8];
        put(&mut first, 0, &block[..block.len().min(8)]);
        index.extend(first);
        file.extend(&*block);
    }
    if rarely(rng) {
        damage(rng, &mut index, &[]);
    }
    if rarely(rng) {
        let word = interesting(rng, file.len()).to_le_bytes();
        let at = rng.usize(0..=index.len()) & !7;
        put(&mut index, at, &word);
    }
    let mut footer = sample.bytes[sample.bytes.len() - FOOTER..].to_vec();
    put(
        &mut footer,
        8,
        &((index.len() / ENTRY) as u64).to_le_bytes(),
    );
    put(&mut footer, 24, &crc32fast::hash(&index).to_le_bytes());
    file.extend(index);
    if rarely(rng) {
        let at = 8 * rng.usize(0..4);
        put(&mut footer, at, &interesting(rng, file.len()).to_le_bytes());
    }
    seal_footer(&mut footer);
    file.extend(footer);
    let length = file.len() as u64;
    put(&mut file, 28, &length.to_le_bytes());
    if rarely(rng) {
        let fields = [8, 12, 13, 16, 20, 24, 28];
        let at = fields[rng.usize(0..fields.len())];
        let word = interesting(rng, file.len()).to_le_bytes();
        let width = [1, 4, 8][rng.usize(0..3)];
        put(&mut file[..36], at, &word[..width]);
    }
    if rarely(rng) {
        put(&mut file, 24, &LARGEST_BLOCK.to_le_bytes());
    }
    seal_header(&mut file);
    file
}

/// Open a part and read every block; whether or not that works, look for `probes`, and compare.
fn read(path: &Path, probes: &[u64]) -> Result<Vec<u64>, Error> {
    let part = Part::open(path)?;
    let mut decoder = Decoder::new().unwrap();
    let mut states = Vec::new();
    let all =
        (0..part.blocks()).try_for_each(|block| part.read_block(block, &mut decoder, &mut states));
    let mut lookup = Lookup::new(&part).unwrap();
    for &probe in probes {
        let (found, at) = (lookup.position(probe), lookup.state_at(probe));
        if all.is_ok() {
            let expected = states.binary_search(&probe).ok().map(|at| at as u64);
            assert_eq!(found.unwrap(), expected, "{probe:#x}");
            // A forged footer may count fewer states than the blocks hold.
            let counted = (probe < part.states()).then_some(probe as usize);
            let expected = counted.and_then(|at| states.get(at)).copied();
            assert_eq!(at.unwrap(), expected, "{probe:#x}");
        }
    }
    all?;
    assert!(states.is_sorted_by(|a, b| a < b), "states out of order");
    Ok(states)
}

#[test]
fn no_part_file_is_read_as_what_it_is_not() {
    let place = in_memory();
    let path = place.path().join("part");
    let samples = samples();
    let outcomes = fuzz("part files", 200_000, |rng| {
        let genuine = rng.bool();
        let bytes = if genuine {
            damaged(rng, &samples)
        } else {
            forged(rng, &samples)
        };
        fs::write(&path, &bytes).unwrap();
        let known = &pick(rng, &samples).states;
        let near = known.get(rng.usize(0..=known.len())).copied();
        let probes = [0, u64::MAX, rng.u64(..), near.unwrap_or(1)];
        let result = read(&path, &probes);
        if let (true, Ok(states)) = (genuine, &result) {
            // Every byte is under a checksum, so this can only be a file to which nothing happened.
            let same = |sample: &Sample| sample.bytes == bytes && sample.states == *states;
            assert!(samples.iter().any(same), "damaged, but read as {states:x?}");
        }
        kind_and_cause(&result)
    });
    let kinds = ["ok", "Foreign", "Cut", "Damaged", "Unfinished", "Newer"];
    if outcomes.values().sum::<u64>() >= 100_000 {
        for kind in kinds {
            assert!(
                outcomes.keys().any(|outcome| outcome.starts_with(kind)),
                "never {kind}"
            );
        }
        // Every check that a reader makes has refused some file, or the files are too far from
        // sound.
        let kinds = outcomes.len();
        assert!(kinds >= 22, "only {kinds} outcomes: {outcomes:#?}");
    }
}
