//! A graph for other programs: as one JSON object, or as `GraphML` for networkx, Gephi, yEd and others.
//!
//! The JSON object is what networkx calls node-link data, and has a line for each node and each edge:
//!
//! ```text
//! {"game":"2x2-32","directed":true,"multigraph":false,"graph":{"game":"2x2-32"},"nodes":[
//! {"id":"0x0011","kind":"live","board":". . / 2 2","sum":4,"max_tile":2,"start":true},
//! ...
//! {"id":"win","kind":"win"},
//! {"id":"loss","kind":"loss"}
//! ],"edges":[
//! {"source":"0x0011","target":"0x0012","moves":"RL","spawn":2},
//! ...
//! {"source":"0x1441","target":"loss","moves":null,"spawn":null},
//! ...
//! ]}
//! ```
//!
//! `moves` lists the directions U, R, D, L that lead to the target from the board as shown; `spawn`
//! is the tile that follows.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};
use serde_json::{Value, json};

use super::model::{Graph, Target};

/// The nodes: the states, the win and the loss. Users rely on the keys and their order: add new keys at
/// the end.
fn nodes(graph: &Graph) -> impl Iterator<Item = Value> {
    let states = (0..graph.states.len()).map(Target::State);
    states.chain(graph.ends()).map(|node| {
        let (id, kind) = (graph.name(node), graph.kind(node));
        let Some(state) = graph.state(node) else {
            return json!({ "id": id, "kind": kind });
        };
        json!({
            "id": id,
            "kind": kind,
            "board": graph.grid(state).to_string(),
            "sum": state.sum(),
            "max_tile": state.max_tile(),
            "start": state.start,
        })
    })
}

/// The edges; `spawn` is null if the game ends, and `moves` if no move is left.
fn edges(graph: &Graph) -> impl Iterator<Item = Value> {
    graph.edges.iter().map(|edge| {
        json!({
            "source": graph.name(Target::State(edge.from)),
            "target": graph.name(edge.to),
            "moves": Some(edge.letters()).filter(|letters| !letters.is_empty()),
            "spawn": edge.spawn,
        })
    })
}

/// Write JSON with a line per node and edge, so that people can read it too. serde's own layouts
/// use a single line, or a line per field.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write_json(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let game = graph.game;
    write!(
        out,
        "{{\"game\":\"{game}\",\"directed\":true,\"multigraph\":false,\
         \"graph\":{{\"game\":\"{game}\"}},\"nodes\":["
    )?;
    write_lines(out, nodes(graph))?;
    write!(out, "],\"edges\":[")?;
    write_lines(out, edges(graph))?;
    writeln!(out, "]}}")
}

/// Write the items of an array, each on its own line.
fn write_lines(out: &mut dyn Write, items: impl Iterator<Item = Value>) -> io::Result<()> {
    for (at, item) in items.enumerate() {
        out.write_all(if at == 0 { b"\n" } else { b",\n" })?;
        write!(out, "{item}")?;
    }
    out.write_all(b"\n")
}

/// The attributes in `GraphML`: element (node or edge), name, type. The name is also the key.
const KEYS: [(&str, &str, &str); 7] = [
    ("node", "kind", "string"),
    ("node", "board", "string"),
    ("node", "sum", "int"),
    ("node", "max_tile", "int"),
    // Boost reads no spelling of a boolean that other readers write.
    ("node", "start", "int"),
    ("edge", "moves", "string"),
    ("edge", "spawn", "int"),
];

/// Write `GraphML`, for networkx, Gephi, yEd and others. The win and the loss have only the attribute
/// `kind`.
///
/// # Errors
///
/// If `out` cannot be written.
pub fn write_graphml(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(&mut *out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    xml.create_element("graphml")
        .with_attribute(("xmlns", "http://graphml.graphdrawing.org/xmlns"))
        .write_inner_content(|xml| {
            for (of, name, kind) in KEYS {
                xml.create_element("key")
                    .with_attributes([
                        ("id", name),
                        ("for", of),
                        ("attr.name", name),
                        ("attr.type", kind),
                    ])
                    .write_empty()?;
            }
            let game = graph.game.to_string();
            xml.create_element("graph")
                .with_attributes([("id", game.as_str()), ("edgedefault", "directed")])
                .write_inner_content(|xml| {
                    for node in nodes(graph) {
                        write_element(xml, "node", &["id"], &node)?;
                    }
                    for edge in edges(graph) {
                        write_element(xml, "edge", &["source", "target"], &edge)?;
                    }
                    Ok(())
                })?;
            Ok(())
        })?;
    xml.get_mut().write_all(b"\n")
}

/// Write a record as an element. The keys `own` are its XML attributes; each attribute of [`KEYS`] is an
/// element of its own.
fn write_element<W: Write>(
    xml: &mut Writer<W>,
    name: &str,
    own: &[&str],
    record: &Value,
) -> io::Result<()> {
    let text = |key: &str| match &record[key] {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(u8::from(*value).to_string()),
        other => Some(other.to_string()),
    };
    let mut element = xml.create_element(name);
    for key in own {
        element = element.with_attribute((*key, &*text(key).unwrap_or_default()));
    }
    element.write_inner_content(|xml| {
        for (_, key, _) in KEYS.iter().filter(|(of, ..)| *of == name) {
            if let Some(value) = text(key) {
                xml.create_element("data")
                    .with_attribute(("key", *key))
                    .write_text_content(BytesText::new(&value))?;
            }
        }
        Ok(())
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::small;
    use super::*;

    #[test]
    fn the_object_has_a_line_for_each_node_and_edge() {
        let mut text = Vec::new();
        write_json(&small(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            r#"{"game":"2x2-8","directed":true,"multigraph":false,"graph":{"game":"2x2-8"},"nodes":["#
        );
        assert_eq!(
            lines[1],
            r#"{"id":"0x0011","kind":"live","board":". . / 2 2","sum":4,"max_tile":2,"start":true},"#
        );
        assert!(text.contains("\n{\"id\":\"loss\",\"kind\":\"loss\"}\n],\"edges\":[\n"));
        assert!(text.contains(r#"{"source":"0x0011","target":"0x0012","moves":"RL","spawn":2}"#));
        assert!(text.contains(r#"{"source":"0x0022","target":"win","moves":"RL","spawn":null}"#));
        assert!(text.contains(r#"{"source":"0x1221","target":"loss","moves":null,"spawn":null}"#));
        assert_eq!(lines.last(), Some(&"]}"));
    }

    #[test]
    fn nodes_and_edges_have_the_declared_attributes() {
        let mut text = Vec::new();
        write_graphml(&small(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let flat: String = text.lines().map(str::trim).collect();
        for part in [
            r#"<key id="sum" for="node" attr.name="sum" attr.type="int"/>"#,
            r#"<node id="0x0011"><data key="kind">live</data><data key="board">. . / 2 2</data>"#,
            r#"<data key="sum">4</data><data key="max_tile">2</data><data key="start">1</data>"#,
            r#"<node id="win"><data key="kind">win</data></node>"#,
            r#"<edge source="0x1221" target="loss"></edge>"#,
            r#"<edge source="0x0011" target="0x0012"><data key="moves">RL</data><data key="spawn">2</data></edge>"#,
        ] {
            assert!(flat.contains(part), "{part}: {text}");
        }
        assert!(text.ends_with("</graphml>\n"));
    }
}
