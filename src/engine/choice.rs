//! The choice of an engine for each layer.

use std::fmt;

use super::bits::{Sizes, fit, least_bound};
use super::plan::{Engine, Plan, memory_text};
use crate::error::{Error, InputError, Result};
use crate::game::Game;
use crate::store::Run;

/// Most stones with which bits are faster than lists. Each further stone thins the layers out: measured,
/// bits take a quarter of the time of lists with 7 stones, half with 8, and twice as much with 9.
const MANY_STONES: u32 = 8;

/// Layers that one engine counts.
#[derive(Clone, Debug)]
pub(crate) struct EngineStage {
    pub(crate) engine: Engine,
    /// The sum of the last layer.
    pub(crate) last: u32,
    /// The plan for the memory beside the matrices.
    pub(crate) plan: Plan,
}

/// The engines for the layers that are left, and the reason for the choice.
#[derive(Clone, Debug)]
pub struct Choice {
    last: u32,
    stages: Vec<EngineStage>,
    why: String,
}

impl Choice {
    /// Choose bits while they fit the memory bound, because they are several times faster, and then
    /// lists. With many stones, choose lists. If the plan names an engine, use only this engine. Lists keep
    /// their memory until the program ends, so a return to bits waits for the next start.
    ///
    /// # Errors
    ///
    /// [`Error::Engine`] if the plan names bits but bits cannot count all layers;
    /// [`Error::Keep`] if the run keeps matrices and bits cannot count all layers; the errors of
    /// [`last_sum`].
    pub fn new(run: &Run, plan: &Plan, until: Option<u32>) -> Result<Self> {
        Self::choose(run, plan, until, true)
    }

    /// Like [`Self::new`], for the layers that a cluster counts without tasks. In a run that keeps
    /// matrices, the last stage may end before a layer that does not fit: other machines sweep it.
    ///
    /// # Errors
    ///
    /// As for [`Self::new`], but the matrices of a run that keeps them need not fit.
    pub(crate) fn of_cluster(run: &Run, plan: &Plan, until: Option<u32>) -> Result<Self> {
        Self::choose(run, plan, until, false)
    }

    /// Choose engines. `all` says whether the stages must reach the last layer in any case.
    fn choose(run: &Run, plan: &Plan, until: Option<u32>, all: bool) -> Result<Self> {
        let game = run.game();
        let last = last_sum(game, until)?;
        let first = run.sealed_sum() + 2;
        let lists = EngineStage {
            engine: Engine::Lists,
            last,
            plan: plan.clone(),
        };
        let lists_alone = |why: String| {
            let stages = vec![lists.clone()];
            Ok(Self { last, stages, why })
        };
        let matrices = run.keep().matrices();
        let refused = |what: String| match matrices {
            true => Err(Error::Keep(format!(
                "--keep matrices: {what}: give more --memory"
            ))),
            false => Err(Error::Engine(what)),
        };
        if plan.engine == Some(Engine::Lists) {
            if matrices {
                let what = "--keep matrices: only the engine bits makes matrices: leave out --engine lists";
                return Err(Error::Keep(what.to_owned()));
            }
            return lists_alone("as requested".to_owned());
        }
        let forced = plan.engine == Some(Engine::Bits) || matrices;
        if let Some(boards) = game.bits_need() {
            return if forced {
                refused(format!("for {boards}, not of {}", game.size()))
            } else {
                lists_alone(format!("bits count only {boards}"))
            };
        }
        if run.complete() || first > last {
            return lists_alone("nothing is left to count".to_owned());
        }
        if game.size().stones() > MANY_STONES && !forced {
            return lists_alone(format!("bits are slower with over {MANY_STONES} stones"));
        }
        let end = last.min(game.sum_bound());
        let (sizes, beyond) = fit(game, first, end, plan);
        let plan = &sizes.plan;
        let beside = |bytes| plan.beside(bytes, Sizes::parts(game));
        let may_end = matrices && !all;
        if let Some(sum) = beyond.filter(|_| forced && !may_end) {
            let bytes = Sizes::new(game, sum, plan).bytes(first..=sum);
            return refused(format!(
                "the layer of sum {sum} needs {}, of which matrices take {}; --memory is {}",
                memory_text(least_bound(game, &(first..=sum), sum, plan)),
                memory_text(bytes),
                plan.memory_text()
            ));
        }
        let fitting = first..=beyond.map_or(end, |sum| sum - 2);
        let bytes = (!fitting.is_empty()).then(|| sizes.bytes(fitting));
        let bits = bytes.and_then(beside).map(|plan| EngineStage {
            engine: Engine::Bits,
            last: beyond.map_or(last, |sum| sum - 2),
            plan,
        });
        let memory = plan.memory_text();
        let why = match beyond {
            None => format!(
                "matrices take up to {}",
                memory_text(bytes.unwrap_or_default())
            ),
            Some(sum) if sum == first => format!("matrices would not fit {memory}"),
            Some(_) => format!("as long as matrices fit {memory}"),
        };
        let rest = beyond.filter(|_| !may_end).map(|_| lists);
        let stages = bits.into_iter().chain(rest).collect();
        Ok(Self { last, stages, why })
    }

    /// The greatest sum to count.
    pub(crate) fn last(&self) -> u32 {
        self.last
    }

    /// The stages, in order.
    pub(crate) fn stages(&self) -> &[EngineStage] {
        &self.stages
    }

    /// The engine that counts the layer of a sum.
    #[cfg(feature = "machine")]
    pub(crate) fn engine(&self, sum: u32) -> Engine {
        let stage = self.stages.iter().find(|stage| sum <= stage.last);
        stage.map_or(Engine::Lists, |stage| stage.engine)
    }

    /// The reason for the choice.
    pub fn why(&self) -> &str {
        &self.why
    }
}

/// The engines in their order: "bits", or "bits to sum 300, then lists".
impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, stage) in self.stages.iter().enumerate() {
            if at > 0 {
                write!(f, " to sum {}, then ", self.stages[at - 1].last)?;
            }
            write!(f, "{}", stage.engine)?;
        }
        Ok(())
    }
}

/// The sum of the last layer, if `game` is counted up to `until`. Layers have even sums.
///
/// # Errors
///
/// [`InputError::Until`] for a sum below the first layer; [`InputError::Endless`] if the game goes
/// on to tiles that no digit stands for.
pub fn last_sum(game: &Game, until: Option<u32>) -> Result<u32> {
    let endless = game.is_endless();
    match until {
        Some(sum) if sum < 4 => Err(InputError::Until(sum).into()),
        Some(sum) if endless && sum >= 65536 => Err(InputError::Endless.into()),
        None if endless => Err(InputError::Endless.into()),
        Some(sum) => Ok(sum / 2 * 2),
        None => Ok(u32::MAX),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_that_no_board_can_hold_are_refused() {
        let game = |name: &str| name.parse::<Game>().unwrap();
        let endless = game("4x4");
        assert!(matches!(
            last_sum(&endless, None),
            Err(Error::Input(InputError::Endless))
        ));
        assert!(matches!(
            last_sum(&endless, Some(65536)),
            Err(Error::Input(InputError::Endless))
        ));
        assert_eq!(last_sum(&endless, Some(65535)).unwrap(), 65534);
        assert!(matches!(
            last_sum(&game("2x2-32"), Some(3)),
            Err(Error::Input(InputError::Until(3)))
        ));
        assert_eq!(last_sum(&game("4x4-65536"), None).unwrap(), u32::MAX);
    }
}
