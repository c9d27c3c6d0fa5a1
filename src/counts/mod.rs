//! The table of a count: a row for each part, and what the rows add up to.

mod difference;
mod row;
mod table;

pub use difference::{Difference, Differs};
pub use row::Row;
pub use table::{Table, Totals};
