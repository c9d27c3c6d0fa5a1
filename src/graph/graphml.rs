//! A graph as `GraphML`, for networkx, Gephi, yEd and others.

use std::io::{self, Write};

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, BytesText, Event};

use super::{Graph, Target};

/// The attributes: element (node or edge), name, type. The name is also the key.
const KEYS: [(&str, &str, &str); 7] = [
    ("node", "kind", "string"),
    ("node", "board", "string"),
    ("node", "sum", "int"),
    ("node", "max_tile", "int"),
    ("node", "start", "boolean"),
    ("edge", "moves", "string"),
    ("edge", "spawn", "int"),
];

/// Write `graph`. The win and the loss have only the attribute `kind`.
pub(super) fn write(graph: &Graph, out: &mut dyn Write) -> io::Result<()> {
    let mut xml = Writer::new_with_indent(&mut *out, b' ', 1);
    xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = BytesStart::new("graphml");
    let root = root.with_attributes([("xmlns", "http://graphml.graphdrawing.org/xmlns")]);
    xml.write_event(Event::Start(root))?;
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
    let (id, directed) = (graph.game.to_string(), ("edgedefault", "directed"));
    let inner = BytesStart::new("graph").with_attributes([("id", id.as_str()), directed]);
    xml.write_event(Event::Start(inner))?;
    for (at, state) in graph.states.iter().enumerate() {
        let data = [
            ("board", graph.grid(state).to_string()),
            ("sum", state.sum().to_string()),
            ("max_tile", state.max_tile().to_string()),
            ("start", state.start.to_string()),
        ];
        write_node(graph, Target::State(at), &data, &mut xml)?;
    }
    for end in graph.ends() {
        write_node(graph, end, &[], &mut xml)?;
    }
    for edge in &graph.edges {
        let (from, to) = (graph.name(Target::State(edge.from)), graph.name(edge.to));
        let element = BytesStart::new("edge");
        let element = element.with_attributes([("source", from.as_str()), ("target", &to)]);
        let moves = ("moves", edge.letters());
        let spawn = edge.spawn.map(|tile| ("spawn", tile.to_string()));
        let data: Vec<_> = [moves].into_iter().chain(spawn).collect();
        write_element(element, &data, &mut xml)?;
    }
    xml.write_event(Event::End(BytesEnd::new("graph")))?;
    xml.write_event(Event::End(BytesEnd::new("graphml")))?;
    xml.get_mut().write_all(b"\n")
}

fn write_node(
    graph: &Graph,
    node: Target,
    data: &[(&str, String)],
    xml: &mut Writer<&mut dyn Write>,
) -> io::Result<()> {
    let kind = [("kind", graph.kind(node).to_owned())];
    let element = BytesStart::new("node").with_attributes([("id", graph.name(node).as_str())]);
    write_element(element, &[&kind, data].concat(), xml)
}

/// Write an element with its attributes.
fn write_element(
    element: BytesStart,
    data: &[(&str, String)],
    xml: &mut Writer<&mut dyn Write>,
) -> io::Result<()> {
    let end = element.to_end().into_owned();
    xml.write_event(Event::Start(element))?;
    for (key, value) in data {
        xml.create_element("data")
            .with_attribute(("key", *key))
            .write_text_content(BytesText::new(value))?;
    }
    xml.write_event(Event::End(end))
}

#[cfg(test)]
mod tests {
    use super::super::tests::small;
    use super::*;

    #[test]
    fn nodes_and_edges_have_the_declared_attributes() {
        let mut text = Vec::new();
        write(&small(), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let flat: String = text.lines().map(str::trim).collect();
        for part in [
            r#"<key id="sum" for="node" attr.name="sum" attr.type="int"/>"#,
            r#"<node id="0x0011"><data key="kind">live</data><data key="board">. . / 2 2</data>"#,
            r#"<data key="sum">4</data><data key="max_tile">2</data><data key="start">true</data>"#,
            r#"<node id="win"><data key="kind">win</data></node>"#,
            r#"<edge source="0x0011" target="0x0012"><data key="moves">RL</data><data key="spawn">2</data></edge>"#,
        ] {
            assert!(flat.contains(part), "{part}: {text}");
        }
        assert!(text.ends_with("</graphml>\n"));
    }
}
