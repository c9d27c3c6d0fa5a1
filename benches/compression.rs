//! Measures each zstd level: bits per state, and time to encode and to decode a state on one core.
//!
//! Key idea: a level changes only blocks, so one count serves all levels. Its blocks are encoded
//! again at each level. `scripts/compression.sh` plots the output.
//!
//! `cargo bench --bench compression -- FILE` measures on a part file, given by its full path.
//! Without a file it measures on the part that all benches use.

use std::env;
use std::path::Path;
use std::time::{Duration, Instant};

use enum48::internals::{Block, Encoder, PartWriter};
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

    println!("level,bits_per_state,encode_ns_per_state,decode_ns_per_state");
    for level in 1..=19 {
        let [bits, encode, decode] = measure(level, label, &sample, passes);
        println!("{level},{bits:.3},{encode:.2},{decode:.2}");
    }
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
    let mut encoding = Duration::ZERO;
    for states in sample {
        encoding += shortest(passes, || encoder.encode(states, &mut block).unwrap());
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
