//! The board as lines of text: blocks of colour, or box-drawing lines without colours.
//!
//! The gaps between rows are half characters (`▄`, `▀`): one half has the colour of the tile, the
//! other that of the frame. This makes them about as wide as the gaps between columns.

use crossterm::style::{Color, Stylize};

use crate::play::Position;

/// Width of a tile in characters: 65536 with a space on either side.
const WIDTH: usize = 7;

/// The colour around the tiles.
const FRAME: Color = Color::AnsiValue(240);

const DARK: u8 = 235;
const LIGHT: u8 = 231;

/// Colours of the empty cell and of the tiles 2, 4, 8, ..., 65536, each with that of its number,
/// from the palette of 256.
const COLOURS: [(u8, u8); 17] = [
    (244, DARK),
    (255, DARK),
    (223, DARK),
    (215, DARK),
    (208, DARK),
    (203, DARK),
    (160, LIGHT),
    (229, DARK),
    (227, DARK),
    (220, DARK),
    (214, DARK),
    (136, LIGHT),
    (114, DARK),
    (29, LIGHT),
    (74, DARK),
    (62, LIGHT),
    (91, LIGHT),
];

/// How large the board is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Tiles with gaps or lines between them.
    Large,
    /// A line for each row.
    Small,
}

/// The lines of the board, all of the same width, at most 36 characters.
pub(super) fn draw(position: &Position, scale: Scale, colours: bool) -> Vec<String> {
    let tiles: Vec<u32> = position.tiles().collect();
    let rows = tiles.chunks(position.game().size().cols().into());
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
fn grid<'a>(rows: impl Iterator<Item = &'a [u32]>) -> Vec<String> {
    let rows: Vec<String> = rows
        .map(|row| format!("│{}│", each(row, number).join("│")))
        .collect();
    let rule = |left: char, cross: &str, right: char| {
        let columns = rows[0].matches('│').count() - 1;
        let dashes = vec!["─".repeat(WIDTH); columns].join(cross);
        format!("{left}{dashes}{right}")
    };
    let between = rule('├', "┼", '┤');
    let inside = rows.join(&format!("\n{between}\n"));
    let (top, bottom) = (rule('┌', "┬", '┐'), rule('└', "┴", '┘'));
    format!("{top}\n{inside}\n{bottom}")
        .lines()
        .map(str::to_owned)
        .collect()
}

fn number(tile: u32) -> String {
    let digits = if tile == 0 {
        String::new()
    } else {
        tile.to_string()
    };
    format!("{digits:^WIDTH$}")
}

fn dotted(tile: u32) -> String {
    if tile == 0 {
        format!("{:^WIDTH$}", '.')
    } else {
        number(tile)
    }
}

fn painted(tile: u32) -> String {
    let (ground, digits) = colours(tile);
    number(tile).with(digits).on(ground).bold().to_string()
}

/// The colours of a tile and of its number.
fn colours(tile: u32) -> (Color, Color) {
    let (ground, digits) = COLOURS[tile.checked_ilog2().unwrap_or(0) as usize];
    (Color::AnsiValue(ground), Color::AnsiValue(digits))
}
