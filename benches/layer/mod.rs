//! A real part for the benches: 4x4 to 32, sum 52, largest tile 16.

#![allow(dead_code, reason = "each bench uses some of these")]

use enum48::Game;
use enum48::engine::{self, Plan, Silent};
use enum48::game::{Exp, PartKey};
use enum48::part::{Decoder, Kind, Part, fingerprint};
use enum48::read::Reader;
use enum48::store::{Run, Store};
use tempfile::TempDir;

/// The part's files, as the engine wrote them.
pub(crate) struct Layer {
    pub(crate) states: Part,
    pub(crate) afterstates: Part,
    pub(crate) reader: Reader,
    _place: TempDir,
}

impl Layer {
    /// Count the game up to the layer, in about a second.
    pub(crate) fn count() -> Self {
        let game = Game::new("4".parse().unwrap(), Some(32)).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        let plan = Plan::new(1 << 30, 2).unwrap();
        engine::count(&mut store, &plan, Some(52), &mut Silent).unwrap();
        let key = PartKey {
            sum: 52,
            max: Exp::of_tile(16).unwrap(),
        };
        drop(store);
        let reader = Reader::new(Run::open(place.path()).unwrap(), &plan);
        let part = |kind| reader.part(kind, key).unwrap().unwrap();
        let (states, afterstates) = (part(Kind::States), part(Kind::Afterstates));
        // Found by a separate program that shares no code with this one.
        assert_eq!(
            (states.states(), afterstates.states()),
            (2_422_602, 384_645)
        );
        assert_eq!(fingerprint(&read(&states)).to_string(), "x891b5a7bae97939c");
        Self {
            states,
            afterstates,
            reader,
            _place: place,
        }
    }
}

/// All boards of a part.
pub(crate) fn read(part: &Part) -> Vec<u64> {
    let (mut decoder, mut boards) = (Decoder::new().unwrap(), Vec::new());
    for block in 0..part.blocks() {
        part.read_block(block, &mut decoder, &mut boards).unwrap();
    }
    boards
}
