//! The table of a count: a row for each part, and their totals.

mod columns;
mod difference;
mod read;
mod row;
mod table;

pub use columns::{Column, Columns};
pub use difference::{Difference, Differs};
pub use row::Row;
pub use table::{Table, Totals};
