//! The program is killed at random moments.

use std::fs;
use std::process::{self, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fastrand::Rng;
use rayon::prelude::*;

use super::place::{EACH_FRONTIER, EACH_LAYER, End, Place, begun, end, good, undisturbed_after};
use crate::share::share;

/// A count or a solver that is killed repeatedly.
struct Hunted {
    args: &'static str,
    /// The count to solve, which is not killed.
    before: Option<&'static str>,
    /// Threads and memory of the killed processes, and of the run to compare with.
    bounds: [&'static str; 2],
    /// Settings of the shim; `None` runs the program without it.
    settings: Option<&'static [(&'static str, &'static str)]>,
    spills: bool,
}

/// Number of kills in a hunt.
const KILLS: usize = 5;

/// Number of hunts for each count. Each hunt kills at other moments.
const HUNTS: usize = 4;

const HUNTED: [Hunted; 11] = [
    Hunted {
        args: "--size 3 --max 512",
        before: None,
        bounds: ["--threads 2 --memory 32M", "--threads 1 --memory 256M"],
        settings: None,
        spills: false,
    },
    Hunted {
        args: "--size 4 --max 16",
        before: None,
        bounds: ["--threads 2 --memory 32M", "--threads 1 --memory 512M"],
        settings: Some(&[]),
        spills: false,
    },
    Hunted {
        args: "--size 4 --max 16 --engine bits",
        before: None,
        bounds: ["--threads 2 --memory 128M", "--threads 3 --memory 512M"],
        settings: Some(EACH_FRONTIER),
        spills: false,
    },
    Hunted {
        args: "--size 3x4 --max 32",
        before: None,
        bounds: ["--threads 2 --memory 32M", "--threads 3 --memory 256M"],
        settings: Some(EACH_LAYER),
        spills: false,
    },
    Hunted {
        args: "--size 4 --max 32 --until 60",
        before: None,
        bounds: ["--threads 1 --memory 24M", "--threads 2 --memory 512M"],
        settings: Some(EACH_LAYER),
        spills: true,
    },
    Hunted {
        args: "--size 3 --max 256 --keep last",
        before: None,
        bounds: ["--threads 3 --memory 40M", "--threads 2 --memory 128M"],
        settings: Some(EACH_LAYER),
        spills: false,
    },
    Hunted {
        args: "--size 3 --max 256 --keep both",
        before: None,
        bounds: ["--threads 2 --memory 32M", "--threads 1 --memory 128M"],
        settings: Some(EACH_LAYER),
        spills: false,
    },
    Hunted {
        args: "--size 4 --max 16 --keep afterstates --engine bits",
        before: None,
        bounds: ["--threads 2 --memory 128M", "--threads 3 --memory 512M"],
        settings: Some(EACH_LAYER),
        spills: false,
    },
    Hunted {
        args: "--size 4 --max 16 --keep matrices",
        before: None,
        bounds: ["--threads 2 --memory 128M", "--threads 3 --memory 512M"],
        settings: Some(EACH_FRONTIER),
        spills: false,
    },
    Hunted {
        args: "--size 3 --max 128 --keep both",
        before: Some("--size 3 --max 128"),
        bounds: ["--threads 2 --memory 32M", "--threads 1 --memory 128M"],
        settings: Some(EACH_LAYER),
        spills: false,
    },
    Hunted {
        args: "solve --for score,moves,128",
        before: Some("--size 3 --max 128 --keep afterstates"),
        bounds: ["--threads 2 --memory 32M", "--threads 7 --memory 1G"],
        settings: Some(EACH_LAYER),
        spills: false,
    },
];

impl Hunted {
    /// Kills [`KILLS`] processes, then lets one end. Returns how many processes ended well.
    fn hunt(&self, seed: u64) -> usize {
        let [bounds, others] = self.bounds;
        let args = format!("{} {bounds}", self.args);
        let begun = self.before.map(begun);
        let expected = undisturbed_after(begun.as_ref(), &format!("{} {others}", self.args));
        let place = Place::new();
        let start = || begun.iter().for_each(|begun| begun.copy_to(&place));
        start();
        let mut random = Rng::with_seed(seed);
        let (mut killed, mut ended) = (0, 0);
        while killed < KILLS {
            let child = self.command(&place, &args).spawn().unwrap();
            thread::sleep(moment(&mut random));
            match end(&stop(child), &args) {
                End::Killed => killed += 1,
                End::Well => {
                    assert!(place.files() == expected, "{args}: after {killed} kills");
                    fs::remove_dir_all(place.run()).unwrap();
                    start();
                    ended += 1;
                }
                End::Refused => panic!("{args}: refused after {killed} kills"),
            }
        }
        good(self.command(&place, &args), &args);
        assert!(place.files() == expected, "{args}: after {killed} kills");
        if self.spills {
            let log = fs::read_to_string(place.log()).unwrap();
            let spilled = log.lines().any(|operation| operation.starts_with("spill "));
            assert!(spilled, "{args}: was chosen for not fitting");
        }
        println!("{args}: {killed} kills, {} counts ended", ended + 1);
        ended + 1
    }

    fn command(&self, place: &Place, args: &str) -> Command {
        let mut command = match self.settings {
            Some(settings) => place.shimmed(args, settings),
            None => place.command(args),
        };
        command
            .env("FAULT_LOG", place.log())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// Kills a process, which may already have ended.
fn stop(mut child: process::Child) -> Output {
    child.kill().unwrap();
    child.wait_with_output().unwrap()
}

/// How long a process lives: mostly under 0.4 seconds. One in eight may live for 2 seconds, so that
/// the clock makes it commit.
fn moment(random: &mut Rng) -> Duration {
    let longest = if random.u8(0..8) == 0 { 2000 } else { 400 };
    Duration::from_millis(random.u64(0..longest))
}

#[test]
fn a_count_killed_at_any_moment_resumes_with_the_same_bytes() {
    let hunts: Vec<(&Hunted, u64)> = HUNTED
        .iter()
        .flat_map(|hunted| [hunted; HUNTS])
        .zip(1..)
        .collect();
    let hunts = share(hunts);
    let ended: usize = hunts
        .par_iter()
        .with_max_len(1)
        .map(|(hunted, seed)| hunted.hunt(*seed))
        .sum();
    println!("{} hunts, {ended} counts ended", hunts.len());
}

/// A process that finds its directory in use waits for this time before it gives up.
const PATIENCE: Duration = Duration::from_secs(2);

#[test]
fn a_count_resumes_right_after_a_kill() {
    let place = Place::new();
    let args = "--size 4 --max 32 --until 54 --threads 2 --memory 1G";
    let mut children = Vec::new();
    for seed in share(0..30) {
        let begin = Instant::now();
        let mut child = place.command(args).stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(moment(&mut Rng::with_seed(seed)));
        child.kill().unwrap();
        // It may still be ending when the next process starts.
        children.push((child, begin.elapsed()));
    }
    let begin = Instant::now();
    let last = place.command(args).output().unwrap();
    let last = (last, begin.elapsed());
    let killed = children
        .into_iter()
        .map(|(child, lived)| (child.wait_with_output().unwrap(), lived));
    for (output, lived) in killed.chain([last]) {
        // On a busy machine, a killed process may need longer to end.
        let end = end(&output, args);
        assert!(
            end != End::Refused || lived >= PATIENCE,
            "{args}: {output:?}"
        );
    }
    good(place.command(args), args);
}
