//! Counts on several machines make the files that one machine makes, even if processes are killed.

mod driver;
mod raylets;

use crate::needs::Test;

pub(crate) fn tests() -> Vec<Test> {
    [driver::tests(), raylets::tests()]
        .into_iter()
        .flatten()
        .collect()
}
