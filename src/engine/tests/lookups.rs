//! Lookups of boards in a run.

use super::*;

#[test]
fn look_ups_keep_few_files_open() {
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open(place.path(), &"4x4-16".parse().unwrap(), None).unwrap();
    let plan = Plan::new(64 << 20, 2).unwrap();
    count(&mut store, &plan, Some(40), &mut Silent).unwrap();
    let run = store.run();
    let parts: Vec<Part> = run
        .parts(Kind::States)
        .map(|key| run.part(Kind::States, key).unwrap().unwrap())
        .collect();
    let boards: Vec<Board> = parts.iter().map(|part| part.first(0)).collect();
    let large: u64 = parts.iter().map(Part::open_files).sum();
    assert!(large > 5, "{large}");
    drop(parts);
    let mut lookup = Lookup::with_files(run, 0, 3).unwrap();
    let found = |_, position| assert_eq!(position, Some(0));
    for board in &boards {
        assert!(lookup.contains(Kind::States, *board).unwrap());
    }
    let answered = lookup.positions(Kind::States, &boards, &Stop::default(), found);
    answered.unwrap();
    if cfg!(target_os = "linux") {
        let dir = place.path().canonicalize().unwrap();
        let open = fs::read_dir("/proc/self/fd").unwrap();
        let open = open.filter_map(|file| fs::read_link(file.unwrap().path()).ok());
        let states = |file: &PathBuf| file.extension().is_some_and(|end| end == "states");
        let of_run = open.filter(|file| file.starts_with(&dir) && states(file));
        let number = of_run.count();
        assert!((1..=3).contains(&number), "{number}");
    }
}

#[test]
fn matrices_are_checked_and_listed_within_the_memory_of_the_reader() {
    let place = tempfile::tempdir().unwrap();
    let mut store = Store::open(place.path(), &game("4", 16), Some(Keep::Matrices)).unwrap();
    count(&mut store, &plan(64 << 20, 1), Some(34), &mut Silent).unwrap();
    drop(store);
    let read = |memory| {
        let run = Run::open(place.path()).unwrap();
        run.with_matrix_reader(matrix_reader(&plan(memory, 1)))
    };
    let refused = read(24 << 20).check_matrices(30);
    assert!(matches!(refused, Err(Error::MatrixMemory { sum: 30, .. })));
    assert!(read(64 << 20).check_matrices(30).unwrap() > 0);
    // Tables for all layers of the run do not fit, but the layer itself does.
    let small = read(26 << 20);
    assert!(small.check_matrices(34).is_err());
    assert!(small.check_matrices(4).unwrap() > 0);
    // Other work holds some of the memory.
    let shared = read(64 << 20);
    shared.share_matrix_memory(40 << 20);
    assert!(shared.check_matrices(30).is_err());
}

#[test]
fn a_matrix_reader_serves_runs_of_several_games() {
    let plan = plan(256 << 20, 2);
    let reader = matrix_reader(&plan);
    for game in [game("4", 8), game("4", 16)] {
        let place = tempfile::tempdir().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Matrices)).unwrap();
        count(&mut store, &plan, Some(30), &mut Silent).unwrap();
        drop(store);
        let run = Run::open(place.path()).unwrap();
        let run = run.with_matrix_reader(reader.clone());
        let key = run.parts(Kind::Afterstates).last().unwrap();
        let part = run.part(Kind::Afterstates, key).unwrap().unwrap();
        let mut lookup = Lookup::new(&run, 0).unwrap();
        assert!(lookup.contains(Kind::Afterstates, part.first(0)).unwrap());
    }
}
