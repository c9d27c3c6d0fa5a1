//! Deep verification of runs that keep the states or the afterstates of every layer.

use enum48::Error;
use enum48::engine::{Progress, Silent};
use enum48::part::fingerprint;
use enum48::store::{Keep, Run};
use enum48::verify::deep;

use crate::read::reader;
use crate::verify::{Victim, forge, seal_part, states};

/// The findings of a deep verification.
fn deep(victim: &Victim, memory: u64) -> Result<Vec<Error>, Error> {
    let run = Run::open(victim.dir())?;
    deep::verify(&reader(run), &victim.pool, memory, &mut Silent)
}

#[test]
fn deep_verification_makes_all_kept_layers_again() {
    for (name, until) in [
        ("2x2-32", None),
        ("2x3", None),
        ("3x2-16", None),
        ("3x3-32", None),
        ("4x4-16", Some(20)),
    ] {
        for keep in [Keep::All, Keep::Afterstates, Keep::Both] {
            let victim = Victim::keeping(name, until, keep);
            for memory in [1, 1 << 30] {
                let found = deep(&victim, memory).unwrap();
                assert!(found.is_empty(), "{name}, {keep}: {found:?}");
            }
        }
        let victim = Victim::keeping(name, until, Keep::Last);
        let refused = deep(&victim, 1);
        assert!(matches!(refused, Err(Error::Gone { sum: 4, .. })), "{name}");
    }
}

#[test]
fn deep_verification_reports_the_work_that_it_announced() {
    /// Sums the reported boards.
    struct Followed(u64);
    impl Progress for Followed {
        fn advance(&mut self, boards: u64) {
            self.0 += boards;
        }
    }
    for keep in [Keep::All, Keep::Afterstates, Keep::Both] {
        let victim = Victim::keeping("3x3-32", None, keep);
        let run = Run::open(victim.dir()).unwrap();
        let mut followed = Followed(0);
        let reader = reader(run);
        deep::verify(&reader, &victim.pool, 1, &mut followed).unwrap();
        assert_eq!(followed.0, deep::work(reader.run()).unwrap(), "{keep}");
    }
}

/// Checksums, counts and the fingerprint agree, and the board fits its part. Only making the layer
/// again shows that the board is wrong.
#[test]
fn only_deep_verification_finds_an_unreachable_afterstate() {
    for keep in [Keep::Afterstates, Keep::Both] {
        let victim = Victim::keeping("2x2-32", None, keep);
        let name = "sum-00016-max-00008.afterstates";
        let path = victim.dir().join(name);
        // 8 . / . 8 replaces 8 8 / . . Both hold two 8s, but no move leads to 8 . / . 8.
        let good = states(&path);
        let mut wrong = good.clone();
        let replaced = wrong.iter_mut().find(|board| **board == 0x0033).unwrap();
        *replaced = 0x0330;
        wrong.sort_unstable();
        forge(&path, &wrong);
        seal_part(&path, &fingerprint(&good).to_string());

        assert!(victim.findings().unwrap().is_empty(), "{keep}");
        let found = format!("{:?}", deep(&victim, 1 << 30).unwrap());
        assert!(found.contains(name), "{keep}: {found}");
        assert!(
            found.contains("block 0: 0x33 is missing"),
            "{keep}: {found}"
        );
    }
}
