//! What a message says of numbers that may not be there.

/// Where what is left begins.
pub(super) fn left(first: Option<u32>) -> String {
    first.map_or_else(
        || "and none are left".to_owned(),
        |first| format!("the first that are left are of sum {first}"),
    )
}

/// `move 12: `.
pub(super) fn at(turn: Option<u64>) -> String {
    turn.map_or(String::new(), |turn| format!("move {turn}: "))
}

/// ` up to sum 12`.
pub(super) fn up_to(until: Option<u32>) -> String {
    until.map_or(String::new(), |sum| format!(" up to sum {sum}"))
}
