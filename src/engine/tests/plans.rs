//! Every plan gives equal files.

use super::*;

#[test]
fn threads_and_memory_change_no_byte() {
    let game = game("3", 128);
    let expected = directory(&game, &plan(1 << 30, 2), &[None], Keep::All);
    assert!(expected.len() > 100, "{} files", expected.len());
    for threads in [1, 7] {
        let plan = plan(1 << 30, threads);
        let found = directory(&game, &plan, &[None], Keep::All);
        assert!(found == expected, "{plan:?}");
    }
    // With more threads, most candidates would fit in memory.
    for threads in [1, 2, 3] {
        let plan = Plan::tiny(threads);
        assert!(squeezed(&game, &plan, None) == expected, "{plan:?}");
    }
}

#[test]
fn any_plan_gives_equal_files_of_large_parts() {
    // The layer of sum 46 has 893,000 states, in seven blocks.
    let game = game("4", 16);
    let expected = directory(&game, &plan(4 << 30, 2), &[Some(46)], Keep::All);
    let plan = plan(32 << 20, 2);
    assert!(directory(&game, &plan, &[Some(46)], Keep::All) == expected);
    assert!(squeezed(&game, &Plan::tiny(3), Some(46)) == expected);
}

#[test]
fn any_plan_keeps_equal_afterstates() {
    let (game, keep) = (game("3", 64), Keep::Both);
    let expected = directory(&game, &plan(1 << 30, 2), &[None], keep);
    for threads in [1, 3] {
        let plan = Plan::tiny(threads);
        let found = directory(&game, &plan, &[None], keep);
        assert!(found == expected, "{plan:?}");
    }
}

/// Adds up the cuts of all layers, and records the most ranges of a layer.
#[derive(Default)]
struct Watched {
    cuts: Cuts,
    most_ranges: u64,
}

impl Progress for Watched {
    fn end(&mut self, layer: &FinishedLayer) {
        self.cuts += layer.cuts;
        self.most_ranges = self.most_ranges.max(layer.cuts.ranges);
    }
}

/// The files after a count under a plan that is too small for the game.
fn squeezed(game: &Game, plan: &Plan, until: Option<u32>) -> DirFiles {
    let mut watched = Watched::default();
    let files = counted(game, plan, &[until], Keep::All, &mut watched);
    let Watched { cuts, most_ranges } = watched;
    assert!(cuts.spilled > 100_000, "{cuts:?} under {plan:?}");
    assert!(cuts.splits > 20, "{cuts:?} under {plan:?}");
    assert!(most_ranges > 30, "{most_ranges} under {plan:?}");
    files
}

#[test]
fn the_published_totals_of_2x2_are_found() {
    // Lees-Miller, 2017: 59 states with the win and the loss. Several sources agree on the game
    // without a winning tile: 110 states, 36 of them dead, and 67 afterstates.
    let plan = plan(64 << 20, 1);
    let totals = |max| {
        let game = Game::new("2".parse().unwrap(), max).unwrap();
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, None).unwrap();
        count(&mut store, &plan, None, &mut Silent).unwrap();
        assert!(store.run().complete());
        store.run().table().totals()
    };
    assert_eq!(totals(Some(32)).total(), 59);
    let all = totals(None);
    assert_eq!(
        (all.states(), all.dead, all.labeled, all.afterstates),
        (110, 36, 662, 67)
    );
}
