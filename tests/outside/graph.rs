//! Graphviz and Python read the formats of `enum48 graph`.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

use crate::command::{good, place};
use crate::json::{json, list, text};

tests! {
    &[Program("dot")] => [
        graphviz_draws_all_nodes_and_edges_without_warnings,
        the_states_of_a_sum_are_on_one_line,
    ],
    PYTHON => [python_reads_all_attributes_of_graphml],
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
    for (key, ends) in [("nodes", &["id"][..]), ("edges", &["from", "to"])] {
        for item in list(&graph, key) {
            let object = item.as_object().unwrap();
            let plain = |value: &Value| value.as_str().map_or(value.to_string(), str::to_owned);
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
