//! The picture of a game: name and seed, score, board, hints, a message, keys, and the code.
//!
//! If the window is small, the board shrinks before anything is left out. No line is wider than the
//! window, except the code: it begins at the left edge and the terminal wraps it, so that it is
//! copied as one line.

use crossterm::style::Stylize;
use indicatif::HumanCount;

use super::hints;
use super::session::Session;
use super::tiles::{self, Scale};
use crate::play::Status;

/// The least width of the window: that of the widest board. No text is wider.
const COLUMNS: u16 = 38;

/// What there is to say after the last key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Note {
    /// Nothing, so the goal of the game.
    Goal,
    /// The move changes nothing.
    Unchanged,
    /// There is no move to undo.
    Start,
    /// The code of the game.
    Code(String),
    /// The program makes the best moves, until a key is pressed.
    Watch,
}

/// What a solution adds to the picture.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Help {
    /// Nothing: there is none.
    None,
    /// The keys that ask it.
    Keys,
    /// The keys, and lines of hints.
    Hints(Vec<String>),
}

impl Help {
    /// Number of its lines.
    fn rows(&self) -> u16 {
        match self {
            Self::None => 0,
            Self::Keys => 1,
            Self::Hints(_) => 1 + hints::ROWS,
        }
    }
}

/// A picture of the game.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Screen {
    /// The lines from the top, none wider than the window.
    pub(super) lines: Vec<String>,
    /// The text below them, which the terminal wraps.
    pub(super) rest: String,
}

/// Draw the game for a window of this many columns and rows.
pub(super) fn frame(
    session: &Session,
    note: &Note,
    help: &Help,
    colours: bool,
    (columns, rows): (u16, u16),
) -> Screen {
    let least_rows = u16::from(session.position().game().size().rows()) + 6 + help.rows();
    let (width, height) = (usize::from(columns), usize::from(rows));
    if columns < COLUMNS || rows < least_rows {
        let text = format!("make the window larger (at least {COLUMNS}x{least_rows})");
        let (lines, rest) = (Vec::new(), text.chars().take(width * height).collect());
        return Screen { lines, rest };
    }
    let code = match note {
        Note::Code(code) => code,
        _ => "",
    };
    let layout = |scale, gap| {
        let board = tiles::draw(session.position(), scale, colours);
        layout(session, note, help, board, gap)
    };
    let fits = |lines: &Vec<String>| lines.len() + code.len().div_ceil(width) <= height;
    let lines = [(Scale::Large, true), (Scale::Small, true)]
        .into_iter()
        .map(|(scale, gap)| layout(scale, gap))
        .find(fits)
        .unwrap_or_else(|| layout(Scale::Small, false));
    let rest = fitting(code, width, height - lines.len());
    Screen { lines, rest }
}

/// All lines except the code, with or without gaps between them.
fn layout(
    session: &Session,
    note: &Note,
    help: &Help,
    board: Vec<String>,
    gap: bool,
) -> Vec<String> {
    let position = session.position();
    let (game, seed) = (position.game().to_string(), session.seed());
    let (score, moves) = (position.score(), session.moves() as u64);
    let (score, moves) = (HumanCount(score), HumanCount(moves));
    let gap = || gap.then(String::new);
    let mut lines = vec![
        format!("{}   seed {seed}", game.bold()),
        format!("score {score}   moves {moves}"),
    ];
    lines.extend(gap());
    lines.extend(board);
    if let Help::Hints(hints) = help {
        lines.extend(gap());
        lines.extend_from_slice(hints);
    }
    lines.extend(gap());
    lines.push(message(session, note));
    lines.extend(gap());
    lines.push(format!("{} move", "arrows WASD hjkl".bold()));
    lines.push(format!(
        "{} undo   {} code   {} quit",
        "u".bold(),
        "c".bold(),
        "q".bold()
    ));
    if *help != Help::None {
        lines.push(format!(
            "{} hints   {} best move   {} play on",
            "i".bold(),
            "b".bold(),
            "p".bold()
        ));
    }
    lines.extend(gap());
    let inset = |line: String| {
        if line.is_empty() {
            line
        } else {
            format!("  {line}")
        }
    };
    lines.into_iter().map(inset).collect()
}

fn message(session: &Session, note: &Note) -> String {
    let position = session.position();
    match (position.status(), note) {
        (Status::Won, _) => "won: the game is over (u, c or q)".bold().to_string(),
        (Status::Dead, _) => "lost: the game is over (u, c or q)".bold().to_string(),
        (Status::Live, Note::Unchanged) => "that changes nothing".to_owned(),
        (Status::Live, Note::Start) => "no move to undo".to_owned(),
        (Status::Live, Note::Watch) => "playing: any key stops".to_owned(),
        (Status::Live, Note::Code(_)) => "the code of the game so far:".to_owned(),
        (Status::Live, Note::Goal) => match position.game().max() {
            Some(tile) => format!("make {tile} to win"),
            None => "play on until no move is left".to_owned(),
        },
    }
}

/// As much of the code as there is room for, and how much is left out.
fn fitting(code: &str, width: usize, rows: usize) -> String {
    if code.len() <= width * rows {
        return code.to_owned();
    }
    let (shown, more) = code.split_at(width * (rows - 1));
    let more = HumanCount(more.len() as u64);
    format!("{shown}...{more} more, printed on quitting")
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
        let hints = Help::Hints(vec!["x".repeat(36); hints::ROWS.into()]);
        for name in ["2x2", "2x4-65536", "4x2", "3x3-1024", "4x4-65536"] {
            let session = session(name);
            for columns in 0..=90 {
                for rows in 0..=30 {
                    for (length, help, colours) in [
                        (0, &Help::None, true),
                        (60, &hints, false),
                        (1_000, &Help::Keys, true),
                        (40_000, &hints, false),
                    ] {
                        let note = Note::Code("x".repeat(length));
                        let frame = frame(&session, &note, help, colours, (columns, rows));
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
    fn the_smallest_window_shows_everything() {
        let session = session("4x4-65536");
        let frame = |note, size| frame(&session, note, &Help::None, false, size);
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
            let frame = frame(&session, &note, &Help::None, true, (80, 24));
            assert_eq!(frame.rest.len(), length);
            frame.lines.len()
        };
        assert_eq!((lines(240), lines(241)), (21, 13));
    }
}
