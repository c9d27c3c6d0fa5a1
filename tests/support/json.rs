//! Reads the JSON that `enum48 graph` prints.

use serde_json::Value;

use super::command::{good, place};

pub(crate) fn json(args: &str) -> Value {
    let text = good(&place(), &format!("graph --format json {args}"));
    serde_json::from_str(&text).unwrap()
}

pub(crate) fn list<'a>(graph: &'a Value, key: &str) -> &'a [Value] {
    graph[key].as_array().unwrap()
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
