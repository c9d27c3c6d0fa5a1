//! A graph as a picture, for Graphviz: `dot -Tsvg`.
//!
//! Each state is its board, drawn as a small table in muted colours of the tiles. The states of one
//! sum are side by side, greater sums below. Moves and spawns are tooltips, because labels would
//! cover the boards. An edge is solid for a spawned 2, dashed for a spawned 4.

use std::io::{self, Write};
use std::ops::Range;

use super::model::{Edge, Graph, State, Target};

/// Style of the graph, and of all nodes and edges.
const STYLE: &str = "  bgcolor=white fontname=monospace fontsize=11 labelloc=t newrank=true \
nodesep=0.12 ranksep=0.55
  node [shape=plain fontname=monospace fontsize=10]
  edge [arrowsize=0.45 penwidth=0.8 color=\"#8f867c\"]
";

/// Colours of the tiles by exponent, from the empty cell on.
const TILES: [&str; 16] = [
    "#d8cfc4", "#f1e9df", "#efe2c6", "#f0c597", "#eeae85", "#eb9a82", "#e88672", "#ecd68e",
    "#ebd27f", "#eace71", "#e9ca62", "#e8c654", "#b5cf9b", "#97bd8d", "#86aebd", "#8f9bc4",
];

/// The colour of a stone.
const STONE: &str = "#6f665e";

/// Colours of the frames of boards.
const LIVE: &str = "#b3a698";
const START: &str = "#3f6fa3";
const DEAD: &str = "#a8403a";
const WIN: &str = "#4d8a4f";

/// Write a picture for Graphviz, with the boards drawn and, if `grouped`, a box around each part.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write_dot(graph: &Graph, grouped: bool, out: &mut dyn Write) -> io::Result<()> {
    let last = graph.states.last().map_or(0, State::sum);
    let live = graph.states.iter().filter(|state| state.live).count();
    let (game, dead) = (graph.game, graph.states.len() - live);
    writeln!(out, "digraph \"{game}\" {{")?;
    writeln!(
        out,
        "  label=\"{game} up to sum {last}: {live} live, {dead} dead\""
    )?;
    out.write_all(STYLE.as_bytes())?;
    // The longest number in the graph sets the width, so that all boards have one size.
    let largest = graph.states.iter().map(State::max_tile).max().unwrap_or(2);
    let side = 20.max(7 * largest.to_string().len() + 6);
    let mut first = 0;
    for layer in graph.states.chunk_by(|a, b| a.sum() == b.sum()) {
        write_layer(graph, first..first + layer.len(), grouped, side, out)?;
        first += layer.len();
    }
    for end in graph.ends() {
        let (name, color) = (graph.name(end), end_color(end));
        writeln!(
            out,
            "  \"{name}\" [shape=box style=\"rounded,filled\" label=\"{name}\" fontsize=13 \
             fontcolor=white color=\"{color}\" fillcolor=\"{color}\" margin=\"0.15,0.06\"]"
        )?;
    }
    let ends: Vec<String> = graph.ends().map(|end| graph.name(end)).collect();
    writeln!(out, "  {{ rank=sink {} }}", ends.join(" "))?;
    for edge in &graph.edges {
        write_edge(graph, edge, out)?;
    }
    writeln!(out, "}}")
}

/// Write the states of one sum, side by side; `places` are their indices. The sum itself is a node
/// beside the states. An invisible edge from the sum before keeps unconnected sums on separate
/// lines.
fn write_layer(
    graph: &Graph,
    places: Range<usize>,
    grouped: bool,
    side: usize,
    out: &mut dyn Write,
) -> io::Result<()> {
    let name = |at| format!("\"{}\"", graph.name(Target::State(at)));
    let names: Vec<String> = places.clone().map(name).collect();
    let before = places.start.checked_sub(1).map(|at| graph.states[at].sum());
    let sum = graph.states[places.start].sum();
    let max = |&at: &usize| graph.states[at].max_tile();
    let mut layer: Vec<usize> = places.collect();
    layer.sort_by_key(max);
    for part in layer.chunk_by(|a, b| max(a) == max(b)) {
        let max = max(&part[0]);
        if grouped {
            writeln!(
                out,
                "  subgraph \"cluster_{sum}_{max}\" {{ label=\"sum {sum}, max {max}\" labeljust=l \
                 style=\"rounded,filled\" color=\"#e4ddd3\" fillcolor=\"#faf7f2\""
            )?;
        }
        for &at in part {
            write_state(graph, at, side, out)?;
        }
        if grouped {
            writeln!(out, "  }}")?;
        }
    }
    writeln!(out, "  \"sum {sum}\" [fontcolor=\"#8f867c\"]")?;
    if let Some(before) = before {
        writeln!(
            out,
            "  \"sum {before}\" -> \"sum {sum}\" [style=invis weight=100]"
        )?;
    }
    writeln!(out, "  {{ rank=same \"sum {sum}\" {} }}", names.join(" "))
}

/// Write a state with its board as an HTML-like table. A cell is `side` points wide.
fn write_state(graph: &Graph, at: usize, side: usize, out: &mut dyn Write) -> io::Result<()> {
    let (state, name) = (&graph.states[at], graph.name(Target::State(at)));
    let (kind, frame, width) = match state {
        State { live: false, .. } => (", dead", DEAD, 2),
        State { start: true, .. } => (", start", START, 2),
        _ => ("", LIVE, 1),
    };
    let (sum, max) = (state.sum(), state.max_tile());
    write!(
        out,
        "  \"{name}\" [tooltip=\"sum {sum}, max {max}{kind}\" \
         label=<<table border=\"{width}\" color=\"{frame}\" bgcolor=\"{LIVE}\" cellborder=\"0\" \
         cellspacing=\"1\" cellpadding=\"0\">"
    )?;
    let tiles: Vec<u32> = graph.grid(state).tiles().collect();
    for row in tiles.chunks(graph.game.size().cols().into()) {
        write!(out, "<tr>")?;
        for &tile in row {
            let (color, text) = match tile {
                0 => (TILES[0], String::new()),
                1 => (STONE, "x".to_owned()),
                tile => (TILES[tile.trailing_zeros() as usize], tile.to_string()),
            };
            write!(
                out,
                "<td width=\"{side}\" height=\"20\" fixedsize=\"true\" bgcolor=\"{color}\">{text}</td>"
            )?;
        }
        write!(out, "</tr>")?;
    }
    writeln!(out, "</table>>]")
}

fn write_edge(graph: &Graph, edge: &Edge, out: &mut dyn Write) -> io::Result<()> {
    let from = graph.name(Target::State(edge.from));
    let to = graph.name(edge.to);
    let moves = edge.letters();
    let style = match edge.spawn {
        Some(2) => format!("tooltip=\"{moves}, then a 2\""),
        Some(tile) => format!("tooltip=\"{moves}, then a {tile}\" style=dashed"),
        None => {
            let (color, what) = (end_color(edge.to), graph.name(edge.to));
            let how = if moves.is_empty() { "no move" } else { &moves };
            format!("tooltip=\"{how}: {what}\" color=\"{color}80\"")
        }
    };
    writeln!(out, "  \"{from}\" -> \"{to}\" [{style}]")
}

fn end_color(end: Target) -> &'static str {
    if end == Target::Win { WIN } else { DEAD }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::small;
    use super::*;

    fn dot(grouped: bool) -> String {
        let mut text = Vec::new();
        write_dot(&small(), grouped, &mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn boards_are_tables_and_moves_are_tooltips() {
        let text = dot(false);
        for part in [
            "label=\"2x2-8 up to sum 14: 15 live, 1 dead\"",
            "\"0x0011\" [tooltip=\"sum 4, max 2, start\" label=<<table border=\"2\"",
            "\"0x1221\" [tooltip=\"sum 12, max 4, dead\" label=<<table border=\"2\"",
            "bgcolor=\"#d8cfc4\"></td></tr><tr>",
            "bgcolor=\"#efe2c6\">4</td></tr></table>>]",
            "\"0x0011\" -> \"0x0012\" [tooltip=\"RL, then a 2\"]",
            "\"0x0011\" -> \"0x0022\" [tooltip=\"RL, then a 4\" style=dashed]",
            "\"0x0022\" -> \"win\" [tooltip=\"RL: win\"",
            "\"0x1221\" -> \"loss\" [tooltip=\"no move: loss\"",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(!text.contains("subgraph"));
    }

    #[test]
    fn grouped_parts_have_boxes() {
        let text = dot(true);
        assert!(text.contains("subgraph \"cluster_12_4\" { label=\"sum 12, max 4\""));
        let parts = text.matches("subgraph").count();
        assert_eq!(parts, 7, "six sums, two largest tiles in sum 6");
    }
}
