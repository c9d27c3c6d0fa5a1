//! `enum48 graph`: draw the states of a small game.

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use crate::cli::args::{GameArgs, sum, whole};
use crate::cli::out::Outcome;
use crate::cli::out::output::{self, Output};
use crate::graph::{self, Graph};

/// Draw the state graph of a small game
///
/// Each canonical state, live or dead, is a node. Edges lead to the states that can follow it by a
/// move and a spawn, and to the win or the loss where the game ends. Counts in memory, without
/// files.
///
/// dot is for Graphviz: it draws the boards, with sums increasing downward, a blue frame around
/// starts and a red frame around dead states; an edge is solid for a spawned 2, dashed for a 4.
/// graphml is for networkx, igraph, Boost, Gephi and others; json is node-link data, for networkx and
/// d3. For a state, both give the sum, the largest tile, and whether it is live, dead or a start. For
/// an edge, they give the moves (of U, R, D, L) and the spawned tile. Read one of them to compute:
/// dot has nodes for the sums, too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  enum48 graph --size 2 --max 32 | dot -Tsvg -o graph.svg
  enum48 graph --size 3 --max 8 --until 12 --group -o begin.dot
  enum48 graph --size 2 -o graph.graphml")]
pub(super) struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Draw only the states up to this tile sum
    #[arg(long, value_name = "SUM", value_parser = sum)]
    until: Option<u32>,

    /// Put a box around the states of each sum and largest tile (dot; other formats have both as
    /// attributes)
    #[arg(long)]
    group: bool,

    /// Output format [default: the ending of FILE, if it is one of these, otherwise dot]
    #[arg(long, value_enum)]
    format: Option<GraphFormat>,

    /// Refuse games with more states than this
    #[arg(long, value_name = "N", value_parser = whole(1, usize::MAX), default_value_t = 2000)]
    limit: usize,

    /// Write to FILE, - for stdout
    #[arg(long, short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    Dot,
    Graphml,
    Json,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let game = args.game.game()?;
    let format = output::format(args.format, &args.output)?;
    let output = Output::new(&args.output)?;
    let graph = Graph::new(&game, args.until, args.limit)?;
    output.write(|to| {
        let written = match format.unwrap_or(GraphFormat::Dot) {
            GraphFormat::Dot => graph::write_dot(&graph, args.group, to),
            GraphFormat::Graphml => graph::write_graphml(&graph, to),
            GraphFormat::Json => graph::write_json(&graph, to),
        };
        Ok(written?)
    })?;
    Ok(Outcome::Done)
}
