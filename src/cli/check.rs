//! `enum48 check`: count the games that have published numbers, and compare.

use std::io::{self, Write};

use anyhow::{Context, Result};
use indicatif::HumanCount;

use super::Outcome;
use super::progress::Reporter;
use super::resources::Resources;
use crate::counts::Totals;
use crate::engine;
use crate::game::Game;
use crate::known::{Effort, PUBLISHED, Published};
use crate::store::{Keep, Store};

/// Count the games with published numbers in a temporary directory, and compare
///
/// Prints one line for each figure: the verdict, the game, what was counted, the published number, the
/// number found, and the source. Takes some seconds. Exit code 1 if a number disagrees.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Also count what takes over a minute: 4x4 to 64 (about an hour on two cores; keeps no files)
    #[arg(long)]
    long: bool,

    #[command(flatten)]
    resources: Resources,

    /// No progress on stderr
    #[arg(long, short)]
    quiet: bool,
}

/// Count and compare.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let most = if args.long {
        Effort::Long
    } else {
        Effort::Short
    };
    let mut outcome = Outcome::Done;
    let mut out = io::stdout();
    writeln!(
        out,
        "verdict   game      figure             expected              got  source"
    )?;
    for published in PUBLISHED
        .iter()
        .filter(|published| published.effort <= most)
    {
        let totals = count(published, args)?;
        for figure in published.figures {
            let got = figure.what.of(&totals);
            let agrees = got == figure.expected;
            writeln!(
                out,
                "{:<8}  {:<8}  {:<11} {:>15}  {:>15}  {}",
                if agrees { "agrees" } else { "DIFFERS" },
                published.game,
                figure.what.word(),
                HumanCount(figure.expected).to_string(),
                HumanCount(got).to_string(),
                published.source,
            )?;
            if !agrees {
                outcome = Outcome::Disagreed;
            }
        }
    }
    Ok(outcome)
}

fn count(published: &Published, args: &Args) -> Result<Totals> {
    let size = published.game.split('-').next().unwrap_or_default();
    let game = Game::new(size.parse()?, published.max)?;
    let place = tempfile::tempdir().context("temporary directory: cannot create")?;
    let mut store = Store::open(place.path(), &game, Some(Keep::Last))?;
    let plan = args.resources.plan()?;
    let mut reporter = Reporter::new(&game, &plan, &store, None, args.quiet);
    let counted = engine::count(&game, &mut store, &plan, None, &mut reporter);
    reporter.finish();
    counted?;
    Ok(store.table().totals())
}
