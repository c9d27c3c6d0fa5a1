//! Measures operations on lists of states: sort, merge, encode, decode, look up, fingerprint.
//!
//! Key idea: lists of real states, as long as in the engine. The encoded list is a full block from
//! the middle of a part. The sorted or merged list is one range, which fits in a core's cache.

use std::fs;
use std::hint::black_box;

use criterion::measurement::WallTime;
use criterion::{BatchSize, BenchmarkGroup, Criterion, Throughput};
use criterion::{criterion_group, criterion_main};
use enum48::engine::LEVEL;
use enum48::game::Exp;
use enum48::internals::{BLOCK, Block, Encoder, Rules, Sorter, union, union_all};
use enum48::part::{Decoder, Kind, Part, fingerprint};
use enum48::read::Lookup;

mod layer;
use layer::{Layer, read};

/// Number of candidates of a range, about the size of the engine's ranges.
const RANGE: usize = 1 << 15;

fn lists(c: &mut Criterion) {
    let layer = Layer::count();
    let states = read(&layer.states);
    let mut group = c.benchmark_group("lists");
    group.sample_size(50);
    sort(&mut group, &candidates(&layer.afterstates));
    merge(&mut group, &states[states.len() / 2..][..RANGE]);
    code(&mut group, &layer, &states);
    group.finish();
}

/// Candidates of a spawned 2 in the middle range of the next layer, in order of production.
fn candidates(afterstates: &Part) -> Vec<u64> {
    let rules = Rules("4".parse().unwrap());
    let mut made = Vec::new();
    rules.spawn(&read(afterstates), Exp::TWO, &mut made);
    rules.canonicalise(&mut made);
    let mut sorted = made.clone();
    sorted.sort_unstable();
    let middle = sorted.len() / 2;
    let range = sorted[middle]..sorted[middle + RANGE];
    made.retain(|key| range.contains(key));
    made
}

fn sort(group: &mut BenchmarkGroup<WallTime>, candidates: &[u64]) {
    let mut sorter = Sorter::default();
    let mut expected = candidates.to_vec();
    expected.sort_unstable();
    expected.dedup();
    assert_eq!(sorter.sort_dedup(&[candidates]), expected);

    group.throughput(Throughput::Elements(candidates.len() as u64));
    group.bench_function("sort", |b| {
        b.iter(|| sorter.sort_dedup(&[candidates]).len());
    });
}

/// Two lists that share a third of their states, and eight lists that overlap in pairs.
fn merge(group: &mut BenchmarkGroup<WallTime>, states: &[u64]) {
    let pick = |wanted: &dyn Fn(u64) -> bool| -> Vec<u64> {
        states
            .iter()
            .copied()
            .filter(|&state| wanted(state))
            .collect()
    };
    let (a, b) = (pick(&|state| state % 3 != 0), pick(&|state| state % 3 != 1));
    let mut out = Vec::new();
    union(&a, &b, &mut out);
    assert_eq!(out, states);
    group.throughput(Throughput::Elements((a.len() + b.len()) as u64));
    group.bench_function("union", |bench| bench.iter(|| union(&a, &b, &mut out)));

    // States modulo 13: list k has k and k + 5, so that 5, 6 and 7 come twice.
    let eight: Vec<_> = (0..8)
        .map(|k| pick(&|state| [k, k + 5].contains(&(state % 13))))
        .collect();
    let mut lists = eight.clone();
    union_all(&mut lists, &mut out);
    assert_eq!(lists[0], states);
    group.throughput(Throughput::Elements(
        eight.iter().map(|list| list.len() as u64).sum(),
    ));
    group.bench_function("union_all/8", |b| {
        b.iter_batched_ref(
            || eight.clone(),
            |lists| union_all(lists, &mut out),
            BatchSize::PerIteration,
        );
    });
}

fn code(group: &mut BenchmarkGroup<WallTime>, layer: &Layer, states: &[u64]) {
    let part = &layer.states;
    let middle = part.blocks() / 2;
    let states = &states[middle * BLOCK..][..BLOCK];
    group.throughput(Throughput::Elements(BLOCK as u64));

    let (mut encoder, mut block) = (Encoder::new(LEVEL).unwrap(), Block::default());
    encoder.encode(states, &mut block).unwrap();
    let file = fs::read(part.path()).unwrap();
    assert!(
        file.windows(block.bytes.len())
            .any(|bytes| bytes == block.bytes)
    );
    group.bench_function("encode", |b| {
        b.iter(|| encoder.encode(states, &mut block).unwrap());
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
