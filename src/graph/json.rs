//! A graph as one JSON object, with a line for each node and each edge.
//!
//! ```text
//! {"game":"2x2-32","nodes":[
//! {"id":"0x0011","kind":"live","board":". . / 2 2","sum":4,"max_tile":2,"start":true},
//! ...
//! {"id":"win","kind":"win"},
//! {"id":"loss","kind":"loss"}
//! ],"edges":[
//! {"from":"0x0011","to":"0x0012","moves":"RL","spawn":2},
//! ...
//! {"from":"0x1441","to":"loss","moves":"","spawn":null},
//! ...
//! ]}
//! ```
//!
//! `moves` lists the directions U, R, D, L that lead to the target from the board as shown; `spawn`
//! is the tile that follows.

use std::io::{self, Write};

use serde::Serialize;

use super::{Graph, Target};

/// A node: a state, the win or the loss. Users rely on the keys and their order: add new keys at
/// the end.
#[derive(Serialize)]
struct JsonNode {
    id: String,
    kind: &'static str,
    #[serde(flatten)]
    state: Option<JsonState>,
}

#[derive(Serialize)]
struct JsonState {
    board: String,
    sum: u32,
    max_tile: u32,
    start: bool,
}

/// An edge; `spawn` is null if the game ends.
#[derive(Serialize)]
struct JsonEdge {
    from: String,
    to: String,
    moves: String,
    spawn: Option<u32>,
}

/// Write `graph` with a line per node and edge, so that people can read it too. serde's own layouts
/// use a single line, or a line per field.
pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let states = graph.states.iter().enumerate().map(|(at, state)| JsonNode {
        id: graph.name(Target::State(at)),
        kind: graph.kind(Target::State(at)),
        state: Some(JsonState {
            board: graph.grid(state).to_string(),
            sum: state.sum(),
            max_tile: state.max_tile(),
            start: state.start,
        }),
    });
    let ends = graph.ends().map(|end| JsonNode {
        id: graph.name(end),
        kind: graph.kind(end),
        state: None,
    });
    let edges = graph.edges.iter().map(|edge| JsonEdge {
        from: graph.name(Target::State(edge.from)),
        to: graph.name(edge.to),
        moves: edge.letters(),
        spawn: edge.spawn,
    });
    write!(out, "{{\"game\":\"{}\",\"nodes\":[", graph.game)?;
    lines(out, states.chain(ends))?;
    write!(out, "],\"edges\":[")?;
    lines(out, edges)?;
    writeln!(out, "]}}")
}

/// Write the items of an array, each on its own line.
fn lines(out: &mut dyn Write, items: impl Iterator<Item = impl Serialize>) -> io::Result<()> {
    for (at, item) in items.enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        serde_json::to_writer(&mut *out, &item)?;
    }
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;

    #[test]
    fn the_object_has_a_line_for_each_node_and_edge() {
        let mut text = Vec::new();
        write(&small(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], r#"{"game":"2x2-8","nodes":["#);
        assert_eq!(
            lines[1],
            r#"{"id":"0x0011","kind":"live","board":". . / 2 2","sum":4,"max_tile":2,"start":true},"#
        );
        assert!(text.contains("\n{\"id\":\"loss\",\"kind\":\"loss\"}\n],\"edges\":[\n"));
        assert!(text.contains(r#"{"from":"0x0011","to":"0x0012","moves":"RL","spawn":2}"#));
        assert!(text.contains(r#"{"from":"0x0022","to":"win","moves":"RL","spawn":null}"#));
        assert_eq!(lines.last(), Some(&"]}"));
    }
}
