//! Damage to a solution: `verify` reports the file, and no solver uses damaged files.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs;
use std::path::Path;

use enum48::engine::{self, Silent};
use enum48::internals::{Block, PartWriter, ValueEncoder};
use enum48::part::{Fingerprint, ValueColumn, fingerprint};
use enum48::solve::Values;
use enum48::store::{Rounding, Run, Solution};
use enum48::verify::{self, deep};
use enum48::{Error, Game, SolvingError};
use rayon::ThreadPool;

use super::bytes::StopAfter;
use super::{Counted, plan, values};
use crate::files::files;
use crate::manifest::seal_manifest;
use crate::read::reader;
use crate::share::share;
use crate::verify::{forge, seal_part, states};

const NAMES: [&str; 2] = ["score", "16"];

fn victim() -> Counted {
    Counted::solved("2x2-32", &NAMES, Rounding::Nearest)
}

/// A solved game with few files, so that each byte can be damaged.
fn small_victim() -> Counted {
    Counted::solved("2x2-16", &["score"], Rounding::Nearest)
}

impl Counted {
    fn findings(&self) -> Vec<Error> {
        thread_local! {
            static POOL: ThreadPool = engine::pool(1).unwrap();
        }
        let run = Run::open(self.dir()).unwrap();
        POOL.with(|pool| verify::verify(&reader(run), pool, &mut Silent))
            .unwrap()
            .findings
    }

    /// The findings of a deep verification, which makes every value again.
    fn deep_findings(&self, memory: u64) -> Vec<Error> {
        let pool = engine::pool(2).unwrap();
        let solution = self.solution();
        let reader = reader(solution.run().clone());
        deep::values::verify(&solution, &reader, &pool, memory, &mut Silent).unwrap()
    }

    /// Checks that `verify` reports damage to the file `name`, and that a solver refuses it.
    fn suffers(&self, name: &str, what: &str) {
        let named = |error: &Error| error.to_string().contains(name);
        let found = self.findings();
        assert!(found.iter().any(named), "{what}: {found:?}");
        let solved = self.solve(&["score"], Rounding::Nearest, &plan(1));
        assert!(solved.as_ref().is_err_and(named), "{what}: {solved:?}");
    }
}

#[test]
fn damage_at_every_byte_of_a_solution_is_reported_by_name() {
    let victim = small_victim();
    let mut solution = files(victim.dir());
    solution.retain(|name, _| name.ends_with(".values") || name == "solution.json");
    let places = solution
        .iter()
        .flat_map(|(name, bytes)| (0..bytes.len()).map(move |at| (name, bytes, at)));
    let places: Vec<_> = places.collect();
    assert!(places.len() > 2_500, "only {}", places.len());
    for (name, bytes, at) in share(places) {
        let path = victim.dir().join(name);
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (at % 8);
        for (damaged, how) in [(&flipped[..], "flipped"), (&bytes[..at], "cut")] {
            fs::write(&path, damaged).unwrap();
            victim.suffers(name, &format!("{name}: {how} at {at}"));
        }
        fs::write(&path, bytes).unwrap();
    }
    for (name, bytes) in &solution {
        let path = victim.dir().join(name);
        fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
        victim.suffers(name, &format!("{name}: a byte appended"));
        if name != "solution.json" {
            fs::remove_file(&path).unwrap();
            victim.suffers(name, &format!("{name}: deleted"));
        }
        fs::write(&path, bytes).unwrap();
    }
    assert!(victim.findings().is_empty(), "all was put back");
}

#[test]
fn damaged_guard_bits_are_reported_and_not_used() {
    let run = Counted::new("2x2-16");
    let mut stop = StopAfter(4);
    let goals = ["score:8"];
    run.solve_watched(&goals, Rounding::Nearest, &plan(1), &mut stop)
        .unwrap();
    let mut exact = files(run.dir());
    exact.retain(|name, _| name.ends_with(".exact"));
    assert_eq!(exact.len(), 2, "{:?}", exact.keys());
    for (name, bytes) in exact {
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        fs::write(run.dir().join(&name), flipped).unwrap();
        let named = |error: &Error| error.to_string().contains(&name);
        assert!(run.findings().iter().any(named), "{name}");
        let solved = run.solve(&goals, Rounding::Nearest, &plan(1));
        assert!(solved.as_ref().is_err_and(named), "{name}: {solved:?}");
        fs::write(run.dir().join(&name), bytes).unwrap();
    }
    run.solve(&goals, Rounding::Nearest, &plan(1)).unwrap();
    assert!(run.findings().is_empty());
}

/// The values above are rounded, so a value made again may be off by one.
#[test]
fn deep_verification_finds_rounded_values_off_by_two() {
    let victim = Counted::solved("2x2-32", &["score:8"], Rounding::Nearest);
    let (keys, good) = part_of_sum_12(&victim, "score");
    let file = "sum-00012-max-00008.score.values";
    for off in [2, 2u32.wrapping_neg()] {
        let values: Vec<u32> = good.iter().map(|value| value.wrapping_add(off)).collect();
        forge_values(&victim.dir().join(file), &keys, &values);
        assert!(victim.findings().is_empty(), "its checksums fit");
        let found = victim.deep_findings(1 << 30);
        assert!(found[0].to_string().contains(file), "{found:?}");
    }
}

#[test]
fn files_of_other_values_are_refused() {
    let victim = victim();
    let strangers = files(small_victim().dir());
    for (name, bytes) in files(victim.dir()) {
        let theirs = strangers.get(&name).filter(|&theirs| *theirs != bytes);
        if let Some(theirs) =
            theirs.filter(|_| name.ends_with(".values") || name == "solution.json")
        {
            fs::write(victim.dir().join(&name), theirs).unwrap();
            victim.suffers(&name, &name);
            fs::write(victim.dir().join(&name), bytes).unwrap();
        }
    }
    // Values of the right afterstates, but of another objective.
    let [score, tile] = NAMES.map(|name| format!("sum-00012-max-00008.{name}.values"));
    fs::copy(victim.dir().join(&tile), victim.dir().join(&score)).unwrap();
    victim.suffers(&score, "values of another objective");
}

#[test]
fn unlisted_values_are_reported_and_later_deleted() {
    let victim = victim();
    let before = files(victim.dir());
    let stray = "sum-00098-max-00008.score.values";
    let half = "sum-00012-max-00004.16.values.tmp";
    for name in [stray, half] {
        fs::write(victim.dir().join(name), "half").unwrap();
    }
    let run = Run::open(victim.dir()).unwrap();
    let pool = engine::pool(1).unwrap();
    let report = verify::verify(&reader(run), &pool, &mut Silent).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    for name in [stray, half] {
        let named = |remark: &String| remark.contains(name);
        assert!(report.remarks.iter().any(named), "{:?}", report.remarks);
    }
    let solved: Vec<_> = report
        .solved
        .iter()
        .map(|solved| (solved.from, solved.values))
        .collect();
    // Each objective has a value for every afterstate, from sum 4 on.
    let afterstates = report.afterstates;
    assert_eq!(solved, [(4, afterstates), (4, afterstates)]);
    victim.solve(&NAMES, Rounding::Nearest, &plan(1)).unwrap();
    assert!(files(victim.dir()) == before);
}

/// Each forgery has the right checksum.
#[test]
fn a_solution_of_impossible_goals_is_refused_by_every_reader() {
    let victim = victim();
    let path = victim.dir().join("solution.json");
    let good = fs::read_to_string(&path).unwrap();
    let last = "\"solved_sum\": 4,";
    let twice = good.replacen("\"objective\": \"16\"", "\"objective\": \"score\"", 1);
    let forged = |from: &str, to: &str| good.replacen(from, to, 1);
    let (_, after) = good.split_once("\"bytes\": ").unwrap();
    let bytes = after.split_once(',').unwrap().0;
    for (text, what) in [
        (
            forged(
                &format!("\"bytes\": {bytes},"),
                &format!("\"bytes\": {},", u64::MAX),
            ),
            "bytes: more than any disk holds",
        ),
        (
            twice.replacen("\"fraction\": 31", "\"fraction\": 24", 1),
            "an objective twice",
        ),
        (
            forged("\"fraction\": 24", "\"fraction\": 25"),
            "leave room for 24 bits",
        ),
        (
            forged("\"fraction\": 24", "\"fraction\": 32"),
            "leave room for 24 bits",
        ),
        (
            forged("\"fraction\": 31", "\"fraction\": 4294967295"),
            "leave room for 31 bits",
        ),
        (
            forged("\"objective\": \"16\"", "\"objective\": \"64\""),
            "no game of 2x2-32 reaches it",
        ),
        (
            forged("\"nearest\",", "\"nearest\",\n      \"four\": \"1/5\","),
            "answers: several rates of 4s",
        ),
        (
            forged("\"objective\": \"16\"", "\"objective\": \"sure-16\"").replacen(
                "\"fraction\": 31",
                "\"fraction\": 0",
                1,
            ),
            "sure-16: expected values rounded down",
        ),
        (
            forged(last, "\"solved_sum\": 3,"),
            "solved_sum: expected an even sum from 4 to 38, got 3",
        ),
        (
            forged(last, "\"solved_sum\": 5,"),
            "solved_sum: expected an even sum",
        ),
        (
            forged(last, "\"solved_sum\": 0,"),
            "solved_sum: expected an even sum",
        ),
        (
            forged(last, "\"solved_sum\": 40,"),
            "solved_sum: expected an even sum",
        ),
        (
            forged(last, "\"solved_sum\": 4294967294,"),
            "solved_sum: expected an even sum",
        ),
    ] {
        assert!(text != good, "{what}");
        let mut bytes = text.into_bytes();
        seal_manifest(&mut bytes);
        fs::write(&path, bytes).unwrap();
        victim.suffers("solution.json", what);
        for opened in [
            Solution::open(victim.dir()).err(),
            Solution::peek(victim.dir()).err(),
        ] {
            let said = opened.unwrap().to_string();
            assert!(
                said.contains("solution.json: not the solution of this run"),
                "{said}"
            );
            assert!(said.contains(what), "{said}");
        }
    }
}

/// Replaces the afterstates and values in a file of values, and corrects all checksums.
fn forge_values(path: &Path, keys: &[u64], values: &[u32]) {
    let column = ValueColumn::open(path).unwrap();
    let mut about = column.about();
    about.keys = fingerprint(keys);
    // solution.json has no x before a fingerprint.
    let digits = |print: Fingerprint| print.to_string()[1..].to_owned();
    let old = digits(column.fingerprint());
    drop(column);
    let mut writer = PartWriter::new(fs::File::create(path).unwrap(), path, about).unwrap();
    let mut block = Block::default();
    let mut encoder = ValueEncoder::new().unwrap();
    encoder.encode(keys, values, &mut block).unwrap();
    writer.append(&block).unwrap();
    let (_, sealed) = writer.finish().unwrap();
    let (bytes, print) = (sealed.bytes, digits(sealed.fingerprint));
    let solution = path.with_file_name("solution.json");
    let text = fs::read_to_string(&solution).unwrap();
    let at = text.find(&old).unwrap();
    let start = text[..at].rfind("\"bytes\": ").unwrap() + 9;
    let end = start + text[start..].find(',').unwrap();
    let (between, rest) = (&text[end..at], &text[at + old.len()..]);
    let mut text = format!("{}{bytes}{between}{print}{rest}", &text[..start]).into_bytes();
    seal_manifest(&mut text);
    fs::write(solution, text).unwrap();
}

/// The afterstates and values of the part of sum 12 and largest tile 8 of 2x2 to 32.
fn part_of_sum_12(run: &Counted, objective: &str) -> (Vec<u64>, Vec<u32>) {
    let solution = run.solution();
    let all = values(&solution, objective.parse().unwrap()).into_iter();
    let game: Game = "2x2-32".parse().unwrap();
    assert_eq!(solution.run().game(), &game);
    let of_part = all.filter(|&(board, _)| {
        enum48::game::PartKey::of(board).to_string() == "sum 12, largest tile 8"
    });
    of_part.unzip()
}

#[test]
fn only_deep_verification_finds_a_value_off_by_one() {
    for name in NAMES {
        let victim = victim();
        assert!(victim.deep_findings(1 << 30).is_empty());
        let (keys, good) = part_of_sum_12(&victim, name);
        let file = format!("sum-00012-max-00008.{name}.values");
        for at in 0..good.len() {
            for off in [1, u32::MAX] {
                let mut values = good.clone();
                values[at] = values[at].wrapping_add(off);
                forge_values(&victim.dir().join(&file), &keys, &values);
                let found = victim.findings();
                // A chance has 31 bits after the binary point.
                if name != "score" && values[at] > 1 << 31 {
                    let said = found[0].to_string();
                    assert!(said.contains("block 0: a chance above 1"), "{said}");
                    continue;
                }
                assert!(found.is_empty(), "its checksums fit");
                let found = victim.deep_findings(1 << 30);
                let said = found[0].to_string();
                let board = format!("block 0: the value of {:#x} is ", keys[at]);
                assert!(said.contains(&file) && said.contains(&board), "{said}");
            }
        }
        forge_values(&victim.dir().join(&file), &keys, &good);
        assert!(victim.deep_findings(1 << 30).is_empty());
    }
}

/// Replaces the afterstate 8 4 / . . by 8 . / . 4, which no move leads to.
fn lose_an_afterstate(victim: &Counted) -> Vec<u64> {
    let path = victim.dir().join("sum-00012-max-00008.afterstates");
    let mut keys = states(&path);
    let before = fingerprint(&keys).to_string();
    let at = keys.iter().position(|&key| key == 0x0023).unwrap();
    keys[at] = 0x0230;
    keys.sort_unstable();
    forge(&path, &keys);
    seal_part(&path, &before);
    keys
}

fn is_the_lost_one(error: &Error) -> bool {
    matches!(
        error,
        Error::Solving(SolvingError::Absent {
            sum: 12,
            afterstate: 0x0023
        })
    )
}

#[test]
fn a_missing_afterstate_stops_the_solver() {
    let victim = Counted::new("2x2-32");
    lose_an_afterstate(&victim);
    assert!(victim.findings().is_empty(), "its checksums fit");
    let solved = victim.solve(&NAMES, Rounding::Nearest, &plan(1));
    assert!(solved.as_ref().is_err_and(is_the_lost_one), "{solved:?}");
    // The values from sum 12 on stay.
    assert_eq!(
        victim.solution().solved_sum("score".parse().unwrap()),
        Some(12)
    );
}

#[test]
fn an_afterstate_lost_after_solving_is_an_error() {
    let victim = victim();
    let of_part = NAMES.map(|name| part_of_sum_12(&victim, name).1);
    let keys = lose_an_afterstate(&victim);
    for (name, values) in NAMES.into_iter().zip(of_part) {
        let file = format!("sum-00012-max-00008.{name}.values");
        forge_values(&victim.dir().join(file), &keys, &values);
    }
    assert!(victim.findings().is_empty(), "its checksums fit");
    let found = victim.deep_findings(1 << 30);
    assert!(found.iter().any(is_the_lost_one), "{found:?}");
    let solution = victim.solution();
    let goals: Vec<_> = solution.goals().collect();
    let mut values = Values::new(&solution, &reader(solution.run().clone()), &goals, 0).unwrap();
    // In 4 4 / 4 ., the move left leads to the lost afterstate.
    assert!(values.moves(0x2220).as_ref().is_err_and(is_the_lost_one));
}

#[test]
fn values_made_again_agree_for_any_memory_and_rounding() {
    for (name, names, rounding) in [
        ("2x2", &["score", "moves:0", "16"][..], Rounding::Up),
        ("2x3-64", &["score", "64:9"], Rounding::Down),
        ("3x2", &["score:0", "moves", "128:3"], Rounding::Nearest),
        ("3x3-32", &["score", "moves", "32"], Rounding::Nearest),
    ] {
        let run = Counted::solved(name, names, rounding);
        for memory in [1, 1 << 30] {
            let found = run.deep_findings(memory);
            assert!(found.is_empty(), "{name}: {found:?}");
        }
    }
    // Only the last layers of this game are solved for the score.
    let run = Counted::new("2x3");
    let mut stop = StopAfter(30);
    run.solve_watched(&["score"], Rounding::Nearest, &plan(1), &mut stop)
        .unwrap();
    run.solve(&["64"], Rounding::Nearest, &plan(1)).unwrap();
    assert!(run.deep_findings(1).is_empty());
}

#[test]
fn values_of_another_rate_of_4s_are_found() {
    let run = Counted::new("2x2-32");
    let names = ["score@1/5", "16@1/5", "sure-16"];
    run.solve(&names, Rounding::Nearest, &plan(2)).unwrap();
    assert!(run.findings().is_empty() && run.deep_findings(1 << 30).is_empty());
    // The manifest says 1/4, but the files say 1/5.
    let path = run.dir().join("solution.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut bytes = text.replace("\"1/5\"", "\"1/4\"").into_bytes();
    seal_manifest(&mut bytes);
    fs::write(&path, bytes).unwrap();
    let found = format!("{:?}", run.findings());
    assert!(
        found.contains("score.values") && found.contains("16.values"),
        "{found}"
    );
    assert!(!found.contains("sure-16"), "{found}");
}
