//! Measures the rules: slide, canonical form, spawn, census, and expansion (slide and canonical
//! form together).
//!
//! Key idea: the slices of real states have the engine's size. So the new boards stay in cache, as
//! they do in the engine.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use enum48::game::{Board, Exp, Tally};
use enum48::internals::Rules;

mod layer;
use layer::{Layer, read};

/// Boards of a slice.
const SLICE: usize = 1 << 12;

/// The winning tile.
const WIN: Exp = Exp::of_tile(32).unwrap();

/// Afterstates of a slice in each direction.
type Slid = [Vec<Board>; 4];

fn game(c: &mut Criterion) {
    let layer = Layer::count();
    let rules = Rules("4".parse().unwrap());
    let (states, afterstates) = (read(&layer.states), read(&layer.afterstates));
    check(rules, &states, &afterstates);

    let mut slice = states[states.len() / 2..][..SLICE].to_vec();
    let mut slid = Slid::default();
    let mut group = c.benchmark_group("game");
    group.throughput(Throughput::Elements(SLICE as u64));
    group.bench_function("slide", |b| {
        b.iter(|| slide(rules, black_box(&slice), &mut slid));
    });
    group.bench_function("expand", |b| {
        b.iter(|| expand(rules, black_box(&slice), &mut slid));
    });
    // The kernels have no branch, so canonical boards and live states take no less time than
    // others.
    group.bench_function("canonicalise", |b| {
        b.iter(|| rules.canonicalise(black_box(&mut slice)));
    });
    group.bench_function("census", |b| b.iter(|| rules.census(black_box(&mut slice))));

    let afterstates = &afterstates[afterstates.len() / 2..][..SLICE / 4];
    let mut made = Vec::new();
    let mut spawn = || {
        made.clear();
        rules.spawn(black_box(afterstates), Exp::TWO, &mut made);
        made.len() as u64
    };
    group.throughput(Throughput::Elements(spawn()));
    group.bench_function("spawn", |b| b.iter(&mut spawn));
    group.finish();
}

/// Move in all four directions.
fn slide(rules: Rules, states: &[Board], slid: &mut Slid) {
    slid.iter_mut().for_each(|out| out.resize(states.len(), 0));
    rules.slide(states, WIN, slid.each_mut().map(Vec::as_mut_slice));
}

/// Move and canonicalise. The engine also drops most duplicates between the two steps.
fn expand(rules: Rules, states: &[Board], slid: &mut Slid) {
    slide(rules, states, slid);
    slid.iter_mut()
        .for_each(|boards| rules.canonicalise(boards));
}

/// Run each kernel once on the whole part, and compare with the numbers of a separate program. That
/// program shares no code with this one.
fn check(rules: Rules, states: &[Board], afterstates: &[Board]) {
    let mut slid = Slid::default();
    expand(rules, states, &mut slid);
    let mut moved = slid.concat();
    moved.retain(|&board| board != 0);
    assert_eq!(moved.len(), 9_282_322, "moves that do not win");
    moved.sort_unstable();
    moved.dedup();
    assert_eq!(moved.len(), 382_688, "afterstates");

    let mut made = Vec::new();
    rules.spawn(afterstates, Exp::TWO, &mut made);
    assert_eq!(made.len(), 2_487_342, "empty cells of the afterstates");

    let found = rules.census(&mut states.to_vec());
    assert_eq!(
        found,
        Tally {
            labeled: 19_377_912,
            ..Tally::default()
        }
    );
}

criterion_group!(benches, game);
criterion_main!(benches);
