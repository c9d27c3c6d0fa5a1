//! Measures codes of games: moves to characters and back, and whole games, in ns per move.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use enum48::Game;
use enum48::game::Direction;
use enum48::play::{Chance, Code, Luck, Position, Seed, Status, decode_moves, encode_moves};

/// A long game: plays the first legal move of left, up, right, down, from the seed that lasts
/// longest.
fn long_game(game: Game) -> (Seed, Vec<Direction>) {
    let order = [
        Direction::Left,
        Direction::Up,
        Direction::Right,
        Direction::Down,
    ];
    let play = |seed| {
        let (mut chance, mut position) = (Chance::new(seed), Position::new(game));
        let mut moves = Vec::new();
        for _ in 0..2 {
            let spawn = chance.spawn(&position);
            position.place(spawn);
        }
        while position.status() == Status::Live {
            moves.extend(
                order
                    .into_iter()
                    .find(|&direction| position.slide(direction)),
            );
            let spawn = chance.spawn(&position);
            position.place(spawn);
        }
        (seed, moves)
    };
    let games = (0..200).map(|seed| play(Seed(seed)));
    games
        .max_by_key(|(_, moves)| moves.len())
        .expect("there are games")
}

fn codes(c: &mut Criterion) {
    let million: Vec<Direction> = (0..1_000_000)
        .map(|at| Direction::ALL[at * 7 / 5 % 4])
        .collect();
    let text = encode_moves(&million);
    let mut group = c.benchmark_group("a million moves");
    group
        .throughput(Throughput::Elements(1_000_000))
        .sample_size(20);
    group.bench_function("encode", |b| b.iter(|| encode_moves(&million)));
    group.bench_function("decode", |b| b.iter(|| decode_moves(&text).unwrap().len()));
    group.finish();

    let game: Game = "4x4".parse().expect("a game");
    let (seed, moves) = long_game(game);
    let code = Code::new(game, Luck::Seed(seed), moves.clone()).expect("it was played");
    let text = code.to_string();
    let mut group = c.benchmark_group("a game");
    group.throughput(Throughput::Elements(moves.len() as u64));
    group.bench_function("write", |b| b.iter(|| code.to_string().len()));
    group.bench_function("read and play", |b| {
        b.iter(|| text.parse::<Code>().unwrap().end().score());
    });
    group.finish();
}

criterion_group!(benches, codes);
criterion_main!(benches);
