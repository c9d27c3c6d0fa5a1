//! `enum48 graph`: draw the states of a small game.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use super::Outcome;
use super::output::Output;
use crate::game::{Game, Size};
use crate::graph::{self, Graph};

/// Draw the state graph of a small game
///
/// Each canonical state, live or dead, is a node; an edge leads to each state that can follow it by a
/// move and a spawn, and to the win or the loss where the game ends. Counts in memory, without files.
///
/// dot is for Graphviz (enum48 graph --size 2 --max 32 | dot -Tsvg -o graph.svg): boards are drawn, sums go
/// downward; starts have a blue frame, dead states a red one; an edge is solid where a 2 was spawned and
/// dashed where a 4. graphml is for networkx, Gephi and others, json for anything else; both say of a
/// state its sum and largest tile, whether it is live or dead, and a start, and of an edge its moves (of
/// U, R, D, L) and the spawned tile.
#[derive(clap::Args)]
pub(super) struct Args {
    /// Size of the board: N (a square), or rows and columns as in 4x3; sides from 2 to 4
    #[arg(long, value_name = "N|RxC")]
    size: Size,

    /// The winning tile, a power of two from 8 to 65536 [default: none]
    #[arg(long, value_name = "TILE")]
    max: Option<u32>,

    /// Draw the states up to this tile sum only
    #[arg(long, value_name = "SUM")]
    until: Option<u32>,

    /// Box the states of each sum and largest tile (dot; the other formats have both as attributes)
    #[arg(long)]
    group: bool,

    /// What to write
    #[arg(long, value_name = "FORMAT", default_value = "dot")]
    format: Format,

    /// Refuse games with more states than this
    #[arg(long, value_name = "N", default_value_t = 2000)]
    limit: usize,

    /// Write to FILE, - for stdout
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    Dot,
    Graphml,
    Json,
}

/// Draw.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let game = Game::new(args.size, args.max)?;
    let output = Output::new(&args.output)?;
    let graph = Graph::new(&game, args.until, args.limit)?;
    let format = match args.format {
        Format::Dot => graph::Format::Dot {
            grouped: args.group,
        },
        Format::Graphml => graph::Format::GraphMl,
        Format::Json => graph::Format::Json,
    };
    output.write(|to| Ok(graph.write(format, to)?))?;
    Ok(Outcome::Done)
}
