//! Measures whole counts, from an empty directory to a committed one.
//!
//! Key idea: two games, slow for opposite reasons. 3x3 to 64 has many small layers, so it shows the
//! cost of a layer and its files. 4x4 has few large layers, so it shows the cost of a state.

use criterion::{BatchSize, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use enum48::Game;
use enum48::engine::{self, Plan, Silent};
use enum48::store::Store;
use tempfile::TempDir;

/// Board size, winning tile, last sum, and the number of live and dead states. The numbers come
/// from a separate program that shares no code with this one.
const GAMES: [(&str, u32, Option<u32>, u64); 2] =
    [("3", 64, None, 609_981), ("4", 16, Some(40), 1_691_462)];

fn count(c: &mut Criterion) {
    let mut group = c.benchmark_group("count");
    group.sample_size(10).sampling_mode(SamplingMode::Flat);
    for (size, max, until, states) in GAMES {
        let game = Game::new(size.parse().unwrap(), Some(max)).unwrap();
        let plan = Plan::new(256 << 20, 2).unwrap();
        // The directory is returned with the store, so that its deletion is not measured.
        let count = |place: TempDir| {
            let mut store = Store::open(place.path(), &game, None).unwrap();
            engine::count(&mut store, &plan, until, &mut Silent).unwrap();
            (store, place)
        };
        let place = || tempfile::tempdir().unwrap();
        let (store, _place) = count(place());
        assert_eq!(store.run().table().totals().states(), states, "{game}");

        let name = until.map_or(game.to_string(), |sum| format!("{game} until {sum}"));
        group.throughput(Throughput::Elements(states));
        group.bench_function(name, |b| {
            b.iter_batched(place, count, BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, count);
criterion_main!(benches);
