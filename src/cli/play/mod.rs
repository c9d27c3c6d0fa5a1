//! `enum48 play`: the game itself, in a terminal.
//!
//! The board and all messages go to stderr, so that the code of the game is the only line on stdout
//! and `code=$(enum48 play ...)` works.
//!
//! Reading order: `session` (a game with undo), `screen` (the picture of it), `tiles` (the board in
//! the picture), `terminal` (entered, drawn on, and restored), `signals` (what ends a game besides
//! keys).

mod screen;
mod session;
mod signals;
mod terminal;
mod tiles;

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyModifiers};

use self::screen::Note;
use self::session::Session;
use self::signals::Signals;
use self::terminal::Terminal;
use super::Outcome;
use super::game::GameArgs;
use super::signals::end_by;
use crate::game::Direction;
use crate::play::Seed;

/// So often it is looked whether a signal came, or the terminal has gone.
const TICK: Duration = Duration::from_millis(100);

/// Play a game in the terminal, and print its code, which anyone can replay
///
///   arrows, WASD, hjkl    move
///   u                     undo the last move, any number of times
///   c                     show the code of the game so far
///   q, Esc, Ctrl-C        quit, and print the code
///   Ctrl-Z                suspend, until fg
///
/// The same seed and moves give the same tiles, even after an undo. The code is
/// the only line on stdout; the board is drawn on stderr. 4x4 needs --max.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = "\
Examples:
  enum48 play --size 4 --max 2048
  enum48 play --size 3x4 --seed tiles
  code=$(enum48 play --size 3 --max 256)"
)]
pub(super) struct Args {
    #[command(flatten)]
    game: GameArgs,

    /// Seed of the tiles, a number in base 36: digits 0 to 9 and a to z [default: random]
    #[arg(long, value_name = "SEED")]
    seed: Option<Seed>,
}

/// Play.
pub(super) fn run(args: &Args) -> Result<Outcome> {
    let game = args.game.game()?;
    if game.size().cells() == 16 && game.max().is_none() {
        bail!(
            "size 4x4 without a winning tile: a code's tiles go up to 65536 and the game goes beyond: \
             give --max, 65536 at most"
        );
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        bail!(
            "play: stdin or stderr is not a terminal: keys are read from stdin and the board is drawn on \
             stderr: redirect only stdout"
        );
    }
    let seed = args.seed.unwrap_or_else(|| Seed(fastrand::u64(..)));
    let mut session = Session::new(game, seed);
    let signals = Signals::listen().context("play: cannot listen for signals")?;
    let ended = play(&mut session, &signals);
    let printed = writeln!(io::stdout(), "{}", session.code());
    if let Some(signal) = signals.ending() {
        end_by(signal)?;
    }
    printed?;
    ended.map(|()| Outcome::Done)
}

/// Play until the player quits or a signal comes, then restore the terminal.
fn play(session: &mut Session, signals: &Signals) -> Result<()> {
    let terminal = Terminal::open().context("terminal: cannot enter raw mode")?;
    let colours = terminal::has_colours();
    let mut note = Note::Goal;
    loop {
        if signals.continued() {
            let entered = terminal.enter_again();
            entered.context("terminal: cannot enter raw mode")?;
        }
        let size = crossterm::terminal::size().context("terminal: cannot get its size")?;
        let frame = screen::frame(session, &note, colours, size);
        terminal.show(&frame).context("terminal: cannot draw")?;
        let event = next_event(signals).context("terminal: cannot read keys")?;
        if signals.ending().is_some() {
            return Ok(());
        }
        note = match event.and_then(|event| key(event.as_key_press_event()?)) {
            None => continue,
            Some(Key::Quit) => return Ok(()),
            Some(Key::Suspend) => {
                terminal.leave();
                signals.suspend().context("play: cannot suspend")?;
                continue;
            }
            Some(Key::Code) => Note::Code(session.code().to_string()),
            Some(Key::Undo) if session.undo() => Note::Goal,
            Some(Key::Undo) => Note::Start,
            Some(Key::Move(direction)) if session.slide(direction) => Note::Goal,
            Some(Key::Move(_)) => Note::Unchanged,
        };
    }
}

/// The next event of the terminal; none if a signal came first.
fn next_event(signals: &Signals) -> io::Result<Option<Event>> {
    loop {
        if event::poll(TICK)? {
            return event::read().map(Some);
        }
        if signals.came() {
            return Ok(None);
        }
        // Of a terminal that has gone nothing is read, not even its end.
        if !io::stdin().is_terminal() {
            return Err(io::Error::other("it has gone"));
        }
    }
}

/// What a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Move(Direction),
    Undo,
    Code,
    Suspend,
    Quit,
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.modifiers.difference(KeyModifiers::SHIFT).is_empty() {
        match event.code {
            KeyCode::Up => Some(Key::Move(Direction::Up)),
            KeyCode::Right => Some(Key::Move(Direction::Right)),
            KeyCode::Down => Some(Key::Move(Direction::Down)),
            KeyCode::Left => Some(Key::Move(Direction::Left)),
            KeyCode::Esc => Some(Key::Quit),
            KeyCode::Char(letter) => match letter.to_ascii_lowercase() {
                'w' | 'k' => Some(Key::Move(Direction::Up)),
                'd' | 'l' => Some(Key::Move(Direction::Right)),
                's' | 'j' => Some(Key::Move(Direction::Down)),
                'a' | 'h' => Some(Key::Move(Direction::Left)),
                'u' => Some(Key::Undo),
                'c' => Some(Key::Code),
                'q' => Some(Key::Quit),
                _ => None,
            },
            _ => None,
        }
    } else {
        match (event.modifiers, event.code) {
            (KeyModifiers::CONTROL, KeyCode::Char('c')) => Some(Key::Quit),
            (KeyModifiers::CONTROL, KeyCode::Char('z')) => Some(Key::Suspend),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_work_in_both_cases_and_not_with_control_or_alt() {
        let press = |letter, with| key(KeyEvent::new(KeyCode::Char(letter), with));
        for (letter, wanted) in [
            ('w', Key::Move(Direction::Up)),
            ('l', Key::Move(Direction::Right)),
            ('u', Key::Undo),
            ('c', Key::Code),
            ('q', Key::Quit),
        ] {
            assert_eq!(press(letter, KeyModifiers::NONE), Some(wanted));
            let capital = letter.to_ascii_uppercase();
            assert_eq!(press(capital, KeyModifiers::SHIFT), Some(wanted));
            assert_eq!(press(letter, KeyModifiers::ALT), None);
            let interrupt = (letter == 'c').then_some(Key::Quit);
            assert_eq!(press(letter, KeyModifiers::CONTROL), interrupt);
        }
    }
}
