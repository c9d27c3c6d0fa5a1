//! Forged boards with right checksums: no count goes on from them, and no reader takes them.

#![expect(clippy::disallowed_methods, reason = "the tests forge files by hand")]

use std::fs;
use std::path::Path;

use enum48::engine::{self, Engine, Plan, Silent, Stop};
use enum48::game::PartKey;
use enum48::part::{Kind, Part, Stream};
use enum48::read::Lookup;
use enum48::solve;
use enum48::store::{Keep, Rounding, Run, SolutionStore, Store};
use enum48::verify::{self, deep};
use enum48::{Error, Game};
use tempfile::TempDir;

use crate::files::{files, in_memory};
use crate::read::reader;
use crate::verify::{forge, forge_blocks, seal_part, states};

/// Counts a game, or goes on.
fn count(dir: &Path, game: &Game, engine: Engine, until: Option<u32>) -> Result<(), Error> {
    let plan = Plan::new(1 << 30, 2)?.with_engine(Some(engine));
    let mut store = Store::open(dir, game, Some(Keep::Both))?;
    engine::count(&mut store, &plan, until, &mut Silent)
}

fn counted(game: &Game, until: Option<u32>) -> TempDir {
    let place = in_memory();
    count(place.path(), game, Engine::Lists, until).unwrap();
    place
}

/// A run in which one file is forged.
struct Forged<'a> {
    game: &'a Game,
    dir: &'a Path,
    name: &'a str,
    what: &'a str,
}

impl Forged<'_> {
    /// Checks that a result is an error that names the forged file.
    fn refused<T>(&self, result: Result<T, Error>) {
        let Some(error) = result.err() else {
            panic!("{} {}: taken", self.name, self.what);
        };
        assert!(
            self.is_named(&error),
            "{} {}: {error}",
            self.name,
            self.what
        );
    }

    fn is_named(&self, error: &Error) -> bool {
        matches!(error, Error::Damaged { path, .. } if path.ends_with(self.name))
    }

    /// Checks that `verify` names the file, and that readers refuse a file of afterstates. Readers
    /// do not audit states.
    fn is_refused_by_readers(&self) {
        let run = &reader(Run::open(self.dir).unwrap());
        let file = Part::open(&self.dir.join(self.name)).unwrap();
        let (kind, key) = (file.label().kind, file.label().key);
        let open = || run.part(kind, key).map(Option::unwrap);
        let listed = open().and_then(|part| Stream::new(part)?.collect::<Result<Vec<u64>, _>>());
        let positions: Vec<u64> = (0..file.states()).collect();
        let mut lookup = Lookup::new(run, 0).unwrap();
        let found = lookup.boards_at(kind, key, &positions, &Stop::default(), |_, _| ());
        if kind == Kind::States {
            assert_eq!(listed.unwrap().len() as u64, file.states());
            found.unwrap();
        } else {
            self.refused(listed);
            self.refused(found);
        }

        let pool = engine::pool(2).unwrap();
        let shallow = verify::verify(run, &pool, &mut Silent).unwrap().findings;
        let deep = deep::verify(run, &pool, 1 << 30, &mut Silent).unwrap();
        for found in [shallow, deep] {
            let named = found.iter().any(|error| self.is_named(error));
            assert!(named, "{} {}: {found:?}", self.name, self.what);
        }
    }

    /// Checks that no engine counts on from afterstates, and that states, which no count reads,
    /// change no later layer.
    fn is_refused_by_counts(&self, sound: &Run, engines: &[Engine]) {
        for &engine in engines {
            let before = files(self.dir);
            let sealed = Run::open(self.dir).unwrap().sealed_sum();
            let counted = count(self.dir, self.game, engine, Some(sealed + 4));
            if counted.is_ok() && self.name.ends_with(".states") {
                let run = Run::open(self.dir).unwrap();
                for sum in [sealed + 2, sealed + 4] {
                    assert_eq!(run.rows(sum), sound.rows(sum), "{}", self.what);
                }
                for name in files(self.dir).keys() {
                    fs::remove_file(self.dir.join(name)).unwrap();
                }
                for (name, bytes) in before {
                    fs::write(self.dir.join(name), bytes).unwrap();
                }
            } else {
                self.refused(counted);
                assert!(files(self.dir) == before, "{}", self.what);
            }
        }
    }
}

/// A sorted list in which `wrong` replaces the middle board.
fn with(list: &[u64], wrong: u64) -> Vec<u64> {
    let mut list = list.to_vec();
    assert!(!list.contains(&wrong), "{wrong:#x}");
    let middle = list.len() / 2;
    list[middle] = wrong;
    list.sort_unstable();
    list
}

/// Forges a part in turn by each of `wrong`, and then puts it back.
fn each_forged(
    place: &TempDir,
    game: &Game,
    name: &str,
    wrong: impl IntoIterator<Item = (&'static str, u64)>,
    check: impl Fn(&Forged),
) {
    let path = place.path().join(name);
    let sound = files(place.path());
    let list = states(&path);
    let print = Part::open(&path).unwrap().fingerprint().to_string();
    for (what, board) in wrong {
        forge(&path, &with(&list, board));
        seal_part(&path, &print);
        check(&Forged {
            game,
            dir: place.path(),
            name,
            what,
        });
        for (name, bytes) in &sound {
            fs::write(place.path().join(name), bytes).unwrap();
        }
    }
}

/// Ranks stand for boards of one sum without larger tiles, so a file has no others.
const WRONG: [(&str, u64); 2] = [
    ("not canonical", 0x1321),
    ("with another largest tile", 0x2222),
];

#[test]
fn forged_boards_of_a_small_game_are_refused() {
    let game: Game = "2x2-32".parse().unwrap();
    let later = counted(&game, Some(20));
    let later = Run::open(later.path()).unwrap();
    let place = counted(&game, Some(16));
    for (kind, full) in [("states", None), ("afterstates", Some(("full", 0x1123)))] {
        let name = format!("sum-00016-max-00008.{kind}");
        each_forged(
            &place,
            &game,
            &name,
            WRONG.into_iter().chain(full),
            |forged| {
                forged.is_refused_by_readers();
                forged.is_refused_by_counts(&later, &[Engine::Lists]);
            },
        );
    }
}

#[test]
fn forged_afterstates_are_not_solved() {
    let game: Game = "2x2-32".parse().unwrap();
    let place = counted(&game, None);
    let name = "sum-00016-max-00008.afterstates";
    each_forged(&place, &game, name, WRONG, |forged| {
        let mut store = SolutionStore::open(forged.dir).unwrap();
        let run = store.solution().run();
        let goal = solve::goal(run, "score".parse().unwrap(), None, Rounding::Nearest);
        let plan = Plan::new(128 << 20, 1).unwrap();
        forged.refused(solve::solve(
            &mut store,
            &[goal.unwrap()],
            &plan,
            &mut Silent,
        ));
        drop(store);
        for (name, _) in files(forged.dir) {
            if name.ends_with(".values") || name == "solution.json" {
                fs::remove_file(forged.dir.join(name)).unwrap();
            }
        }
    });
}

/// The board turned by 180 degrees.
fn turned(board: u64) -> u64 {
    (0..16).fold(0, |turned, cell| turned << 4 | board >> (4 * cell) & 15)
}

#[test]
fn forged_boards_are_refused_by_lists_and_by_bits() {
    let game: Game = "4x4-16".parse().unwrap();
    let later = counted(&game, Some(36));
    let later = Run::open(later.path()).unwrap();
    let place = counted(&game, Some(32));
    for kind in ["states", "afterstates"] {
        let name = format!("sum-00032-max-00008.{kind}");
        let path = place.path().join(&name);
        let list = states(&path);
        let board = list[list.len() / 2];
        let small = states(&path.with_file_name(format!("sum-00032-max-00004.{kind}")));
        let wrong = [
            ("not canonical", turned(board)),
            ("with another largest tile", small[small.len() - 1]),
        ];
        let engines = [Engine::Lists, Engine::Bits];
        each_forged(&place, &game, &name, wrong, |forged| {
            forged.is_refused_by_counts(&later, &engines);
        });
        if kind == "states" {
            continue;
        }
        // The last board of a block and the first board of the next block change places.
        let sound = files(place.path());
        let (mut swapped, block) = (list, Kind::Afterstates.block());
        swapped.swap(block - 1, block);
        let print = Part::open(&path).unwrap().fingerprint().to_string();
        forge_blocks(&path, swapped.chunks(block));
        seal_part(&path, &print);
        let forged = Forged {
            game: &game,
            dir: place.path(),
            name: &name,
            what: "out of order",
        };
        forged.is_refused_by_readers();
        forged.is_refused_by_counts(&later, &engines);
        for (name, bytes) in &sound {
            fs::write(place.path().join(name), bytes).unwrap();
        }
    }
}

#[test]
fn a_frontier_of_other_boards_than_its_fingerprint_says_is_refused() {
    let game: Game = "2x2-32".parse().unwrap();
    let place = counted(&game, Some(16));
    // 8 . / . 8 instead of 8 8 / . . is a board of the part, but the file keeps the fingerprint.
    let path = place.path().join("sum-00016-max-00008.afterstates");
    let list = states(&path);
    let print = Part::open(&path).unwrap().fingerprint();
    let bytes = fs::read(&path).unwrap();
    forge(&path, &with(&list, 0x0330));
    let mut forged = fs::read(&path).unwrap();
    let footer = forged.len() - 40;
    forged[footer..].copy_from_slice(&bytes[bytes.len() - 40..]);
    fs::write(&path, &forged).unwrap();
    assert_eq!(
        Part::open(&path).map(|part| part.fingerprint()).ok(),
        Some(print)
    );
    seal_part(&path, &print.to_string());
    let counted = count(place.path(), &game, Engine::Lists, None);
    assert!(
        matches!(counted, Err(Error::Mismatch { .. })),
        "{counted:?}"
    );
    assert_eq!(PartKey::of(0x0330), PartKey::of(0x0033));
}
