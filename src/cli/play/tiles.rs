//! The board as lines of text: blocks of colour, or box-drawing lines without colours.
//!
//! The gaps between rows are half characters (`▄`, `▀`): one half has the colour of the tile, the
//! other half the colour of the frame. So the gaps are about as wide as the gaps between columns.

use std::slice::Chunks;

use crossterm::style::{Color, Stylize};

use crate::play::Position;

/// Width of a tile in characters: 65536 with a space on either side.
const WIDTH: usize = 7;

/// The colour around the tiles.
const FRAME: Color = Color::AnsiValue(240);

/// Colours of the empty cell and of the tiles 2, 4, 8, ..., 65536, from the palette of 256.
const GROUNDS: [u8; 17] = [
    244, 255, 223, 215, 208, 203, 160, 229, 227, 220, 214, 136, 114, 29, 74, 62, 91,
];

/// The colours so dark that a light number is easier to read on them.
const DARK_GROUNDS: [u8; 5] = [160, 136, 29, 62, 91];

/// Colours of numbers.
const DARK: u8 = 235;
const LIGHT: u8 = 231;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Tiles with gaps or lines between them.
    Large,
    /// A line for each row.
    Small,
}

/// The lines of the board, all of one width, at most 36 characters.
pub(super) fn draw(position: &Position, scale: Scale, colours: bool) -> Vec<String> {
    let tiles: Vec<u32> = position.tiles().collect();
    let rows = tiles.chunks(position.game().size().cols().into());
    let dotted = |tile| number(tile, ".");
    match (scale, colours) {
        (Scale::Large, true) => rows.flat_map(blocks).collect(),
        (Scale::Large, false) => grid(rows),
        (Scale::Small, true) => rows.map(|row| each(row, painted).join("  ")).collect(),
        (Scale::Small, false) => rows.map(|row| each(row, dotted).join("  ")).collect(),
    }
}

fn each(row: &[u32], cell: impl Fn(u32) -> String) -> Vec<String> {
    row.iter().copied().map(cell).collect()
}

/// A row of tiles in a frame.
fn blocks(row: &[u32]) -> [String; 3] {
    let side = " ".on(FRAME);
    let edge = |half: &str| {
        let cell = |tile| format!(" {} ", half.repeat(WIDTH).with(colours(tile).0));
        each(row, cell).concat().on(FRAME).to_string()
    };
    let middle = each(row, |tile| format!("{side}{}{side}", painted(tile)));
    [edge("▄"), middle.concat(), edge("▀")]
}

/// Rows of numbers between lines.
fn grid(rows: Chunks<u32>) -> Vec<String> {
    let mut lines = Vec::new();
    let rule = |row: &[u32], left, cross, right| {
        let dashes = each(row, |_| "─".repeat(WIDTH)).join(cross);
        format!("{left}{dashes}{right}")
    };
    for row in rows.clone() {
        let numbers = each(row, |tile| number(tile, "")).join("│");
        lines.extend([rule(row, '├', "┼", '┤'), format!("│{numbers}│")]);
    }
    for row in rows.take(1) {
        lines[0] = rule(row, '┌', "┬", '┐');
        lines.push(rule(row, '└', "┴", '┘'));
    }
    lines
}

/// The number of a tile in the middle of its cell, or the text of an empty cell.
fn number(tile: u32, empty: &str) -> String {
    match tile {
        0 => format!("{empty:^WIDTH$}"),
        _ => format!("{tile:^WIDTH$}"),
    }
}

fn painted(tile: u32) -> String {
    let (ground, digits) = colours(tile);
    number(tile, "").with(digits).on(ground).bold().to_string()
}

/// The colours of a tile and of its number.
fn colours(tile: u32) -> (Color, Color) {
    let ground = GROUNDS[tile.checked_ilog2().unwrap_or(0) as usize];
    let is_dark = DARK_GROUNDS.contains(&ground);
    let digits = if is_dark { LIGHT } else { DARK };
    (Color::AnsiValue(ground), Color::AnsiValue(digits))
}
