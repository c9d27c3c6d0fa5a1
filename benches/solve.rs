//! Measures solving: look-ups in a layer, and the values of a layer of afterstates or of states.
//!
//! Key idea: real layers. Boards are looked up in sorted and in random order. The layer of 4x4
//! exceeds the caches, so memory limits the speed. Values are computed for a middle layer of
//! 3x3 from the values that solving wrote.

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use enum48::game::{Board, Exp, PartKey};
use enum48::internals::{Expand, ExpandScratch, Index, RankTables, Ranking, expanding};
use enum48::part::{Decoder, Kind, ValueColumn};
use enum48::solve::{StateValues, Values};
use enum48::store::Goal;

mod layer;
use layer::{Layer, read};
mod solved;
use solved::Solved;

/// Objectives that are solved together. Score is also solved alone.
const OBJECTIVES: [&str; 4] = ["score", "moves", "64", "128"];

/// The largest part of 3x3 to 128.
const MIDDLE: PartKey = PartKey {
    sum: 160,
    max: Exp::of_tile(64).unwrap(),
};

/// Number of boards in one look-up, about the number in solving.
const SLICE: usize = 1 << 12;

fn solve(c: &mut Criterion) {
    look_up(&mut c.benchmark_group("look up"), &Layer::count());
    let solved = Solved::new("3x3-128", &OBJECTIVES);
    let goals: Vec<Goal> = solved.solution.goals().collect();
    let mut group = c.benchmark_group("values");
    for goals in [&goals[..1], &goals] {
        afterstates(&mut group, &solved, goals);
        states(&mut group, &solved, goals);
    }
    group.finish();
}

/// Measures ranking afterstates, looking ranks up, and both together.
fn look_up(group: &mut BenchmarkGroup<WallTime>, layer: &Layer) {
    let label = layer.afterstates.label();
    let size = "4".parse().unwrap();
    let tables = RankTables::new(size, label.win, label.key.sum);
    let ranking = tables.of_sum(label.key.sum);
    let mut boards = read(&layer.afterstates);
    let (mut ranks, mut places) = (Vec::new(), Vec::new());
    ranking.ranks(&boards, &mut ranks);
    let index = index_of(&ranking, &ranks);
    index.places(&ranks, &mut places);
    // The order of ranks differs from the order of boards.
    places.sort_unstable();
    assert!(places.iter().copied().eq(0..boards.len() as u32));

    group.throughput(Throughput::Elements(boards.len() as u64));
    group.bench_function("build", |b| b.iter(|| index_of(&ranking, &ranks)));
    for order in ["sorted", "shuffled"] {
        if order == "shuffled" {
            fastrand::Rng::with_seed(48).shuffle(&mut boards);
        }
        let rank = |boards: &[Board], ranks: &mut Vec<u64>| {
            ranks.clear();
            ranking.ranks(boards, ranks);
        };
        let mut found = Vec::new();
        group.bench_function(format!("rank/{order}"), |b| {
            b.iter(|| {
                for boards in boards.chunks(SLICE) {
                    rank(boards, &mut found);
                }
            });
        });
        rank(&boards, &mut ranks);
        group.bench_function(format!("place/{order}"), |b| {
            b.iter(|| {
                for ranks in ranks.chunks(SLICE) {
                    index.places(ranks, &mut places);
                }
            });
        });
        group.bench_function(format!("both/{order}"), |b| {
            b.iter(|| {
                for boards in boards.chunks(SLICE) {
                    rank(boards, &mut found);
                    index.places(&found, &mut places);
                }
            });
        });
    }
}

/// An index of the boards with these ranks.
fn index_of(ranking: &Ranking, ranks: &[u64]) -> Index {
    let mut index = Index::new(ranking.boards(), ranks.len() as u64).unwrap();
    index.announce(ranks);
    index.make_records().unwrap();
    index.insert(ranks);
    assert_eq!(index.number(), ranks.len() as u64);
    index
}

/// The values of a part of afterstates, from the layers above.
fn afterstates(group: &mut BenchmarkGroup<WallTime>, solved: &Solved, goals: &[Goal]) {
    let solution = &solved.solution;
    let part = solved.reader.part(Kind::Afterstates, MIDDLE).unwrap();
    let part = part.unwrap();
    let boards = read(&part);
    let columns: Vec<Vec<u32>> = goals
        .iter()
        .map(|goal| column(&solution.values(goal.objective, &part).unwrap().unwrap()))
        .collect();
    group.throughput(Throughput::Elements(boards.len() as u64));
    let name = format!("afterstates/{}", goals.len());
    let (mut scratch, mut values) = (ExpandScratch::default(), Vec::new());
    let bench = |expand: &Expand| {
        group.bench_function(name, |b| {
            b.iter(|| {
                values.clear();
                expand.values(&boards, &mut scratch, &mut values).unwrap();
            });
        });
    };
    expanding(solution, goals, MIDDLE.sum, bench).unwrap();
    for (goal, column) in columns.iter().enumerate() {
        let values = values.iter().skip(goal).step_by(goals.len());
        assert!(values.eq(column), "not what solving wrote");
    }
}

/// All values of a file.
fn column(column: &ValueColumn) -> Vec<u32> {
    let (mut decoder, mut values) = (Decoder::new().unwrap(), Vec::new());
    for block in 0..column.blocks() {
        column.read_block(block, &mut decoder, &mut values).unwrap();
    }
    values
}

/// The values of a part of states, from the files.
fn states(group: &mut BenchmarkGroup<WallTime>, solved: &Solved, goals: &[Goal]) {
    let (solution, reader) = (&solved.solution, &solved.reader);
    let states = read(&reader.part(Kind::States, MIDDLE).unwrap().unwrap());
    let mut found = StateValues::new(solution, reader, goals).unwrap();
    let mut values = Vec::new();
    group.throughput(Throughput::Elements(states.len() as u64));
    group.bench_function(format!("states/{}", goals.len()), |b| {
        b.iter(|| values = found.of(MIDDLE, &states).unwrap());
    });

    let mut moves = Values::new(solution, reader, goals, 1 << 20).unwrap();
    let last = moves.moves(states[states.len() - 1]).unwrap();
    let best = last.iter().map(|made| made.numbers[0]).fold(0.0, f64::max);
    assert_eq!(values[values.len() - goals.len()], best);
}

criterion_group!(benches, solve);
criterion_main!(benches);
