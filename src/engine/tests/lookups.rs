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
