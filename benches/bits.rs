//! Measures the kernels of bit matrices: a tile, a row of 88 lines, and the boards of a row.
//!
//! Key idea: the rows are as long as in 4x4 to 64. They fit in the first cache, so the times
//! measure instructions, not memory.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use enum48::internals::{
    BitLine, BitTile, LINE, ROOM, SharedHalf, combine, count, count_masked, count_masked_twice,
    extract, keep_canonical, or, or_masked, transpose,
};

/// Lines of the longest row of 4x4 to 64.
const LINES: usize = 88;

fn bits(c: &mut Criterion) {
    let mut random = fastrand::Rng::with_seed(1);
    // About one bit in eight is set, as in a layer.
    let mut line = || {
        BitLine(std::array::from_fn(|_| {
            random.u64(..) & random.u64(..) & random.u64(..)
        }))
    };
    let mut row = || -> Vec<BitLine> { (0..LINES).map(|_| line()).collect() };
    let [one, other, mask] = [(); 3].map(|()| row());
    let mut to = row();
    let mut tile: BitTile = one[..64].try_into().expect("64 lines");

    let mut group = c.benchmark_group("bits");
    group.throughput(Throughput::Elements(1));
    group.bench_function("transpose", |b| b.iter(|| transpose(black_box(&mut tile))));

    group.throughput(Throughput::Elements(LINES as u64));
    group.bench_function("or", |b| b.iter(|| or(black_box(&mut to), &one)));
    group.bench_function("or_masked", |b| {
        b.iter(|| or_masked(black_box(&mut to), &one, &mask));
    });
    group.bench_function("combine", |b| {
        b.iter(|| combine(black_box(&mut to), &one, &other, &mask));
    });
    group.bench_function("count", |b| b.iter(|| count(black_box(&one))));
    group.bench_function("count_masked", |b| {
        b.iter(|| count_masked(black_box(&one), &mask));
    });
    group.bench_function("count_masked_twice", |b| {
        b.iter(|| count_masked_twice(black_box(&one), &mask, &other));
    });

    let digits: Vec<u32> = (0..(LINES * LINE) as u32).collect();
    let mut found = [0; ROOM];
    // Few bits are set in both, so that the boards of a row fit.
    let all = count_masked(&one, &other);
    assert_eq!(
        extract(&one, &other, &digits, &mut found),
        (LINES, all as usize)
    );
    group.throughput(Throughput::Elements(all));
    group.bench_function("extract", |b| {
        b.iter(|| extract(black_box(&one), &other, &digits, &mut found));
    });

    // The kernel has no branch, so canonical and other boards take equal time.
    let shared = SharedHalf {
        half: 0x1234_5678 << 32,
        shift: 0,
    };
    let made: Vec<u32> = (0..all).map(|_| random.u32(..)).collect();
    group.throughput(Throughput::Elements(all));
    group.bench_function("keep_canonical", |b| {
        b.iter_batched_ref(
            || made.clone(),
            |digits| keep_canonical(shared, digits),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group!(benches, bits);
criterion_main!(benches);
