//! The work and the exit code do not depend on whether stderr can be written.

use std::fs::{self, File};
use std::process::{Command, Stdio};

use crate::command::{PROGRAM, good, place};

/// Redirections after which stderr cannot be written. Descriptor 9 is a pipe without a reader.
const DEAF: [&str; 3] = ["2>&-", "2>/dev/full", "2>&9"];

#[test]
fn a_closed_stderr_changes_neither_work_nor_exit_code() {
    let place = place();
    good(&place, "--size 3 --max 32 --quiet --dir run");
    let table = fs::read_to_string(place.path().join("run/layers.csv")).unwrap();
    // Only reading the block shows this damage.
    good(&place, "--size 2 --max 32 --quiet --dir damaged");
    let part = place.path().join("damaged/sum-00012-max-00008.states");
    let mut bytes = fs::read(&part).unwrap();
    bytes[60] ^= 4;
    #[expect(clippy::disallowed_methods, reason = "the test damages a file by hand")]
    fs::write(&part, bytes).unwrap();
    for (args, code, on_stdout) in [
        ("--size 3 --max 32", 0, "states of 3x3 to 32"),
        ("--size 3 --max 32 --csv -", 0, table.as_str()),
        ("--size 2 --max 32 --dir damaged", 2, ""),
        ("verify run", 0, "sound: "),
        ("verify run --deep", 0, "rebuilt: "),
        ("verify damaged", 1, "NOT sound: "),
        // `head` may close the pipe before the last line, which is no error.
        ("check run | head -n 1", 0, "all laws hold"),
        ("check run damaged", 1, "DIFFER"),
        ("witness --sample 2 --dir run", 0, "w1.3x3-32."),
        ("states run --sum 6", 0, "0x000000012\n"),
        ("replay nonsense", 1, ""),
        ("--size 7", 2, ""),
        ("--frobnicate", 2, ""),
        ("", 2, ""),
        ("--help", 0, "Exit codes"),
        ("verify nowhere", 2, ""),
    ] {
        for deaf in DEAF {
            let said = File::create_new(place.path().join("said")).unwrap();
            let script =
                format!("set -o pipefail; exec 9> >(:); wait $!; exec {deaf}; {PROGRAM} {args}");
            let status = Command::new("bash")
                .args(["-c", &script])
                .current_dir(&place)
                .stdout(said)
                .stderr(Stdio::null())
                .status()
                .unwrap();
            let path = place.path().join("said");
            let said = fs::read_to_string(&path).unwrap();
            assert_eq!(status.code(), Some(code), "{args} {deaf}: {said}");
            assert!(said.contains(on_stdout), "{args} {deaf}: {said}");
            assert_eq!(
                said.is_empty(),
                on_stdout.is_empty(),
                "{args} {deaf}: {said}"
            );
            #[expect(clippy::disallowed_methods, reason = "for the next command")]
            fs::remove_file(path).unwrap();
            let _ = fs::remove_dir_all(place.path().join("enum48-data"));
        }
    }
}
