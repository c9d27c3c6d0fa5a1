//! The table of a count: a row for each part, and their totals.

mod difference;
mod read;
mod row;
mod table;

pub use difference::{Difference, Differs};
pub use row::{Column, Columns, Row};
pub use table::{Table, Totals};
