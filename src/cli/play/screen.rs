//! The picture of a game: name and seed, score, board, hints, a message, keys, and the code.
//!
//! In a small window, the board shrinks before any line is left out. No line is wider than the
//! window, except the code. It begins at the left edge and the terminal wraps it, so that users copy
//! one line.
//!
//! The board is blocks of colour, or box-drawing lines without colours. The gaps between rows are
//! half characters (`▄`, `▀`): one half has the colour of the tile, the other half the colour of the
//! frame. So the gaps are about as wide as the gaps between columns.

use std::slice::Chunks;

use crossterm::style::{Color, Stylize};
use indicatif::HumanCount;

use super::session::Session;
use crate::cli::args::objectives::{loss, number};
use crate::cli::out::board::{COLUMN, JudgedMoves, NAME};
use crate::cli::out::units;
use crate::error::Result;
use crate::game::Direction;
use crate::play::{Position, Status};
use crate::solve::Values;

/// The least width of the window: the width of the widest board. No text is wider.
const COLUMNS: u16 = 38;

/// The message after the last key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// The goal of the game, if there is nothing else to say.
    Goal,
    /// The move is not legal.
    Illegal,
    /// There is no move to undo.
    Start,
    /// The code of the game.
    Code(String),
    /// The program makes the best moves, until a key is pressed.
    Watch,
    /// There are no hints: the commands that lead to some.
    Unsolved(String),
}

/// A picture of the game.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Screen {
    /// The lines from the top, none wider than the window.
    pub(super) lines: Vec<String>,
    /// The text below them, which the terminal wraps.
    pub(super) rest: String,
}

/// Draw the game for a window of this many columns and rows. `hints` are lines, perhaps none, and
/// `None` if the game is not solved.
pub(super) fn frame(
    session: &Session,
    note: &Note,
    hints: Option<&[String]>,
    colours: bool,
    (columns, rows): (u16, u16),
) -> Screen {
    let help = hints.map_or(0, |hints| 1 + hints.len() as u16);
    let least_rows = u16::from(session.position().game().size().rows()) + 6 + help;
    let (width, height) = (usize::from(columns), usize::from(rows));
    if columns < COLUMNS || rows < least_rows {
        let text = format!("make the window larger (at least {COLUMNS}x{least_rows})");
        let (lines, rest) = (Vec::new(), text.chars().take(width * height).collect());
        return Screen { lines, rest };
    }
    let (code, elsewhere) = match note {
        Note::Code(code) => (code.as_str(), "printed on quitting"),
        Note::Unsolved(steps) => (steps.as_str(), "in a larger window"),
        _ => ("", ""),
    };
    let layout = |scale, gap| {
        let board = draw(session.position(), scale, colours);
        layout(session, note, hints, board, gap)
    };
    let fits = |lines: &Vec<String>| lines.len() + code.len().div_ceil(width) <= height;
    let lines = [(Scale::Large, true), (Scale::Small, true)]
        .into_iter()
        .map(|(scale, gap)| layout(scale, gap))
        .find(fits)
        .unwrap_or_else(|| layout(Scale::Small, false));
    let rest = fitting(code, elsewhere, width, height - lines.len());
    Screen { lines, rest }
}

/// All lines except the code, with or without gaps between them.
fn layout(
    session: &Session,
    note: &Note,
    hints: Option<&[String]>,
    board: Vec<String>,
    gap: bool,
) -> Vec<String> {
    let position = session.position();
    let (game, seed) = (position.game().to_string().bold(), session.seed);
    let score = HumanCount(position.score());
    let moves = HumanCount(session.code.moves().len() as u64);
    let keys = |keys: &[(&str, &str)]| {
        let keys = keys
            .iter()
            .map(|(key, action)| format!("{} {action}", key.bold()));
        keys.collect::<Vec<_>>().join("   ")
    };
    let mut help = vec![
        keys(&[("arrows WASD hjkl", "move")]),
        keys(&[("u", "undo"), ("c", "code"), ("q", "quit")]),
    ];
    if hints.is_some() {
        help.push(keys(&[
            ("i", "hints"),
            ("b", "best move"),
            ("p", "play on"),
        ]));
    }
    let head = vec![
        format!("{game}   seed {seed}"),
        format!("score {score}   moves {moves}"),
    ];
    let hints = hints.unwrap_or_default().to_vec();
    let mut lines = Vec::new();
    for mut block in [head, board, hints, vec![message(session, note)], help] {
        if !block.is_empty() {
            block.iter_mut().for_each(|line| line.insert_str(0, "  "));
            lines.extend(block);
            lines.extend(gap.then(String::new));
        }
    }
    lines
}

/// A table of the moves of a position: the value of each move, its loss against the best move, and
/// its values for other goals, as far as the window has columns for them.
pub(super) fn hints(values: &mut Values, position: &Position, columns: u16) -> Result<Vec<String>> {
    let judged = JudgedMoves::of(values, position)?;
    let room = usize::from(columns).saturating_sub(NAME + 2) / COLUMN;
    let hidden = (judged.goals.len() + 1).saturating_sub(room);
    let line = |name: &str, cells: Vec<String>| {
        let cells = cells
            .iter()
            .take(room)
            .map(|cell| format!("{cell:>COLUMN$}"));
        format!("{name:<NAME$}{}", cells.collect::<String>())
    };
    let objectives = || judged.goals.iter().map(|goal| goal.objective);
    let mut heading: Vec<String> = objectives()
        .map(|objective| objective.to_string())
        .collect();
    heading.insert(1, "loss".to_owned());
    let mut lines = vec![line("", heading)];
    for direction in Direction::ALL {
        let name = direction.name();
        let Some(of) = judged.get(direction) else {
            lines.push(line(name, vec!["-".to_owned()]));
            continue;
        };
        let numbers = objectives().zip(&of.numbers);
        let mut cells: Vec<String> = numbers
            .map(|(objective, &value)| number(objective, value))
            .collect();
        let lost = judged.loss(0, of);
        cells.insert(1, loss(judged.goals[0].objective, lost));
        let text = line(name, cells);
        lines.push(if lost == 0.0 {
            text.bold().to_string()
        } else {
            text
        });
    }
    if hidden > 0 {
        lines.push(format!(
            "+{} hidden: widen the window",
            units::things(hidden as u64, "column")
        ));
    }
    Ok(lines)
}

fn message(session: &Session, note: &Note) -> String {
    let position = session.position();
    match (position.status(), note) {
        (Status::Won, _) => "won: the game is over (u, c or q)".bold().to_string(),
        (Status::Dead, _) => "lost: the game is over (u, c or q)".bold().to_string(),
        (Status::Live, Note::Illegal) => match position.game().size().locks().masks()[..] {
            [] => "the move changes nothing".to_owned(),
            _ => "the move is not legal".to_owned(),
        },
        (Status::Live, Note::Start) => "no move to undo".to_owned(),
        (Status::Live, Note::Watch) => "playing: any key stops".to_owned(),
        (Status::Live, Note::Unsolved(_)) => "hints need a solved run of the game:".to_owned(),
        (Status::Live, Note::Code(_)) => "the code of the game so far:".to_owned(),
        (Status::Live, Note::Goal) => match position.game().max() {
            Some(tile) => format!("make {tile} to win"),
            None => "play on until no move is left".to_owned(),
        },
    }
}

/// The beginning of the code that fits, and the number of characters that are left out and are
/// `elsewhere`.
fn fitting(code: &str, elsewhere: &str, width: usize, rows: usize) -> String {
    if code.len() <= width * rows {
        return code.to_owned();
    }
    let (shown, more) = code.split_at(width * (rows - 1));
    let more = HumanCount(more.len() as u64);
    format!("{shown}...{more} more, {elsewhere}")
}

/// Width of a tile in characters: 65536 with a space on either side.
const WIDTH: usize = 7;

/// The colour around the tiles.
const FRAME: Color = Color::AnsiValue(240);

/// Colours of the empty cell and of the tiles 2, 4, 8, ..., 65536, from the palette of 256.
const GROUNDS: [u8; 17] = [
    244, 255, 223, 215, 208, 203, 160, 229, 227, 220, 214, 136, 114, 29, 74, 62, 91,
];

/// The colour of a stone.
const STONE_GROUND: u8 = 236;

/// The colours so dark that a light number is easier to read on them.
const DARK_GROUNDS: [u8; 5] = [160, 136, 29, 62, 91];

/// Colours of numbers.
const DARK: u8 = 235;
const LIGHT: u8 = 231;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    /// Tiles with gaps or lines between them.
    Large,
    /// A line for each row.
    Small,
}

/// The lines of the board, all of one width, at most 36 characters.
fn draw(position: &Position, scale: Scale, colours: bool) -> Vec<String> {
    let tiles: Vec<u32> = position.tiles().collect();
    let rows = tiles.chunks(position.game().size().cols().into());
    let dotted = |tile| centred(tile, ".");
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
        let numbers = each(row, |tile| centred(tile, "")).join("│");
        lines.extend([rule(row, '├', "┼", '┤'), format!("│{numbers}│")]);
    }
    for row in rows.take(1) {
        lines[0] = rule(row, '┌', "┬", '┐');
        lines.push(rule(row, '└', "┴", '┘'));
    }
    lines
}

/// The number of a tile in the middle of its cell, the sign of a stone, or the text of an empty cell.
fn centred(tile: u32, empty: &str) -> String {
    match tile {
        0 => format!("{empty:^WIDTH$}"),
        1 => format!("{:^WIDTH$}", "x"),
        _ => format!("{tile:^WIDTH$}"),
    }
}

fn painted(tile: u32) -> String {
    let (ground, digits) = colours(tile);
    centred(tile, "").with(digits).on(ground).bold().to_string()
}

/// The colours of a tile and of its number.
fn colours(tile: u32) -> (Color, Color) {
    let ground = match tile {
        1 => STONE_GROUND,
        tile => GROUNDS[tile.checked_ilog2().unwrap_or(0) as usize],
    };
    let is_dark = ground == STONE_GROUND || DARK_GROUNDS.contains(&ground);
    let digits = if is_dark { LIGHT } else { DARK };
    (Color::AnsiValue(ground), Color::AnsiValue(digits))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::Seed;

    fn session(game: &str) -> Session {
        Session::new(game.parse().unwrap(), Seed(u64::MAX))
    }

    /// Width of a line on the screen, without escape sequences.
    fn width(line: &str) -> usize {
        let mut inside = false;
        let shown = line.chars().filter(|&c| {
            let (begins, ends) = (c == '\x1b', inside && c == 'm');
            let hidden = inside || begins;
            inside = hidden && !ends;
            !hidden
        });
        shown.count()
    }

    #[test]
    fn no_window_is_too_small_and_no_code_too_long() {
        let hints = vec!["x".repeat(36); 5];
        for name in ["2x2", "2x4-65536", "4x2", "3x3-1024", "4x4-65536"] {
            let session = session(name);
            for columns in 0..=90 {
                for rows in 0..=30 {
                    for (length, hints, colours) in [
                        (0, None, true),
                        (60, Some(&hints[..]), false),
                        (1_000, Some(&[][..]), true),
                        (40_000, Some(&hints[..]), false),
                    ] {
                        let note = Note::Code("x".repeat(length));
                        let frame = frame(&session, &note, hints, colours, (columns, rows));
                        let (columns, rows) = (usize::from(columns), usize::from(rows));
                        assert!(frame.lines.iter().all(|line| width(line) <= columns));
                        let rest = frame.rest.chars().count().div_ceil(columns.max(1));
                        assert!(frame.lines.len() + rest <= rows, "{name} {columns}x{rows}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_move_that_masks_forbid_may_change_the_board() {
        let says = |game| message(&session(game), &Note::Illegal);
        assert_eq!(says("free6-16"), "the move changes nothing");
        assert_eq!(says("L3-16"), "the move is not legal");
    }

    #[test]
    fn the_smallest_window_shows_everything() {
        let session = session("4x4-65536");
        let frame = |note, size| frame(&session, note, None, false, size);
        let shown = frame(&Note::Goal, (38, 10));
        assert_eq!(shown.lines.len(), 9);
        for (columns, rows) in [(37, 10), (38, 9), (20, 8)] {
            let shown = frame(&Note::Goal, (columns, rows));
            assert_eq!(shown.lines.len(), 0);
            assert_eq!(shown.rest, "make the window larger (at least 38x10)");
        }
        let code = Note::Code("x".repeat(12_345));
        let cut = "...12,345 more, printed on quitting";
        assert_eq!(frame(&code, (38, 10)).rest, cut);
        let shown = frame(&code, (38, 12)).rest;
        assert_eq!(
            shown,
            format!("{}...12,269 more, printed on quitting", "x".repeat(76))
        );
    }

    #[test]
    fn the_board_shrinks_for_the_code() {
        let session = session("4x4-2048");
        let lines = |length| {
            let note = Note::Code("x".repeat(length));
            let frame = frame(&session, &note, None, true, (80, 24));
            assert_eq!(frame.rest.len(), length);
            frame.lines.len()
        };
        assert_eq!((lines(240), lines(241)), (21, 13));
    }
}
