//! Other programs read the output of this program: Python and its packages, Graphviz, a browser.
//!
//! If a program is missing, its tests print a message and pass, unless the environment variable
//! `CI` is set.

mod browser;
#[cfg(feature = "parquet")]
mod dataset;
mod graph;
mod part_files;
mod player;
mod plots;
mod release;
mod replay;
mod results;
mod scripts;
mod solved;
#[cfg(feature = "parquet")]
mod states;
mod values;
