//! Counts on several machines make the files that one machine makes, even if processes are killed.

mod driver;
mod machines;
mod raylets;

use crate::needs::Test;

pub(crate) fn tests() -> Vec<Test> {
    [driver::tests(), machines::tests(), raylets::tests()]
        .into_iter()
        .flatten()
        .collect()
}
