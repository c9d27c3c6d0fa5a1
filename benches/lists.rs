//! Measures operations on lists of states: rank, unite, encode, decode, look up, fingerprint.
//!
//! Key idea: lists of real states, as long as in the engine. The encoded list is a full block from
//! the middle of a part. The candidates are those of one range, which fits in a core's cache.

use std::fs;
use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput};
use criterion::{criterion_group, criterion_main};
use enum48::engine::LEVEL;
use enum48::game::{Exp, max_exp};
use enum48::internals::{BLOCK, Bitmap, Block, Encoder, RankTables, Ranking, Rules};
use enum48::part::{Decoder, Kind, fingerprint};
use enum48::read::Lookup;

mod layer;
use layer::{Layer, read};

/// Ranks of a range, as a power of two.
const BITS: u32 = 21;

/// Sum and largest tile of the candidates.
const SUM: u32 = 54;
const MAX: Exp = Exp::of_tile(16).unwrap();

fn lists(c: &mut Criterion) {
    let layer = Layer::count();
    let states = read(&layer.states);
    let mut group = c.benchmark_group("lists");
    group.sample_size(50);
    unite(&mut group, &layer);
    code(&mut group, &layer, &states);
    group.finish();
}

/// Candidates of a spawned 2 in the middle range of the next layer, in order of production: to ranks,
/// and through a bitmap to boards.
fn unite(group: &mut BenchmarkGroup<WallTime>, layer: &Layer) {
    let rules = Rules("4".parse().unwrap());
    let mut made = Vec::new();
    rules.spawn(&read(&layer.afterstates), Exp::TWO, &mut made);
    rules.canonicalise(&mut made);
    made.retain(|&board| max_exp(board) == MAX);
    let ranking = RankTables::new(rules.0, MAX, SUM).of_sum(SUM);
    let mut ranks = Vec::new();
    ranking.ranks(&made, &mut ranks);
    let mut sorted = ranks.clone();
    sorted.sort_unstable();
    let range = sorted[sorted.len() / 2] >> BITS;
    let within = |&at: &usize| ranks[at] >> BITS == range;
    let places: Vec<usize> = (0..made.len()).filter(within).collect();
    let boards: Vec<u64> = places.iter().map(|&at| made[at]).collect();
    let offsets: Vec<u32> = places
        .iter()
        .map(|&at| (ranks[at] % (1 << BITS)) as u32)
        .collect();

    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("rank", |b| {
        b.iter(|| {
            ranks.clear();
            ranking.ranks(&boards, &mut ranks);
            ranks.len()
        });
    });
    let (mut bitmap, mut found) = (Bitmap::default(), Vec::new());
    let mut unite = || {
        bitmap.take(BITS, &[&offsets]);
        found.clear();
        bitmap.ranks(0..1 << BITS, range << BITS, &mut found);
        ranking.decode(&mut found);
        found.len()
    };
    unite();
    group.bench_function("unite", |b| b.iter(&mut unite));
    let mut expected = boards;
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(found, expected);
}

fn code(group: &mut BenchmarkGroup<WallTime>, layer: &Layer, states: &[u64]) {
    let part = &layer.states;
    let middle = part.blocks() / 2;
    let states = &states[middle * BLOCK..][..BLOCK];
    group.throughput(Throughput::Elements(BLOCK as u64));

    let (mut encoder, mut block) = (Encoder::new(LEVEL).unwrap(), Block::default());
    let ranking = Ranking::of_part(part.label().size, part.label().key);
    encoder.encode(&ranking, states, &mut block).unwrap();
    let file = fs::read(part.path()).unwrap();
    assert!(
        file.windows(block.bytes.len())
            .any(|bytes| bytes == block.bytes)
    );
    group.bench_function("encode", |b| {
        b.iter(|| encoder.encode(&ranking, states, &mut block).unwrap());
    });

    let (mut decoder, mut decoded) = (Decoder::new().unwrap(), Vec::new());
    let mut decode = || {
        decoded.clear();
        part.read_block(middle, &mut decoder, &mut decoded).unwrap();
        decoded.len()
    };
    assert_eq!(decode(), BLOCK);
    group.bench_function("decode", |b| b.iter(&mut decode));
    assert_eq!(decoded, states);

    let mut lookup = Lookup::new(&layer.reader, 0).unwrap();
    let mut position = |state| lookup.position(Kind::States, state).unwrap();
    let first = (middle * BLOCK) as u64;
    assert_eq!(position(states[7]), Some(first + 7));
    // In order, so that one block is decoded for all of them.
    group.bench_function("position", |b| {
        b.iter(|| {
            for &state in states {
                black_box(position(state));
            }
        });
    });

    assert_eq!(fingerprint(states), block.fingerprint);
    group.bench_function("fingerprint", |b| b.iter(|| fingerprint(black_box(states))));
}

criterion_group!(benches, lists);
criterion_main!(benches);
