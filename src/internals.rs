//! What this repository's own benches and tests measure and forge. Not for users: it changes
//! without notice.

pub use crate::engine::bits::boards::{Boards, ROOM, Row, extract, keep_canonical};
pub use crate::engine::bits::kernels::{
    LINE, Line, Tile, count, count_masked, or, or_masked, transpose,
};
pub use crate::engine::lists::merge::{union, union_all};
pub use crate::engine::lists::sort::Sorter;
pub use crate::game::rules::{Census, Moves, Rules, rules};
pub use crate::part::block::{BLOCK, Block, Encoder};
pub use crate::part::contents::Contents;
pub use crate::part::planes::ValueEncoder;
pub use crate::part::writer::{PartWriter, Sealed};
