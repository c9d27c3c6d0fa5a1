//! Graphviz and Python read the formats of `enum48 graph`.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use crate::command::{good, place, stderr};
use crate::json::{json, list, text};

tests! {
    &[Program("dot")] => [
        graphviz_draws_all_nodes_and_edges_without_warnings,
        the_states_of_a_sum_are_on_one_line,
    ],
    PYTHON => [python_reads_all_attributes_of_graphml],
    &[Package("networkx")] => [networkx_reads_both_formats],
    &[Package("igraph")] => [igraph_reads_graphml],
    &[Program("g++"), Right("test -e /usr/include/boost/graph/graphml.hpp")] => [boost_reads_graphml],
}

/// Runs a program with `text` on stdin.
fn given(text: &str, program: &str, args: &[&str]) -> Output {
    let path = place();
    let file = path.path().join("graph");
    #[expect(clippy::disallowed_methods, reason = "input of another program")]
    fs::write(&file, text).unwrap();
    let output = Command::new(program)
        .args(args)
        .stdin(fs::File::open(&file).unwrap())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    output
}

fn graphviz_draws_all_nodes_and_edges_without_warnings() {
    // The graph has 75 states, two ends, 19 sums and 26 parts with states. The 18 edges between
    // sums are invisible.
    for (args, boxes) in [("", 0), ("--group", 26)] {
        let dot = good(&place(), &format!("graph --size 2 --max 32 {args}"));
        let output = given(&dot, "dot", &["-Tsvg"]);
        let svg = String::from_utf8(output.stdout).unwrap();
        let count = |class: &str| svg.matches(&format!("class=\"{class}\"")).count();
        assert_eq!(count("node"), 75 + 2 + 19);
        assert_eq!(
            count("edge"),
            list(&json("--size 2 --max 32"), "edges").len()
        );
        assert_eq!(count("cluster"), boxes);
        assert!(svg.contains(">16</text>") && svg.contains("sum 40, max 16, dead"));
    }
}

fn the_states_of_a_sum_are_on_one_line() {
    for args in ["", "--group"] {
        let dot = good(&place(), &format!("graph --size 2 --max 32 {args}"));
        let output = given(&dot, "dot", &["-Tplain"]);
        // Lines are `node NAME X Y ...`. Quotes enclose a name with a space.
        let plain = String::from_utf8(output.stdout).unwrap();
        let height = |name: &str| {
            let quoted = format!("node \"{name}\" ");
            let line = plain.lines().find_map(|line| line.strip_prefix(&quoted));
            line.unwrap().split(' ').nth(1).unwrap().to_owned()
        };
        for node in &list(&json("--size 2 --max 32"), "nodes")[..75] {
            let sum = format!("sum {}", node["sum"]);
            assert_eq!(height(&text(&node["id"])), height(&sum), "{node}");
        }
    }
}

fn python_reads_all_attributes_of_graphml() {
    const SCRIPT: &str = r#"
import sys, xml.etree.ElementTree as tree
ns = "{http://graphml.graphdrawing.org/xmlns}"
root = tree.parse(sys.stdin).getroot()
keys = {(k.get("for"), k.get("id")) for k in root.findall(ns + "key")}
graph = root.find(ns + "graph")
assert graph.get("edgedefault") == "directed"
for kind in "node", "edge":
    for item in graph.findall(ns + kind):
        data = {d.get("key"): d.text or "" for d in item.findall(ns + "data")}
        assert all((kind, key) in keys for key in data), data
        ends = [item.get(a) for a in ("id", "source", "target") if item.get(a)]
        print(*ends, *(f"{key}={data[key]}" for key in sorted(data)), sep="|")
"#;
    let xml = good(&place(), "graph --size 2 --max 32 --format graphml");
    let output = given(&xml, "python3", &["-c", SCRIPT]);
    let lines = String::from_utf8(output.stdout).unwrap();
    let graph = json("--size 2 --max 32");
    let mut expected = String::new();
    for (key, ends) in [("nodes", &["id"][..]), ("edges", &["source", "target"])] {
        for item in list(&graph, key) {
            let object = item.as_object().unwrap();
            let plain = |value: &Value| match value {
                Value::Bool(value) => u8::from(*value).to_string(),
                _ => value.as_str().map_or(value.to_string(), str::to_owned),
            };
            let mut fields: Vec<String> = ends.iter().map(|&end| text(&item[end])).collect();
            let data: BTreeMap<_, _> = object.iter().collect();
            let data = data
                .iter()
                .filter(|(key, value)| !ends.contains(&key.as_str()) && !value.is_null());
            fields.extend(data.map(|(key, value)| format!("{key}={}", plain(value))));
            expected += &(fields.join("|") + "\n");
        }
    }
    assert_eq!(lines, expected);
}

/// A place with `2x2.graphml` and `2x2.json`, of 2x2 to 32.
fn written() -> TempDir {
    let place = place();
    for format in ["graphml", "json"] {
        good(&place, &format!("graph --size 2 --max 32 -o 2x2.{format}"));
    }
    place
}

/// Runs a program in `place`, and expects success.
fn agrees(place: &TempDir, program: &str, args: &[&str]) {
    let output = Command::new(program)
        .args(args)
        .current_dir(place)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
}

// The graph has 57 live states, 18 dead ones, the win and the loss. It has 227 edges, and 18 of them lead
// to the loss.

fn networkx_reads_both_formats() {
    const SCRIPT: &str = r#"
import json, networkx
graphs = [networkx.read_graphml("2x2.graphml"), networkx.node_link_graph(json.load(open("2x2.json")), edges="edges")]
for graph in graphs:
    assert type(graph) is networkx.DiGraph and (len(graph), graph.size()) == (77, 227), graph
    kinds = [kind for _, kind in graph.nodes(data="kind")]
    assert [kinds.count(kind) for kind in ("live", "dead", "win", "loss")] == [57, 18, 1, 1]
    assert sum(bool(start) for _, start in graph.nodes(data="start")) == 6
    lost = [moves for _, end, moves in graph.edges(data="moves") if end == "loss"]
    assert lost == 18 * [None], lost
    assert graph.edges["0x0011", "0x0012"] == {"moves": "RL", "spawn": 2}
    assert networkx.is_directed_acyclic_graph(graph)
one, two = graphs
assert one.edges == two.edges and two.graph["game"] == "2x2-32"
"#;
    agrees(&written(), "python3", &["-c", SCRIPT]);
}

fn igraph_reads_graphml() {
    const SCRIPT: &str = r#"
import igraph
graph = igraph.Graph.Read_GraphML("2x2.graphml")
assert graph.is_directed() and (graph.vcount(), graph.ecount()) == (77, 227), graph.summary()
assert graph.vs["kind"].count("live") == 57 and graph.vs["start"].count(1) == 6
assert graph.es["moves"].count("") == 18, graph.es["moves"]
"#;
    agrees(&written(), "python3", &["-c", SCRIPT]);
}

fn boost_reads_graphml() {
    const PROGRAM: &str = r#"
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/graphml.hpp>
#include <fstream>
#include <string>
struct Node { std::string kind, board; int sum = 0, max_tile = 0, start = 0; };
struct Edge { std::string moves; int spawn = 0; };
using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, Node, Edge>;
int main() {
    Graph graph;
    boost::dynamic_properties names;
    names.property("kind", get(&Node::kind, graph));
    names.property("board", get(&Node::board, graph));
    names.property("sum", get(&Node::sum, graph));
    names.property("max_tile", get(&Node::max_tile, graph));
    names.property("start", get(&Node::start, graph));
    names.property("moves", get(&Edge::moves, graph));
    names.property("spawn", get(&Edge::spawn, graph));
    std::ifstream file("2x2.graphml");
    boost::read_graphml(file, graph, names);
    int live = 0, starts = 0;
    for (auto node : boost::make_iterator_range(vertices(graph))) {
        live += graph[node].kind == "live";
        starts += graph[node].start;
    }
    bool agrees = num_vertices(graph) == 77 && num_edges(graph) == 227 && live == 57 && starts == 6;
    return agrees ? 0 : 1;
}
"#;
    let place = written();
    #[expect(clippy::disallowed_methods, reason = "input of another program")]
    fs::write(place.path().join("reads.cpp"), PROGRAM).unwrap();
    agrees(
        &place,
        "g++",
        &["reads.cpp", "-lboost_graph", "-o", "reads"],
    );
    agrees(&place, "./reads", &[]);
}
