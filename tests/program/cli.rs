//! The program's exit codes, and its output on stdout and stderr.

use std::fs;

use crate::command::{good, place, run, stderr, stdout};
use crate::files::files;
use crate::outcomes::{refused, unread};

#[test]
fn two_by_two_to_32_has_59_states() {
    let place = place();
    let output = run(&place, "--size 2 --max 32");
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.starts_with("59  states of 2x2 to 32\n"), "{text}");
    assert!(
        text.contains("agrees with the published total 59"),
        "{text}"
    );
}

#[test]
fn a_log_has_the_first_and_last_layer_and_few_others() {
    let place = place();
    let output = run(&place, "--size 3 --max 128");
    let said = stderr(&output);
    let mut lines = said.lines();
    assert!(lines.next().unwrap().starts_with("enum48: 3x3-128 in "));
    // The game has 157 layers. A slow machine logs a line every ten seconds, also within a layer.
    let lines: Vec<&str> = lines.filter(|line| !line.contains(" found=")).collect();
    for line in &lines {
        let (time, keys) = line.strip_prefix("time=").unwrap().split_once(' ').unwrap();
        let digits = time.replace(|c: char| c.is_ascii_digit(), "0");
        assert_eq!(digits, "0000-00-00T00:00:00Z", "{line}");
        assert!(keys.starts_with("sum="), "{line}");
    }
    assert!(
        lines[0].contains(" sum=4 layer=8 states=8 memory="),
        "{said}"
    );
    let is_young = lines[0].contains(" sec=0.");
    assert!(!(is_young && lines[0].contains("left")), "{said}");
    let last = lines.last().unwrap();
    assert!(last.contains(" sum=316 layer=4 states=2172172 "), "{said}");
    let seconds = last.split(' ').find_map(|key| key.strip_prefix("sec="));
    let seconds: f64 = seconds.unwrap().parse().unwrap();
    let most = 2 + (seconds / 10.0) as usize;
    assert!((2..=most).contains(&lines.len()), "{said}");

    let again = run(&place, "--size 3 --max 128");
    assert_eq!(stderr(&again), "", "nothing is left to count");
}

#[test]
fn a_job_of_a_millisecond_shows_no_speed() {
    let place = place();
    good(&place, "--size 2 --max 8 --quiet");
    let output = run(&place, "verify enum48-data/2x2-8");
    let said = stderr(&output);
    assert!(said.contains("enum48: read in "), "{said}");
    // A busy machine may take longer.
    let short = said.contains("enum48: read in 0.0");
    assert!(
        !short || !said.contains("/s") && !said.contains("_per_sec"),
        "{said}"
    );
}

#[test]
fn count_and_help_also_work_as_subcommands() {
    let place = place();
    let said = good(&place, "count --size 2X2 --max 32 --quiet --csv -");
    let same = good(&place, "--size 2 --max 32 --quiet --csv -");
    assert_eq!(said, same);
    refused(&place, "count", "--size");
    assert_eq!(good(&place, "help"), good(&place, "--help"));
    assert_eq!(good(&place, "help show"), good(&place, "show --help"));
}

#[test]
fn a_finished_run_prints_its_summary_without_counting() {
    let place = place();
    let first = good(&place, "--size 2 --quiet");
    let before = files(&place.path().join("enum48-data/2x2"));
    let second = good(&place, "--size 2 --quiet");
    assert!(second.contains("nothing new to count"), "{second}");
    assert_eq!(first.lines().next(), second.lines().next());
    assert_eq!(files(&place.path().join("enum48-data/2x2")), before);
}

#[test]
fn json_has_the_documented_keys() {
    let text = good(&place(), "--size 2 --max 32 --json --quiet");
    assert_eq!(text.lines().count(), 1);
    let object: serde_json::Value = serde_json::from_str(&text).unwrap();
    for (key, value) in [
        ("game", "\"2x2-32\""),
        ("rows", "2"),
        ("cols", "2"),
        ("max", "32"),
        ("live", "57"),
        ("dead", "18"),
        ("win", "true"),
        ("loss", "true"),
        ("total", "59"),
        ("complete", "true"),
        ("agrees", "true"),
    ] {
        assert_eq!(object[key].to_string(), value, "{key}");
    }
    for key in [
        "labeled",
        "afterstates",
        "layers",
        "seconds",
        "bytes",
        "fingerprint",
    ] {
        assert!(!object[key].is_null(), "{key} is missing");
    }
    let endless = good(&place(), "--size 2 --json --quiet");
    assert!(endless.contains("\"max\":null"), "{endless}");
}

#[test]
fn csv_on_stdout_or_in_a_file_equals_layers_csv() {
    let place = place();
    let to_stdout = run(&place, "--size 2 --max 32 --quiet --csv -");
    assert!(stdout(&to_stdout).starts_with(
        "sum,max_tile,live,dead,labeled,afterstates,fingerprint,empty_cells,candidates,duplicates,\
         moves,wins\n4,2,2,0,6,1,xf8b92427b13a4593,2,2,0,7,0\n"
    ));
    assert!(
        stderr(&to_stdout).starts_with("59  states"),
        "the summary moves to stderr"
    );
    good(&place, "--size 2 --max 32 --quiet --csv table.csv");
    let table = fs::read_to_string(place.path().join("table.csv")).unwrap();
    assert_eq!(table, stdout(&to_stdout));
    let own = fs::read_to_string(place.path().join("enum48-data/2x2-32/layers.csv")).unwrap();
    assert_eq!(table, own);
}

#[test]
fn until_stops_early_and_the_count_resumes() {
    let place = place();
    let early = good(&place, "--size 2 --max 32 --until 20 --json --quiet");
    assert!(early.contains("\"complete\":false"), "{early}");
    assert!(early.contains("\"last_sum\":20"), "{early}");
    assert!(good(&place, "--size 2 --max 32 --json --quiet").contains("\"total\":59"));
    let again = good(&place, "--size 2 --max 32 --until 20 --json --quiet");
    let field = |text: &str, key: &str| {
        serde_json::from_str::<serde_json::Value>(text).unwrap()[key].clone()
    };
    for key in [
        "live",
        "dead",
        "labeled",
        "afterstates",
        "fingerprint",
        "win",
        "bytes",
    ] {
        assert_eq!(field(&early, key), field(&again, key), "{key}");
    }
    let whole = good(&place, "--size 2 --max 32 --until 40 --json --quiet");
    assert!(
        whole.contains("\"complete\":true"),
        "the last layer is 40: {whole}"
    );
}

#[test]
fn bad_arguments_get_one_line_and_make_no_directory() {
    let place = place();
    for (args, text) in [
        (
            "--size 5",
            "size 5x5: not the size of a board: a side is above 4",
        ),
        ("--size 5x2", "16 cells of four bits in one 64-bit word"),
        (
            "--size 1000",
            "size 1000x1000: not the size of a board: a side is above 4",
        ),
        ("--size 1x4", "a side is below 2"),
        ("--size 1x9", "size 1x9"),
        (
            "--size 3x",
            "size 3x: not the size of a board: neither N nor RxC",
        ),
        ("--size", "--size"),
        ("--max 32", "--size"),
        ("--size 3 --max 1000", "such as 512 or 1024"),
        ("--size 3 --max 4", "max 4"),
        ("--size 3 --max 131072", "max 131072"),
        (
            "--size 3 --max -8",
            "invalid value '-8' for '--max <TILE>': expected a tile, such as 64",
        ),
        (
            "--size 3 --max 1e3",
            "invalid value '1e3' for '--max <TILE>': expected a tile, such as 64",
        ),
        (
            "--size 3 --until -3",
            "'--until <SUM>': not the sum of a layer: give an even number",
        ),
        (
            "--size 3 --until abc",
            "invalid value 'abc' for '--until <SUM>': not the sum of a layer",
        ),
        (
            "--size 3 --until 7",
            "'--until <SUM>': not the sum of a layer",
        ),
        (
            "--size 3 --level -1",
            "'-1' for '--level <N>': expected a whole number from 1 to 22",
        ),
        (
            "cluster tasks --size 3 --task 0",
            "'--task <CANDIDATES>': expected a whole number from 1 to 18446744073709551615",
        ),
        (
            "graph --size 2 --limit 0",
            "'--limit <N>': expected a whole number from 1 to 18446744073709551615",
        ),
        (
            "states . --sample -1",
            "'--sample <N>': expected a whole number from 0 to 18446744073709551615",
        ),
        (
            "completions tcsh",
            "'tcsh' for '<FOR>' [possible values: bash, zsh, fish",
        ),
        ("best -4 --dir .", ".: not a run's directory"),
        (
            "play 3",
            "unexpected argument '3' found: see enum48 play --help",
        ),
        ("3x3-100", "max 100: not a winning tile"),
        (
            "--size 3 frob",
            "the subcommand 'frob' cannot be used with '--size <N|RxC>'",
        ),
        (
            "5x5",
            "size 5x5: not the size of a board: a side is above 4",
        ),
        (
            "--size 3 --until",
            "a value is required for '--until <SUM>' but none was supplied: see --help",
        ),
        (
            "--quiet verify x",
            "the subcommand 'verify' cannot be used with '--quiet'",
        ),
        (
            "--size 3 verify x",
            "the subcommand 'verify' cannot be used with '--size <N|RxC>'",
        ),
        (
            "verify --dir x",
            "unexpected argument '--dir' found: see enum48 verify --help",
        ),
        (
            "verify . --frob",
            "unexpected argument '--frob' found: see enum48 verify --help",
        ),
        ("--size 3 --memory 1M", "at least"),
        ("--size 3 --memory much", "much"),
        (
            "--size 3 --threads 0",
            "'--threads <N>': expected a number from 1 to 1024",
        ),
        (
            "--size 3 --level 23",
            "'--level <N>': expected a whole number from 1 to 22",
        ),
        (
            "--size 3 --keep none",
            "invalid value 'none' for '--keep <all|last|afterstates|both|matrices>' [possible values: all, last",
        ),
        ("--size 3 --until 3", "not the sum of a layer"),
        ("--size 4", "--until"),
        ("--size 4 --until 65536", "65536"),
        (
            "--size 3 --csv no/such/place.csv",
            "no/such/place.csv: cannot write: No such file or directory (os error 2): give the path of a file in a directory that exists",
        ),
        (
            "graph --size 2 -o /dev/null/x",
            "/dev/null/x: cannot write: Not a directory (os error 20): give",
        ),
        ("graph --size 2 -o .", "give the path of a file"),
        (
            "3x3-8 --memory 8 G",
            "the subcommand 'G' cannot be used with",
        ),
        (
            "solve x --four 1/ 5",
            "unexpected argument '5' found: see enum48 solve --help",
        ),
        (
            "3x3-8 --memory -8G",
            "unexpected argument '-8' found: see enum48 --help",
        ),
        ("best -4,./.,2", "unexpected argument '-4' found"),
        (
            "best 2/2/2/2/2",
            "give the board in 2 to 4 rows and columns",
        ),
        (
            "best 2,2/2,2 --size 4 --max 2048",
            "not a board of 4x4: expected 4 rows",
        ),
        ("--size 3 --csv - --json", "stdout"),
        ("--size 3 --frobnicate", "--frobnicate"),
        ("frobnicate", "frobnicate"),
        (
            "--sze 3",
            "unexpected argument '--sze' found: a similar argument exists: '--size': see enum48 --help",
        ),
        (
            "chek",
            "unrecognized subcommand 'chek': a similar subcommand exists: 'check': see enum48 --help",
        ),
        ("help frobnicate", "frobnicate"),
        ("check --size 3", "TABLE"),
        ("verify", "DIR"),
        (
            "verify no/such/place",
            "no/such/place: no such directory: a count makes it, for example enum48 --size 3",
        ),
        ("check nowhere", "give a table, or the directory of a run"),
    ] {
        refused(&place, args, text);
    }
    assert_eq!(
        fs::read_dir(place.path()).unwrap().count(),
        0,
        "something was left behind"
    );
}

#[test]
fn the_least_memory_in_the_message_is_enough() {
    let place = place();
    let output = run(&place, "--size 2 --threads 3 --memory 1M");
    let text = stderr(&output);
    let least = text
        .split("at least ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    good(
        &place,
        &format!("--size 2 --threads 3 --quiet --memory {least}"),
    );
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = place();
    good(&place, "--size 3 --max 64 --quiet");
    for args in [
        "--size 3 --max 64 --quiet --csv -",
        "--size 3 --max 64 --quiet --json",
        "--help",
    ] {
        unread(&place, args);
    }
}

#[test]
fn help_and_version_are_on_stdout() {
    let place = place();
    let help = good(&place, "--help");
    for word in [
        "--size",
        "--max",
        "--until",
        "--dir",
        "--threads",
        "--memory",
        "--level",
        "--keep",
        "--csv",
        "--json",
        "--quiet",
        "check",
        "verify",
        "Exit codes",
    ] {
        assert!(help.contains(word), "{word}");
    }
    assert!(help.lines().all(|line| line.chars().count() <= 100));
    assert_eq!(
        good(&place, "--version"),
        concat!("enum48 ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert!(good(&place, "check --help").contains("--long"));
}
