//! Damaged files of tasks are reported by name and made again. Wrong task names are refused.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs;
use std::path::PathBuf;

use enum48::cluster::{Next, Stage};
use enum48::store::Keep;
use enum48::{Error, TaskError};

use super::Count;
use crate::manifest::seal_manifest;
use crate::share::share;

fn count() -> Count {
    Count::new("4x4-16", Keep::Both, 300_000, Some(40))
}

/// The files of a layer's tasks whose names end with `ending`.
fn made(count: &Count, layer: &str, ending: &str) -> Vec<PathBuf> {
    let names = fs::read_dir(count.dir().join(layer)).unwrap();
    let mut paths: Vec<PathBuf> = names.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.to_str().unwrap().ends_with(ending));
    paths.sort();
    paths
}

/// The planned tasks of a count: their names, and the path of their plan.
fn planned(count: Count) -> (Count, Vec<String>, PathBuf) {
    let tasks = count.missing().unwrap().tasks;
    let plan = count.dir().join(layer_of(&tasks[0])).join("plan.json");
    (count, tasks, plan)
}

fn layer_of(task: &str) -> &str {
    task.split_once('/').unwrap().0
}

#[test]
fn a_damaged_or_lost_file_is_reported_and_made_again() {
    type Damage = fn(&PathBuf, &[PathBuf]);
    let damages: [(&str, Damage); 5] = [
        ("flipped in a block", |path, _| {
            flip(path, |length| length / 2);
        }),
        ("flipped in the header", |path, _| flip(path, |_| 9)),
        ("cut", |path, _| {
            let bytes = fs::read(path).unwrap();
            fs::write(path, &bytes[..bytes.len() - 1]).unwrap();
        }),
        ("gone", |path, _| fs::remove_file(path).unwrap()),
        ("another's", |path, all| {
            let other = all.iter().find(|&other| other != path);
            fs::copy(other.unwrap(), path).map(drop).unwrap();
        }),
    ];
    let lists = [
        (Stage::Map, ".states"),
        (Stage::Reduce, ".states"),
        (Stage::Reduce, ".afterstates"),
        (Stage::Gather, ".afterstates"),
        (Stage::Write, ".states"),
    ];
    let sweeps = [(Stage::Sweep, ".matrices")];
    let cases = [&lists[..], &sweeps].map(|stages| damages.map(|of| (of, stages)));
    for ((what, damage), stages) in cases.into_iter().flat_map(share) {
        let count = match stages {
            [(Stage::Sweep, _)] => Count::swept(Keep::Last, Some(40)),
            _ => Count::new("4x4-16", Keep::Both, 150_000, Some(46)),
        };
        for &(stage, ending) in stages {
            if stage == Stage::Write && what == "flipped in a block" {
                // Sealing does not read the blocks of final files; later readers check them.
                continue;
            }
            // Damage one file in the first layer that has two or more. Then continue until the
            // damage is found.
            let (layer, path) = loop {
                let missing = count.missing().unwrap();
                count.run_all(&missing.tasks);
                let layer = layer_of(&missing.tasks[0]).to_owned();
                let mut files = made(&count, &layer, ending);
                let prefix = format!("/{stage}-");
                files.retain(|path| path.to_str().unwrap().contains(&prefix));
                let whole = missing.tasks.len() == missing.of;
                if whole && missing.stage == stage && files.len() > 1 {
                    damage(&files[1], &files);
                    break (layer, files[1].clone());
                }
            };
            let name = path.file_name().unwrap().to_str().unwrap();
            let maker = format!("{layer}/{}", name.split('.').next().unwrap());
            let mut named = 0;
            let again = loop {
                match count.next().unwrap() {
                    Next::Nothing => panic!("{name} {what}: not found"),
                    Next::Seal(_) => {
                        named += usize::from(is_retracted(count.seal().err(), &maker, name));
                    }
                    Next::Tasks(missing) if missing.tasks.contains(&maker) => break missing,
                    Next::Tasks(missing) => {
                        for task in missing.tasks {
                            named +=
                                usize::from(is_retracted(count.run(&task).err(), &maker, name));
                        }
                    }
                }
            };
            assert!(named > 0, "{name} {what}");
            assert_eq!(again.tasks, [maker]);
        }
        count.finish();
        count.expect_the_files_of_one_machine();
    }
}

/// Whether an error says that the task `maker` must be done again. The error must name the file.
fn is_retracted(error: Option<Error>, maker: &str, name: &str) -> bool {
    match error {
        None => false,
        Some(Error::Task(TaskError::Retracted { task, cause })) => {
            assert_eq!(task, maker);
            assert!(cause.to_string().contains(name), "{cause}");
            true
        }
        // An earlier task found the damage and withdrew the receipt.
        Some(Error::Task(TaskError::Undone(task))) => {
            assert_eq!(task, maker);
            true
        }
        Some(other) => panic!("{other}"),
    }
}

fn flip(path: &PathBuf, place: fn(usize) -> usize) {
    let mut bytes = fs::read(path).unwrap();
    let at = place(bytes.len());
    bytes[at] ^= 4;
    fs::write(path, bytes).unwrap();
}

#[test]
fn a_task_with_a_damaged_receipt_is_done_again() {
    let count = count();
    let missing = count.missing().unwrap();
    count.run_all(&missing.tasks);
    let receipt = count.dir().join(format!("{}.json", missing.tasks[0]));
    flip(&receipt, |length| length / 2);
    // The task that needs the receipt finds the damage.
    let reduce = missing.tasks[0].replace("map-", "reduce-");
    let undone = count.run(&reduce).err();
    assert!(
        matches!(undone, Some(Error::Task(TaskError::Undone(task))) if task == missing.tasks[0])
    );
    let Next::Tasks(again) = count.next().unwrap() else {
        panic!("a task is to be done")
    };
    assert_eq!(again.tasks, missing.tasks[..1]);
    count.finish();
    count.expect_the_files_of_one_machine();
}

#[test]
fn a_sweep_with_a_damaged_receipt_is_done_again() {
    let count = Count::swept(Keep::Matrices, Some(38));
    let first = count.missing().unwrap();
    count.run_all(&first.tasks);
    let second = count.missing().unwrap();
    assert_eq!(second.sum, first.sum + 2);
    count.run_all(&second.tasks[1..]);
    let receipt = count.dir().join(format!("{}.json", first.tasks[0]));
    for finds_by_task in [true, false] {
        flip(&receipt, |length| length / 2);
        if finds_by_task {
            let undone = count.run(&second.tasks[0]).err().unwrap();
            assert!(
                matches!(&undone, Error::Task(TaskError::Undone(task)) if *task == first.tasks[0]),
                "{undone}"
            );
        }
        let again = count.missing().unwrap();
        assert_eq!(
            (again.sum, &again.tasks[..]),
            (first.sum, &first.tasks[..1])
        );
        count.run(&first.tasks[0]).unwrap();
    }
    assert_eq!(count.missing().unwrap().tasks, second.tasks[..1]);
    count.finish();
    count.expect_the_files_of_one_machine();
}

/// The sweeps of the layer after it have read the file before it is damaged.
#[test]
fn a_seal_finds_a_damaged_sweep() {
    let count = Count::swept(Keep::Last, Some(38));
    let first = count.missing().unwrap();
    count.run_all(&first.tasks);
    count.run_all(&count.missing().unwrap().tasks);
    assert_eq!(count.next().unwrap(), Next::Seal(first.sum));
    let file = count.dir().join(format!("{}.matrices", first.tasks[0]));
    flip(&file, |length| length / 2);
    let name = file.file_name().unwrap().to_str().unwrap();
    assert!(is_retracted(count.seal().err(), &first.tasks[0], name));
    assert_eq!(count.missing().unwrap().tasks, first.tasks[..1]);
    count.finish();
    count.expect_the_files_of_one_machine();
}

#[test]
fn the_coordinator_repeats_tasks_with_damaged_receipts() {
    let count = count();
    let mut reduces = Vec::new();
    while let Some(missing) = count.missing() {
        if missing.stage == Stage::Write {
            break;
        }
        count.run_all(&missing.tasks);
        if missing.stage == Stage::Reduce {
            reduces = missing.tasks;
        }
    }
    // Two receipts are damaged at once.
    for task in &reduces[..2] {
        flip(&count.dir().join(format!("{task}.json")), |length| {
            length / 2
        });
    }
    let again = count.missing().unwrap();
    assert_eq!((again.stage, again.of), (Stage::Reduce, reduces.len()));
    assert_eq!(again.tasks, reduces[..2]);
    count.finish();
    count.expect_the_files_of_one_machine();
}

/// Changes a plan, and corrects its checksum.
fn forge(plan: &PathBuf, from: &str, to: &str) {
    let text = fs::read_to_string(plan).unwrap();
    assert!(text.contains(from), "{text}");
    let mut bytes = text.replacen(from, to, 1).into_bytes();
    seal_manifest(&mut bytes);
    fs::write(plan, bytes).unwrap();
}

#[test]
fn the_plan_of_another_version_is_refused_and_kept() {
    let (count, tasks, plan) = planned(count());
    count.run(&tasks[0]).unwrap();
    let (other, own) = (
        "enum48 0.0.1",
        concat!("enum48 ", env!("CARGO_PKG_VERSION")),
    );
    forge(&plan, own, other);
    for found in [
        count.next().err(),
        count.run(&tasks[1]).err(),
        count.seal().err(),
    ] {
        assert!(
            matches!(&found, Some(Error::Task(TaskError::OtherProgram { found, .. })) if found == other),
            "{found:?}"
        );
    }
    forge(&plan, other, own);
    assert_eq!(count.missing().unwrap().tasks, tasks[1..]);
    count.finish();
    count.expect_the_files_of_one_machine();
}

#[test]
fn a_changed_plan_is_reported() {
    let (count, tasks, plan) = planned(count());
    forge(&plan, "\"shares\": ", "\"shares\": 9");
    for found in [count.next().err(), count.run(&tasks[0]).err()] {
        let said = found.unwrap().to_string();
        assert!(
            said.contains("plan.json: damaged: its directory has the name of another plan"),
            "{said}"
        );
    }
}

/// The checksum in the name of a plan's directory: of the plan without its format, spaces and lines.
fn checksum_in_name(plan: &str) -> u32 {
    let start = plan.find("\"program\"").unwrap();
    let end = plan.find(",\n  \"crc32\"").unwrap();
    let lines = plan[start..end].lines().map(str::trim);
    let text = lines.collect::<String>().replace("\": ", "\":");
    crc32fast::hash(format!("{{{text}}}").as_bytes())
}

/// Each forgery has the right checksums. A largest tile of 65536 once was a panic.
fn expect_refused(count: Count, forgeries: &[(&str, &str, &str)]) {
    let (count, tasks, plan) = planned(count);
    let good = fs::read_to_string(&plan).unwrap();
    let (layer, crc) = layer_of(&tasks[0]).rsplit_once('-').unwrap();
    assert_eq!(crc, format!("{:08x}", checksum_in_name(&good)));
    fs::remove_dir_all(plan.parent().unwrap()).unwrap();
    for &(from, to, what) in forgeries {
        let text = good.replacen(from, to, 1);
        assert!(text != good, "{from}");
        let forged = format!("{layer}-{:08x}", checksum_in_name(&text));
        let dir = count.dir().join(&forged);
        let mut bytes = text.into_bytes();
        seal_manifest(&mut bytes);
        fs::create_dir(&dir).unwrap();
        fs::write(dir.join("plan.json"), bytes).unwrap();
        let task = format!("{forged}/{}", tasks[0].split_once('/').unwrap().1);
        for found in [
            count.next().err(),
            count.run(&task).err(),
            count.seal().err(),
        ] {
            let said = found.unwrap().to_string();
            let named = said.contains("plan.json: damaged: ") && said.contains(what);
            assert!(named, "{said}");
        }
        fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_plan_that_no_layer_can_have_is_refused() {
    let tiles = "parts: expected one for each largest tile, in order";
    let parts = [
        ("\"max_tile\": 8,", "\"max_tile\": 65536,", tiles),
        ("\"max_tile\": 8,", "\"max_tile\": 4,", tiles),
        ("\"max_tile\": 8,", "\"max_tile\": 7,", tiles),
        ("\"level\": 1,", "\"level\": 23,", "level: got 23"),
        ("\"level\": 1,", "\"level\": 0,", "level: got 0"),
        (
            "\"shares\": 2",
            "\"shares\": 99999999999",
            "shares: got 99999999999",
        ),
        (
            "\"states\": [\n",
            "\"states\": [\n        9999999999999999999,\n",
            "not in order",
        ),
        (
            "\"states\": [\n",
            "\"states\": [\n        0,\n",
            "not in order",
        ),
    ];
    expect_refused(count(), &parts);
    let order = "sweeps: expected 0, and weights in order";
    let sweeps = [
        ("\"sweeps\": [\n    0", "\"sweeps\": [\n    1", order),
        (
            "\"sweeps\": [\n    0",
            "\"sweeps\": [\n    0,\n    0",
            order,
        ),
        (
            "\"sweeps\": [\n    0",
            "\"sweeps\": [\n    0,\n    99",
            order,
        ),
        (
            "\"parts\": []",
            "\"parts\": [\n    {\n      \"max_tile\": 2,\n      \"shares\": 1,\n      \"states\": [],\n      \"afterstates\": []\n    }\n  ]",
            "parts: expected none",
        ),
    ];
    expect_refused(Count::swept(Keep::Last, None), &sweeps);
}

#[test]
fn a_damaged_plan_is_reported() {
    let (count, tasks, plan) = planned(count());
    flip(&plan, |length| length / 2);
    for found in [
        count.next().err(),
        count.run(&tasks[0]).err(),
        count.seal().err(),
    ] {
        let said = found.unwrap().to_string();
        assert!(said.contains("plan.json: damaged"), "{said}");
    }
    // Deleting the layer's directory loses only this plan.
    fs::remove_dir_all(plan.parent().unwrap()).unwrap();
    count.finish();
    count.expect_the_files_of_one_machine();
}

#[test]
fn unknown_tasks_and_tasks_of_later_stages_are_refused() {
    let count = count();
    let missing = count.missing().unwrap();
    let layer = layer_of(&missing.tasks[0]);
    for name in [
        "",
        "map-00008-0000",
        "x/map-00008-0000/y",
        "../map-00008-0000",
    ] {
        let refused = count.run(name);
        assert!(
            matches!(
                refused,
                Err(Error::Task(TaskError::Unknown(_) | TaskError::Stale(_)))
            ),
            "{name}: {refused:?}"
        );
    }
    for task in [
        "map-00008-0999",
        "map-00064-0000",
        "reduce-00064-0000",
        "gather-00002-0000",
        "plan",
        "map-8-0",
    ] {
        let refused = count.run(&format!("{layer}/{task}"));
        assert!(
            matches!(refused, Err(Error::Task(TaskError::Unknown(_)))),
            "{task}: {refused:?}"
        );
    }
    let swept = Count::swept(Keep::Matrices, None);
    let sweep = swept.missing().unwrap().tasks.remove(0);
    for number in ["0999", "18446744073709551615"] {
        let refused = swept.run(&format!("{}/sweep-{number}", layer_of(&sweep)));
        assert!(
            matches!(refused, Err(Error::Task(TaskError::Unknown(_)))),
            "{number}: {refused:?}"
        );
    }
    for task in [
        "reduce-00008-0000",
        "gather-00008-0000",
        "write-states-00008-0000",
    ] {
        // The previous stage is not done yet.
        let refused = count.run(&format!("{layer}/{task}"));
        assert!(
            matches!(refused, Err(Error::Task(TaskError::Undone(_)))),
            "{task}: {refused:?}"
        );
    }
    count.finish();
    count.expect_the_files_of_one_machine();
}

#[test]
fn missing_tasks_and_broken_laws_prevent_sealing() {
    let count = count();
    while let Some(missing) = count.missing() {
        let early = count.seal();
        assert!(
            matches!(early, Err(Error::Task(TaskError::Undone(_)))),
            "{early:?}"
        );
        count.run_all(&missing.tasks);
        if missing.stage == Stage::Write {
            break;
        }
    }
    let Next::Seal(sum) = count.next().unwrap() else {
        panic!("it is to be sealed")
    };
    let layer = fs::read_dir(count.dir())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let layer = layer.filter(|path| path.is_dir()).max().unwrap();
    let receipts = made(
        &count,
        layer.file_name().unwrap().to_str().unwrap(),
        ".json",
    );
    let mut forged = 0;
    for receipt in &receipts {
        let text = fs::read_to_string(receipt).unwrap();
        for field in ["candidates", "duplicates", "unique", "dead"] {
            let Some(at) = text.find(&format!("\"{field}\": ")) else {
                continue;
            };
            let at = at + field.len() + 4;
            let step = receipt.file_name().unwrap().to_str().unwrap();
            // Laws may miss other fields.
            let read = match field {
                "candidates" => !step.starts_with("write"),
                "duplicates" => step.starts_with("map") || step.starts_with("reduce"),
                "unique" | "dead" => step.starts_with("reduce"),
                _ => false,
            };
            if !read {
                continue;
            }
            let mut bytes = format!("{}1{}", &text[..at], &text[at..]).into_bytes();
            seal_manifest(&mut bytes);
            fs::write(receipt, bytes).unwrap();
            let refused = count.seal();
            assert!(
                matches!(refused, Err(Error::Law { .. })),
                "{step} {field}: {refused:?}"
            );
            forged += 1;
        }
        fs::write(receipt, text).unwrap();
    }
    assert!(forged > 10, "{forged}");
    assert_eq!(count.seal().unwrap(), sum);
    count.finish();
    count.expect_the_files_of_one_machine();
}

#[test]
fn forged_counts_of_sweeps_prevent_sealing() {
    let count = Count::swept(Keep::Last, Some(40));
    let first = count.missing().unwrap();
    count.run_all(&first.tasks);
    let second = count.missing().unwrap();
    count.run_all(&second.tasks);
    assert_eq!(count.next().unwrap(), Next::Seal(first.sum));
    let mut forged = 0;
    for task in &first.tasks {
        let receipt = count.dir().join(format!("{task}.json"));
        let text = fs::read_to_string(&receipt).unwrap();
        // The counts of states come first, then the counts of afterstates, then the boards by name.
        for field in ["labeled", "symmetries", "dead", "live", "empty_cells"] {
            let from = match field {
                "empty_cells" => text.find("\"afterstates\": {").unwrap(),
                _ => 0,
            };
            let at = from + text[from..].find(&format!("\"{field}\": [")).unwrap();
            let digit = |byte: u8| byte.is_ascii_digit() && byte != b'0';
            let end = at + text[at..].find(']').unwrap();
            let Some(step) = text[at..end].bytes().position(digit) else {
                continue;
            };
            let mut bytes = text.clone().into_bytes();
            bytes[at + step] = if bytes[at + step] == b'1' { b'2' } else { b'1' };
            seal_manifest(&mut bytes);
            fs::write(&receipt, bytes).unwrap();
            let refused = count.seal();
            assert!(
                matches!(refused, Err(Error::Law { .. })),
                "{task} {field}: {refused:?}"
            );
            forged += 1;
        }
        fs::write(receipt, text).unwrap();
    }
    assert!(forged >= 3 * first.tasks.len(), "{forged}");
    assert_eq!(count.seal().unwrap(), first.sum);
}
