//! Measures each zstd level: bits per state, and time to encode and to decode a state on one core.
//!
//! Key idea: a level changes only blocks, so one count serves all levels. Its blocks are encoded
//! again at each level. `scripts/compression.sh` plots the output.
//!
//! `cargo bench --bench compression -- FILE` measures on a part file, given by its full path. A file of
//! matrices and the number of the layer's live states can follow. Its matrices are compressed again at
//! each level, too. Without a file the bench measures on the part that all benches use.

use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use enum48::internals::{Block, Encoder, PartWriter, Ranking};
use enum48::part::{Decoder, Label, Part};
use tempfile::NamedTempFile;

mod layer;
use layer::Layer;

/// Maximum number of blocks to measure, of 131,072 states each.
const BLOCKS: usize = 32;

/// How often each block is coded. The shortest time counts, because the machine may be busy.
const PASSES: usize = 5;

fn main() {
    // Cargo adds `--bench`. With `--test` each step runs once, as a check.
    let (options, files): (Vec<_>, Vec<_>) =
        env::args().skip(1).partition(|arg| arg.starts_with("--"));
    let test = options.iter().any(|option| option == "--test");
    let (blocks, passes) = if test { (1, 1) } else { (BLOCKS, PASSES) };
    let (label, sample) = match files.first() {
        Some(file) => sample(&Part::open(Path::new(file)).unwrap(), blocks),
        None => sample(&Layer::count().states, blocks),
    };

    println!("level,bits_per_state,encode_ns_per_state,decode_ns_per_state,form");
    for level in 1..=19 {
        let [bits, encode, decode] = measure(level, label, &sample, passes);
        println!("{level},{bits:.3},{encode:.2},{decode:.2},lists");
    }
    if let [_, matrices, live] = &files[..] {
        let (packed, live) = (
            packed_matrices(&fs::read(matrices).unwrap()),
            live.parse().unwrap(),
        );
        for level in 1..=19 {
            let [bits, encode, decode] = measure_matrices(level, &packed, live, passes);
            println!("{level},{bits:.3},{encode:.4},{decode:.4},matrices");
        }
    }
}

/// The packed matrices of a file, by the format in `src/part/mod.rs`.
fn packed_matrices(file: &[u8]) -> Vec<Vec<u8>> {
    let u64_at = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let blocks = u64_at(file.len() - 32);
    let index = file.len() - 40 - 16 * blocks;
    let offset = |block| {
        if block < blocks {
            u64_at(index + 16 * block)
        } else {
            index
        }
    };
    // The prefix of a block and the shape of the matrix stand before the frame.
    let frame = |block| &file[offset(block) + 32..offset(block + 1)];
    (0..blocks)
        .map(|block| zstd::decode_all(frame(block)).unwrap())
        .collect()
}

/// Bits, and nanoseconds to compress and to decompress the matrices, for each live state.
fn measure_matrices(level: i32, packed: &[Vec<u8>], live: f64, passes: usize) -> [f64; 3] {
    let (mut bytes, mut times) = (0, [Duration::ZERO; 2]);
    for packed in packed {
        let mut stored = packed.clone();
        times[0] += shortest(passes, || {
            stored = zstd::bulk::compress(packed, level).unwrap();
        });
        let mut found = Vec::new();
        times[1] += shortest(passes, || {
            found = zstd::bulk::decompress(&stored, packed.len()).unwrap();
        });
        assert_eq!(found, *packed, "level {level}");
        bytes += stored.len();
    }
    let [encode, decode] = times.map(|time| time.as_secs_f64() * 1e9 / live);
    [8.0 * bytes as f64 / live, encode, decode]
}

/// The states of some blocks, spread evenly over the part.
fn sample(part: &Part, blocks: usize) -> (Label, Vec<Vec<u64>>) {
    let mut decoder = Decoder::new().unwrap();
    let blocks = blocks.min(part.blocks());
    let places = (0..blocks).map(|at| at * part.blocks() / blocks);
    let sample = places.map(|place| {
        let mut states = Vec::new();
        part.read_block(place, &mut decoder, &mut states).unwrap();
        states
    });
    (part.label(), sample.collect())
}

/// Bits per state, and nanoseconds to encode and to decode a state.
fn measure(level: i32, label: Label, sample: &[Vec<u64>], passes: usize) -> [f64; 3] {
    let file = NamedTempFile::new().unwrap();
    let mut writer = PartWriter::new(file.as_file(), file.path(), label).unwrap();
    let (mut encoder, mut block) = (Encoder::new(level).unwrap(), Block::default());
    let ranking = Ranking::of_part(label.size, label.key);
    let mut encoding = Duration::ZERO;
    for states in sample {
        encoding += shortest(passes, || {
            encoder.encode(&ranking, states, &mut block).unwrap();
        });
        writer.append(&block).unwrap();
    }
    let (_, sealed) = writer.finish().unwrap();

    let part = Part::open(file.path()).unwrap();
    let (mut decoder, mut decoded) = (Decoder::new().unwrap(), Vec::new());
    let mut decoding = Duration::ZERO;
    for (place, states) in sample.iter().enumerate() {
        decoding += shortest(passes, || {
            decoded.clear();
            part.read_block(place, &mut decoder, &mut decoded).unwrap();
        });
        assert_eq!(decoded, *states, "level {level}, block {place}");
    }

    let nanoseconds = |time: Duration| time.as_secs_f64() * 1e9;
    let totals = [
        8.0 * sealed.bytes as f64,
        nanoseconds(encoding),
        nanoseconds(decoding),
    ];
    totals.map(|total| total / sealed.states as f64)
}

fn shortest(passes: usize, mut job: impl FnMut()) -> Duration {
    let times = (0..passes).map(|_| {
        let start = Instant::now();
        job();
        start.elapsed()
    });
    times.min().unwrap()
}
