//! Damage to any byte of a run's directory: `verify` reports the file, and no count uses damaged
//! files.

#![expect(clippy::disallowed_methods, reason = "the tests damage files by hand")]

use std::fs;
use std::path::Path;

use enum48::engine::{self, Plan, Silent};
use enum48::internals::{Block, Encoder, PartWriter, Ranking};
use enum48::part::{Kind, Part, Stream, fingerprint};
use enum48::store::{Keep, Run, Store};
use enum48::verify::{self, deep};
use enum48::{Error, Game};
use rayon::ThreadPool;
use tempfile::TempDir;

use crate::files::{files, in_memory};
use crate::manifest::seal_manifest;
use crate::read::reader;
use crate::share::share;

/// A small run to damage.
pub(crate) struct Victim {
    place: TempDir,
    game: Game,
    until: Option<u32>,
    pub(crate) pool: ThreadPool,
}

impl Victim {
    fn new(name: &str, until: Option<u32>) -> Self {
        Self::keeping(name, until, Keep::All)
    }

    pub(crate) fn keeping(name: &str, until: Option<u32>, keep: Keep) -> Self {
        let victim = Self {
            place: in_memory(),
            game: name.parse().unwrap(),
            until,
            pool: engine::pool(1).unwrap(),
        };
        victim.count_keeping(Some(keep)).unwrap();
        assert!(victim.findings().unwrap().is_empty());
        victim
    }

    pub(crate) fn dir(&self) -> &Path {
        self.place.path()
    }

    /// Resumes the count, as the command does.
    fn count(&self) -> Result<(), Error> {
        self.count_keeping(None)
    }

    fn count_keeping(&self, keep: Option<Keep>) -> Result<(), Error> {
        let mut store = Store::open(self.dir(), &self.game, keep)?;
        let plan = Plan::new(32 << 20, 1)?;
        engine::count(&mut store, &plan, self.until, &mut Silent)
    }

    pub(crate) fn findings(&self) -> Result<Vec<Error>, Error> {
        let run = Run::open(self.dir())?;
        Ok(verify::verify(&reader(run), &self.pool, &mut Silent)?.findings)
    }

    /// Checks that `verify` reports damage to the file `name`. A count must refuse the file, or
    /// write it anew if counts never read it.
    fn suffers(&self, name: &str, what: &str) {
        let named = |error: &Error| error.to_string().contains(name);
        let found = match self.findings() {
            Ok(findings) => findings.iter().any(named),
            Err(error) => {
                named(&error) && (error.is_damage() || matches!(error, Error::Format { .. }))
            }
        };
        assert!(found, "{what}: {:?}", self.findings());
        match self.count() {
            Err(error) => assert!(named(&error), "{what}: {error}"),
            Ok(()) => {
                assert_eq!(name, "layers.csv", "{what}: a count took it");
                assert!(self.findings().unwrap().is_empty(), "{what}: it stayed");
            }
        }
    }
}

/// A complete run, a stopped run with the afterstates for resuming, and a run that keeps all
/// afterstates.
fn victims() -> [Victim; 3] {
    [
        Victim::new("2x2-16", None),
        Victim::new("2x3-8", Some(12)),
        Victim::keeping("2x2-16", Some(24), Keep::Both),
    ]
}

/// A byte in a victim's file.
struct Place<'a> {
    victim: &'a Victim,
    name: &'a str,
    bytes: &'a [u8],
    at: usize,
}

impl Place<'_> {
    /// Replaces the file's bytes, checks that the damage is reported, and restores the file.
    fn suffers(&self, bytes: &[u8], what: &str) {
        let (name, path) = (self.name, self.victim.dir().join(self.name));
        fs::write(&path, bytes).unwrap();
        self.victim
            .suffers(name, &format!("{name}: {what} at {}", self.at));
        fs::write(&path, self.bytes).unwrap();
    }
}

/// Calls `damage` for a share of all bytes of all files.
fn at_a_share_of_all_bytes(damage: impl Fn(&Place)) {
    let victims = victims();
    let files = victims.each_ref().map(|victim| files(victim.dir()));
    let mut places = Vec::new();
    for (victim, files) in victims.iter().zip(&files) {
        for (name, bytes) in files {
            places.extend((0..bytes.len()).map(|at| Place {
                victim,
                name,
                bytes,
                at,
            }));
        }
    }
    assert!(places.len() > 10_000, "only {}", places.len());
    share(places).iter().for_each(damage);
    for victim in &victims {
        assert!(victim.findings().unwrap().is_empty(), "all was put back");
    }
}

#[test]
fn a_flipped_bit_in_any_byte_is_reported_by_file_name() {
    at_a_share_of_all_bytes(|place| {
        let mut flipped = place.bytes.to_vec();
        flipped[place.at] ^= 1 << (place.at % 8);
        place.suffers(&flipped, "flipped");
    });
}

#[test]
fn a_cut_at_any_byte_is_reported_by_file_name() {
    at_a_share_of_all_bytes(|place| {
        let cut = &place.bytes[..place.at];
        // A table cut after a line is an older table, which a kill during a commit may leave.
        if place.name != "layers.csv" || !cut.ends_with(b"\n") {
            place.suffers(cut, "cut");
        }
    });
}

#[test]
fn an_appended_byte_is_reported_by_file_name() {
    for victim in victims() {
        let mut files = files(victim.dir());
        // Nobody reads the lock.
        files.remove("lock");
        for (name, bytes) in files {
            let path = victim.dir().join(&name);
            for byte in [0, b'\n', 255] {
                fs::write(&path, [&bytes[..], &[byte]].concat()).unwrap();
                victim.suffers(&name, &format!("{name}: {byte} appended"));
            }
            fs::write(&path, &bytes).unwrap();
        }
    }
}

#[test]
fn lost_swapped_and_foreign_files_are_reported_by_name() {
    let mut tried = 0;
    for victim in victims() {
        let other = Victim::new("2x3-16", None);
        let strangers = files(other.dir());
        let good = files(victim.dir());
        let parts: Vec<&String> = good
            .keys()
            .filter(|name| name.starts_with("sum-"))
            .collect();
        for (name, bytes) in &good {
            let path = victim.dir().join(name);
            if name != "lock" {
                fs::remove_file(&path).unwrap();
                victim.suffers(name, &format!("{name}: deleted"));
            }
            let theirs = strangers.get(name).filter(|&theirs| theirs != bytes);
            if let Some(theirs) = theirs {
                fs::write(&path, theirs).unwrap();
                if name == "manifest.json" {
                    assert!(!victim.findings().unwrap().is_empty());
                    assert!(matches!(victim.count(), Err(Error::OtherGame { .. })));
                } else {
                    victim.suffers(name, &format!("{name}: of another game"));
                }
            }
            fs::write(&path, bytes).unwrap();
        }
        for (at, a) in parts.iter().enumerate() {
            for b in &parts[at + 1..] {
                fs::write(victim.dir().join(a), &good[*b]).unwrap();
                fs::write(victim.dir().join(b), &good[*a]).unwrap();
                let findings = victim.findings().unwrap();
                for name in [a, b] {
                    let named = |error: &Error| error.to_string().contains(name.as_str());
                    assert!(findings.iter().any(named), "{a} and {b} swapped");
                }
                assert!(matches!(victim.count(), Err(Error::Mismatch { .. })));
                fs::write(victim.dir().join(a), &good[*a]).unwrap();
                fs::write(victim.dir().join(b), &good[*b]).unwrap();
                tried += 1;
            }
        }
        assert!(victim.findings().unwrap().is_empty(), "all was put back");
    }
    assert!(tried > 100, "only {tried}");
}

#[test]
fn leftovers_of_a_killed_commit_are_reported_and_deleted() {
    for victim in victims() {
        let before = files(victim.dir());
        let path = |name: &str| victim.dir().join(name);
        let stray = "sum-00098-max-00008.states";
        fs::copy(path("sum-00008-max-00004.states"), path(stray)).unwrap();
        let table = std::str::from_utf8(&before["layers.csv"]).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        let older = lines[..lines.len() - 3].join("\n") + "\n";
        fs::write(path("layers.csv"), older).unwrap();
        let half = "sum-00012-max-00004.states.tmp";
        for name in [half, "notes.txt"] {
            fs::write(path(name), "half").unwrap();
        }
        let run = Run::open(victim.dir()).unwrap();
        let report = verify::verify(&reader(run), &victim.pool, &mut Silent).unwrap();
        assert!(report.findings.is_empty(), "{:?}", report.findings);
        for name in [stray, "layers.csv", half, "notes.txt"] {
            let named = |remark: &String| remark.contains(name);
            assert!(report.remarks.iter().any(named), "{:?}", report.remarks);
        }
        fs::remove_file(path("notes.txt")).unwrap();
        victim.count().unwrap();
        assert!(files(victim.dir()) == before, "the count cleared the rest");
    }
}

#[test]
fn a_count_does_not_change_a_solution() {
    for victim in victims() {
        let solution = ["solution.json", "sum-00008-max-00004.score.values"];
        for name in solution {
            fs::write(victim.dir().join(name), "solved").unwrap();
        }
        let before = files(victim.dir());
        // The count deletes the temporary file of a stopped solver.
        let half = victim.dir().join("sum-00010-max-00004.512.values.tmp");
        fs::write(half, "half").unwrap();
        victim.count().unwrap();
        assert!(files(victim.dir()) == before);
        // A solution without a run: its run was lost, so no new run may begin here.
        for name in before
            .keys()
            .filter(|name| !solution.contains(&name.as_str()))
        {
            fs::remove_file(victim.dir().join(name)).unwrap();
        }
        let missing = victim.count().unwrap_err();
        assert!(matches!(missing, Error::Missing(path) if path.ends_with("manifest.json")));
    }
}

/// Replaces each number of a manifest in turn, and corrects the checksum.
#[test]
fn forged_numbers_in_a_manifest_are_reported() {
    let victims = victims();
    let all_files = victims.each_ref().map(|victim| files(victim.dir()));
    let mut forgeries = Vec::new();
    for (victim, good) in victims.iter().zip(&all_files) {
        let text = std::str::from_utf8(&good["manifest.json"]).unwrap();
        for (at, line) in text.lines().enumerate() {
            let Some((name, number)) = line.split_once(": ") else {
                continue;
            };
            let comma = if number.ends_with(',') { "," } else { "" };
            let Ok(number) = number.trim_end_matches(',').parse::<u64>() else {
                continue;
            };
            let mut others = vec![0, 1, 7, number + 2, u64::from(u32::MAX) - 1, u64::MAX];
            others.retain(|&other| other != number);
            for other in others {
                let line = format!("{name}: {other}{comma}");
                forgeries.push((victim, good, text, at, line, other));
            }
        }
    }
    assert!(forgeries.len() > 1000, "only {}", forgeries.len());
    for (victim, good, text, at, line, other) in share(forgeries) {
        let mut lines: Vec<&str> = text.lines().collect();
        lines[at] = &line;
        let mut bytes = (lines.join("\n") + "\n").into_bytes();
        seal_manifest(&mut bytes);
        fs::write(victim.dir().join("manifest.json"), bytes).unwrap();
        let verified = victim.findings();
        let found = !verified.as_ref().is_ok_and(Vec::is_empty);
        assert!(found, "{line}: taken for sound");
        let counted = victim.count();
        let (name, _) = line.split_once(": ").unwrap();
        let field = name.trim().trim_matches('"');
        // A number beyond `u32` does not parse; the error names its line, not its field.
        let kind = u32::try_from(other).is_ok();
        if kind && field == "sealed_sum" {
            let damaged = format!("manifest.json: damaged: {field}: ");
            let refused = |error: &Error| error.to_string().contains(&damaged);
            let refused_count = counted.as_ref().is_err_and(refused);
            assert!(refused_count, "{line}: {counted:?}");
            assert!(verified.is_err_and(|error| refused(&error)), "{line}");
        }
        for (name, bytes) in good {
            fs::write(victim.dir().join(name), bytes).unwrap();
        }
    }
    for victim in &victims {
        assert!(victim.findings().unwrap().is_empty(), "all was put back");
    }
}

/// Replaces a part file by one with these states.
pub(crate) fn forge(path: &Path, states: &[u64]) {
    let block = Part::open(path).unwrap().label().kind.block();
    forge_blocks(path, states.chunks(block));
}

/// Replaces a part file by one with these blocks, which may be out of order.
pub(crate) fn forge_blocks<'a>(path: &Path, blocks: impl Iterator<Item = &'a [u64]>) {
    let label = Part::open(path).unwrap().label();
    let file = fs::File::create(path).unwrap();
    let mut writer = PartWriter::new(file, path, label).unwrap();
    let mut block = Block::default();
    for states in blocks {
        let encoded = Encoder::new(3).unwrap().encode(
            &Ranking::of_part(label.size, label.key),
            states,
            &mut block,
        );
        encoded.unwrap();
        block.last = block.first; // so that the writer does not refuse disorder
        writer.append(&block).unwrap();
    }
    writer.finish().unwrap();
}

/// All states of a part file.
pub(crate) fn states(path: &Path) -> Vec<u64> {
    let stream = Stream::new(Part::open(path).unwrap()).unwrap();
    stream.map(Result::unwrap).collect()
}

/// Corrects the size and the fingerprint of a part in the manifest, after its file was forged.
pub(crate) fn seal_part(path: &Path, before: &str) {
    let part = Part::open(path).unwrap();
    let manifest = path.with_file_name("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    // The manifest has no x before a fingerprint. The table has the fingerprint of states, too.
    let before = before.trim_start_matches('x');
    let places = if part.label().kind == Kind::States {
        2
    } else {
        1
    };
    assert_eq!(text.matches(before).count(), places, "{before}");
    let print = part.fingerprint().to_string();
    let after = print.trim_start_matches('x');
    let text = text.replace(before, after);
    let print = text.rfind(after).unwrap();
    let at = text[..print].rfind("\"bytes\": ").unwrap();
    let (from, digits) = (at + 9, |c: char| c.is_ascii_digit());
    let to = from + text[from..].find(|c| !digits(c)).unwrap();
    let mut text = format!("{}{}{}", &text[..from], part.bytes(), &text[to..]).into_bytes();
    seal_manifest(&mut text);
    fs::write(manifest, text).unwrap();
}

#[test]
fn a_valid_file_of_other_states_is_reported() {
    let victim = Victim::new("2x2-32", None);
    let path = victim.dir().join("sum-00016-max-00008.states");
    let good = states(&path);
    assert!(good.len() > 2);
    for wrong in [
        &good[1..],
        &good[..good.len() - 1],
        &[&good[..], &[0x3300]].concat(),
    ] {
        forge(&path, wrong);
        victim.suffers("sum-00016-max-00008.states", "other states");
    }
    forge(&path, &good);
    assert!(victim.findings().unwrap().is_empty());
}

/// Findings, shallow and deep, in a run with a forged part. Its manifest is corrected, so that
/// checksums, counts and the fingerprint agree. Only the rules show that the part is wrong.
fn forged(change: impl Fn(&mut Vec<u64>)) -> (Vec<Error>, Vec<Error>) {
    let victim = Victim::new("2x2-32", None);
    let path = victim.dir().join("sum-00016-max-00008.states");
    let mut list = states(&path);
    let old = files(victim.dir());
    let fingerprint = |list: &[u64]| fingerprint(list).to_string();
    let before = fingerprint(&list);
    change(&mut list);
    list.sort_unstable();
    forge(&path, &list);
    seal_part(&path, &before);
    // The table has the same fingerprint as the manifest.
    let csv = String::from_utf8(old["layers.csv"].clone()).unwrap();
    fs::write(
        victim.dir().join("layers.csv"),
        csv.replace(&before, &fingerprint(&list)),
    )
    .unwrap();

    let shallow = victim.findings().unwrap();
    let run = Run::open(victim.dir()).unwrap();
    let deep = deep::verify(&reader(run), &victim.pool, 1 << 30, &mut Silent).unwrap();
    (shallow, deep)
}

#[test]
fn invalid_states_with_correct_checksums_are_reported() {
    // 2 8 / 4 2 is the state 0x1231, of sum 16 and largest tile 8.
    for (wrong, what) in [
        (0x1321, "0x1321 is not canonical"),
        (0x2222, "0x2222 has another largest tile"),
        (0x1231, "0x1231 has no legal move"),
    ] {
        let (shallow, _) = forged(|list| {
            let last = list.len() - 1;
            list[last] = wrong;
        });
        let text = format!("{shallow:?}");
        assert!(
            text.contains("block 0") && text.contains(what),
            "{what}: {text}"
        );
    }
}

#[test]
fn only_deep_verification_finds_an_unreachable_state() {
    // 8 . / . 8 has the right sum and largest tile, but no game to 32 reaches it.
    let victim = Victim::new("2x2-32", None);
    let path = victim.dir().join("sum-00016-max-00008.states");
    let real = states(&path);
    assert!(!real.contains(&0x0330));
    let (shallow, deep) = forged(|list| list[0] = 0x0330);
    let shallow: Vec<String> = shallow.iter().map(Error::to_string).collect();
    assert!(
        shallow.iter().all(|text| text.contains("labeled")),
        "{shallow:?}"
    );
    let text = format!("{deep:?}");
    assert!(text.contains("sum-00016-max-00008.states"), "{text}");
    assert!(text.contains("block 0: 0x"), "{text}");
    assert!(
        text.contains("follows from no state before it") || text.contains("is missing, but"),
        "{text}"
    );
}
