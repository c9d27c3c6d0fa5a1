//! A guard, not a bench: kernels whose instructions `scripts/instructions.py` counts under callgrind.
//! The script fails if a kernel needs more than `instructions.csv` says. The kernels are here, since
//! Cargo builds benches as it builds a release. `cargo bench` only runs them.
//!
//! Key idea: unlike times, instruction counts do not depend on the load of the machine. Each kernel
//! is a function that is not inlined and works on fixed real states; the script reads its
//! instructions. The program prints each kernel's name and number of elements. Called with `lists`
//! or `bits`, it counts a small game with that engine instead, on threads of its own.

use std::env;
use std::hint::black_box;

use enum48::Game;
use enum48::engine::{self, Engine, LEVEL, Plan, Silent};
use enum48::game::{Board, Exp, PartKey};
use enum48::internals::{
    BLOCK, BitLine, BitTile, Bitmap, Block, DigitBuffer, Encoder, Expand, ExpandScratch, Index,
    LINE, ROOM, RankTables, Ranking, Rules, SharedHalf, ValueEncoder, count, count_masked,
    expanding, extract, keep_canonical, or, or_masked, transpose,
};
use enum48::part::{Decoder, Kind, Part, Stream, ValueColumn, fingerprint};
use enum48::play::Code;
use enum48::read::Reader;
use enum48::solve::StateValues;
use enum48::store::{Goal, Keep, Run, Store};
use tempfile::TempDir;

mod solved;
use solved::Solved;

/// Boards of a slice, as in the engine.
const SLICE: usize = 1 << 12;

/// Bits of a range of ranks.
const BITS: u32 = 16;

/// The winning tile.
const WIN: Exp = Exp::of_tile(16).unwrap();

/// The part of 4x4 to 16 that the kernels work on.
const MIDDLE: PartKey = PartKey {
    sum: 36,
    max: Exp::of_tile(8).unwrap(),
};

#[inline(never)]
fn kernel_slide(rules: Rules, states: &[Board], slid: &mut [Vec<Board>; 4]) {
    rules.slide(states, WIN, slid.each_mut().map(Vec::as_mut_slice));
}

#[inline(never)]
fn kernel_canonicalise(rules: Rules, boards: &mut [Board]) {
    rules.canonicalise(boards);
}

#[inline(never)]
fn kernel_spawn(rules: Rules, afterstates: &[Board], made: &mut Vec<Board>) {
    rules.spawn(afterstates, Exp::TWO, made);
}

#[inline(never)]
fn kernel_census(rules: Rules, states: &mut Vec<Board>) {
    rules.census(states);
}

#[inline(never)]
fn kernel_bitmap(bitmap: &mut Bitmap, offsets: &[u32], ranks: &mut Vec<u64>) {
    bitmap.take(BITS, &[offsets]);
    bitmap.ranks(0..1 << BITS, 0, ranks);
}

#[inline(never)]
fn kernel_unrank(ranking: &Ranking, ranks: &mut [u64]) {
    ranking.decode(ranks);
}

#[inline(never)]
fn kernel_encode(encoder: &mut Encoder, ranking: &Ranking, states: &[Board], block: &mut Block) {
    encoder.encode(ranking, states, block).expect("zstd works");
}

#[inline(never)]
fn kernel_decode(decoder: &mut Decoder, part: &Part, out: &mut Vec<Board>) {
    part.read_block(0, decoder, out).expect("it was encoded");
}

#[inline(never)]
fn kernel_fingerprint(states: &[Board]) {
    black_box(fingerprint(states));
}

#[inline(never)]
fn kernel_transpose(tile: &mut BitTile) {
    transpose(tile);
}

#[inline(never)]
fn kernel_or(to: &mut [BitLine], from: &[BitLine]) {
    or(to, from);
}

#[inline(never)]
fn kernel_or_masked(to: &mut [BitLine], from: &[BitLine], mask: &[BitLine]) {
    or_masked(to, from, mask);
}

#[inline(never)]
fn kernel_count_bits(row: &[BitLine]) {
    black_box(count(row));
}

#[inline(never)]
fn kernel_count_masked(row: &[BitLine], mask: &[BitLine]) {
    black_box(count_masked(row, mask));
}

/// Returns the number of boards.
#[inline(never)]
fn kernel_extract(
    bits: &[BitLine],
    mask: &[BitLine],
    digits: &[u32],
    found: &mut DigitBuffer,
) -> usize {
    let (mut line, mut all) = (0, 0);
    while line < bits.len() {
        let (lines, boards) = extract(&bits[line..], &mask[line..], &digits[line * LINE..], found);
        line += lines;
        all += boards;
    }
    all
}

#[inline(never)]
fn kernel_keep_canonical(shared: SharedHalf, digits: &mut [u32]) {
    black_box(keep_canonical(shared, digits));
}

#[inline(never)]
fn kernel_ranks(ranking: &Ranking, boards: &[Board], ranks: &mut Vec<u64>) {
    ranking.ranks(boards, ranks);
}

#[inline(never)]
fn kernel_places(index: &Index, ranks: &[u64], places: &mut Vec<u32>) {
    index.places(ranks, places);
}

#[inline(never)]
fn kernel_values(expand: &Expand, afterstates: &[Board], values: &mut Vec<u32>) {
    let found = expand.values(afterstates, &mut ExpandScratch::default(), values);
    found.expect("each afterstate is there");
    assert_eq!(values.len(), afterstates.len());
}

#[inline(never)]
fn kernel_values_of_four(expand: &Expand, afterstates: &[Board], values: &mut Vec<u32>) {
    let found = expand.values(afterstates, &mut ExpandScratch::default(), values);
    found.expect("each afterstate is there");
    assert_eq!(values.len(), 4 * afterstates.len());
}

#[inline(never)]
fn kernel_state_values(found: &mut StateValues, key: PartKey, states: &[Board]) {
    let values = found.of(key, states).expect("each afterstate is there");
    assert_eq!(values.len(), states.len());
}

#[inline(never)]
fn kernel_encode_values(
    encoder: &mut ValueEncoder,
    keys: &[Board],
    values: &[u32],
    block: &mut Block,
) {
    encoder.encode(keys, values, block).expect("zstd works");
}

#[inline(never)]
fn kernel_decode_values(column: &ValueColumn, decoder: &mut Decoder, out: &mut Vec<u32>) {
    column.read_block(0, decoder, out).expect("it was encoded");
}

#[inline(never)]
fn kernel_replay(code: &str) {
    black_box(code.parse::<Code>().expect("the code is true"));
}

/// The middle part of 4x4 to 16, states and afterstates.
fn parts(game: &Game, place: &TempDir) -> [Part; 2] {
    let mut store = Store::open(place.path(), game, None).expect("a new run");
    let plan = Plan::new(64 << 20, 1)
        .expect("memory enough")
        .with_engine(Some(Engine::Lists));
    engine::count(&mut store, &plan, Some(MIDDLE.sum), &mut Silent).expect("a count");
    drop(store);
    let reader = Reader::new(Run::open(place.path()).expect("a run"), &plan);
    let part = |kind| reader.part(kind, MIDDLE).expect("sound").expect("there");
    [part(Kind::States), part(Kind::Afterstates)]
}

/// Boards from the middle of a part.
fn slice(part: &Part) -> Vec<Board> {
    let boards = Stream::new(part.clone()).expect("zstd works");
    let boards = boards.skip(part.states() as usize / 2);
    boards
        .take(SLICE)
        .map(|board| board.expect("sound"))
        .collect()
}

/// Count 3x3 to 64 as lists, or 4x4 to 16 up to sum 40 as bits. Returns the number of states.
fn count_states(engine: Engine, place: &TempDir) -> u64 {
    let (game, until) = match engine {
        Engine::Bits => ("4x4-16", Some(40)),
        _ => ("3x3-64", None),
    };
    let game = game.parse().expect("a game");
    let mut store = Store::open(place.path(), &game, Some(Keep::Last)).expect("a new run");
    let plan = Plan::new(64 << 20, 1)
        .expect("memory enough")
        .with_engine(Some(engine));
    engine::count(&mut store, &plan, until, &mut Silent).expect("a count");
    store.run().table().totals().states()
}

fn main() {
    for (name, engine) in [("lists", Engine::Lists), ("bits", Engine::Bits)] {
        if env::args().any(|argument| argument == name) {
            let place = tempfile::tempdir().expect("a directory");
            return println!("{name} {}", count_states(engine, &place));
        }
    }
    let game: Game = "4x4-16".parse().expect("a game");
    let rules = Rules(game.size());
    let place = tempfile::tempdir().expect("a directory");
    let parts = parts(&game, &place);
    let [states, afterstates] = [slice(&parts[0]), slice(&parts[1])];
    let done = |kernel: &str, elements: usize| println!("{kernel} {elements}");

    let mut slid: [Vec<Board>; 4] = [0; 4].map(|_: u8| vec![0; SLICE]);
    kernel_slide(rules, &states, &mut slid);
    done("slide", SLICE);

    let mut moved = slid.concat();
    let shared = SharedHalf {
        half: 0x1234_5678 << 32,
        shift: 0,
    };
    let mut bottoms: Vec<u32> = moved.iter().map(|&board| board as u32).collect();
    kernel_keep_canonical(shared, &mut bottoms);
    done("keep_canonical", moved.len());
    kernel_canonicalise(rules, &mut moved);
    done("canonicalise", moved.len());

    let mut made = Vec::with_capacity(16 * SLICE);
    kernel_spawn(rules, &afterstates, &mut made);
    done("spawn", made.len());

    kernel_census(rules, &mut states.clone());
    done("census", SLICE);

    let (mut encoder, mut block) = (Encoder::new(LEVEL).expect("zstd"), Block::default());
    kernel_encode(
        &mut encoder,
        &Ranking::of_part(parts[0].label().size, parts[0].label().key),
        &states,
        &mut block,
    );
    done("encode", SLICE);

    let (mut decoder, mut decoded) = (Decoder::new().expect("zstd"), Vec::with_capacity(BLOCK));
    kernel_decode(&mut decoder, &parts[0], &mut decoded);
    done("decode", decoded.len());

    kernel_fingerprint(&states);
    done("fingerprint", SLICE);

    let boards: Vec<BitLine> = states
        .chunks(8)
        .map(|words| BitLine(words.try_into().expect("eight")))
        .collect();
    let (row, other) = boards.split_at(boards.len() / 2);
    let bits = row.len() * LINE;
    kernel_transpose(&mut row[..64].try_into().expect("64 lines"));
    done("transpose", 64 * LINE);
    kernel_or(&mut row.to_vec(), other);
    done("or", bits);
    kernel_or_masked(&mut row.to_vec(), other, row);
    done("or_masked", bits);
    kernel_count_bits(row);
    done("count_bits", bits);
    kernel_count_masked(row, other);
    done("count_masked", bits);

    let digits: Vec<u32> = (0..bits as u32).collect();
    let found = kernel_extract(row, other, &digits, &mut [0; ROOM]);
    done("extract", found);

    let tables = RankTables::new(game.size(), WIN, MIDDLE.sum);
    let ranking = tables.of_sum(MIDDLE.sum);
    let (mut ranks, mut places) = (Vec::with_capacity(SLICE), Vec::with_capacity(SLICE));
    kernel_ranks(&ranking, &afterstates, &mut ranks);
    done("ranks", SLICE);
    let offsets: Vec<u32> = ranks
        .iter()
        .map(|rank| (rank % (1 << BITS)) as u32)
        .collect();
    kernel_bitmap(
        &mut Bitmap::default(),
        &offsets,
        &mut Vec::with_capacity(SLICE),
    );
    done("bitmap", SLICE);
    // The first call makes a table.
    ranking.decode(&mut []);
    kernel_unrank(&ranking, &mut ranks.clone());
    done("unrank", SLICE);
    let mut index = Index::new(ranking.boards(), SLICE as u64).expect("memory");
    index.announce(&ranks);
    index.make_records().expect("memory");
    index.insert(&ranks);
    index.number();
    kernel_places(&index, &ranks, &mut places);
    done("places", SLICE);

    solving(&done);

    kernel_replay("s1.3x3.0.31.-/t/v97/7/g.1385f34a");
    done("replay", 31);
}

/// The kernels that find and store values, on the largest part of 3x3 to 64.
fn solving(done: &dyn Fn(&str, usize)) {
    let solved = Solved::new("3x3-64", &["score", "moves", "32", "64"]);
    let solution = &solved.solution;
    let key = PartKey {
        sum: 90,
        max: Exp::of_tile(32).expect("a tile"),
    };
    let part = solved.reader.part(Kind::Afterstates, key);
    let part = part.expect("sound").expect("there");
    let afterstates = slice(&part);
    let goals: Vec<Goal> = solution.goals().collect();
    let mut values = Vec::with_capacity(SLICE);
    expanding(solution, &goals[..1], key.sum, |expand| {
        kernel_values(expand, &afterstates, &mut values);
    })
    .expect("sound");
    done("values", SLICE);
    expanding(solution, &goals, key.sum, |expand| {
        kernel_values_of_four(expand, &afterstates, &mut Vec::with_capacity(4 * SLICE));
    })
    .expect("sound");
    done("values_of_four", SLICE);
    let states = solved.reader.part(Kind::States, key);
    let states = slice(&states.expect("sound").expect("there"));
    let mut found = StateValues::new(solution, &solved.reader, &goals[..1]).expect("zstd");
    kernel_state_values(&mut found, key, &states);
    done("state_values", SLICE);

    let (mut encoder, mut block) = (ValueEncoder::new().expect("zstd"), Block::default());
    kernel_encode_values(&mut encoder, &afterstates, &values, &mut block);
    done("encode_values", SLICE);
    let column = solution.values(goals[0].objective, &part);
    let column = column.expect("sound").expect("solved");
    let (mut decoder, mut decoded) = (Decoder::new().expect("zstd"), Vec::new());
    kernel_decode_values(&column, &mut decoder, &mut decoded);
    done("decode_values", decoded.len());
}
