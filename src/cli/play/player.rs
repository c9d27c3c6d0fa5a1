//! A game that is being played, by a person at the keys or by the program.

use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::screen::{self, Note, Screen};
use super::session::Session;
use crate::cli::ask::solved;
use crate::cli::out::board::JudgedMoves;
use crate::error::Result;
use crate::game::{Direction, Game};
use crate::play::Status;
use crate::solve::Values;

/// The time between two moves of the program.
const PACE: Duration = Duration::from_millis(400);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Move(Direction),
    Undo,
    Code,
    /// Show hints, or hide them.
    Hints,
    /// Make the best move.
    Best,
    /// Let the program play.
    Watch,
    Suspend,
    Quit,
}

/// The meaning of a pressed key; `None` if it has none.
pub(super) fn key(event: KeyEvent) -> Option<Key> {
    use KeyCode::{Char, Down, Esc, Left, Right, Up};
    let code = match event.code {
        Char(letter) => Char(letter.to_ascii_lowercase()),
        code => code,
    };
    match code {
        Char('c') if event.modifiers == KeyModifiers::CONTROL => Some(Key::Quit),
        Char('z') if event.modifiers == KeyModifiers::CONTROL => Some(Key::Suspend),
        _ if !KeyModifiers::SHIFT.contains(event.modifiers) => None,
        Up | Char('w' | 'k') => Some(Key::Move(Direction::Up)),
        Right | Char('d' | 'l') => Some(Key::Move(Direction::Right)),
        Down | Char('s' | 'j') => Some(Key::Move(Direction::Down)),
        Left | Char('a' | 'h') => Some(Key::Move(Direction::Left)),
        Char('u') => Some(Key::Undo),
        Char('c') => Some(Key::Code),
        Char('i') => Some(Key::Hints),
        Char('b') => Some(Key::Best),
        Char('p') => Some(Key::Watch),
        Esc | Char('q') => Some(Key::Quit),
        _ => None,
    }
}

/// A game on the screen, and its reactions to keys.
pub(super) struct Player<'a> {
    pub(super) session: Session,
    values: Option<Values<'a>>,
    shows_hints: bool,
    note: Note,
    /// The time of the program's next move, while the program plays: call [`Self::wait`] then.
    pub(super) due: Option<Instant>,
}

impl<'a> Player<'a> {
    /// A game at its start, with the values if it is solved.
    pub(super) fn new(session: Session, values: Option<Values<'a>>) -> Self {
        Self {
            session,
            values,
            shows_hints: false,
            note: Note::Goal,
            due: None,
        }
    }

    /// The picture of the game for a window of this many columns and rows.
    pub(super) fn frame(&mut self, colours: bool, size: (u16, u16)) -> Result<Screen> {
        let (session, note) = (&self.session, &self.note);
        let hints = match &mut self.values {
            Some(values) if self.shows_hints => {
                Some(screen::hints(values, session.position(), size.0)?)
            }
            values => values.as_ref().map(|_| Vec::new()),
        };
        let hints = hints.as_deref();
        Ok(screen::frame(session, note, hints, colours, size))
    }

    /// Obey a key; `None` is a key that only ends play by the program.
    pub(super) fn press(&mut self, key: Option<Key>) -> Result<()> {
        let watched = self.due.take().is_some();
        self.note = match key {
            Some(Key::Move(direction)) if self.session.slide(direction) => Note::Goal,
            Some(Key::Move(_)) => Note::Illegal,
            Some(Key::Undo) if self.session.undo() => Note::Goal,
            Some(Key::Undo) => Note::Start,
            Some(Key::Code) => Note::Code(self.session.code.to_string()),
            Some(Key::Hints) if self.values.is_some() => {
                self.shows_hints = !self.shows_hints;
                Note::Goal
            }
            Some(Key::Best) if self.values.is_some() => {
                self.play_best()?;
                Note::Goal
            }
            Some(Key::Watch) if self.values.is_some() && !watched => self.watch(),
            Some(Key::Hints | Key::Best | Key::Watch) if self.values.is_none() => {
                Note::Unsolved(steps(self.session.position().game()))
            }
            _ if watched => Note::Goal,
            _ => return Ok(()),
        };
        Ok(())
    }

    /// Make the program's next move, if the program plays and the move is due.
    pub(super) fn wait(&mut self) -> Result<()> {
        if self.due.take_if(|due| *due <= Instant::now()).is_some() {
            self.play_best()?;
            self.note = self.watch();
        }
        Ok(())
    }

    /// Let the program play from now on, unless the game is over.
    fn watch(&mut self) -> Note {
        let live = self.session.position().status() == Status::Live;
        self.due = live.then(|| Instant::now() + PACE);
        if live { Note::Watch } else { Note::Goal }
    }

    fn play_best(&mut self) -> Result<()> {
        if let Some(values) = &mut self.values {
            let judged = JudgedMoves::of(values, self.session.position())?;
            if let Some(best) = judged.best(0).next() {
                self.session.slide(best);
            }
        }
        Ok(())
    }
}

/// The way to hints for a game.
fn steps(game: Game) -> String {
    if solved::is_small(game) {
        return "start play again with --for score: the game is then solved, in some seconds"
            .to_owned();
    }
    solved::steps(game)
}

#[cfg(test)]
mod tests {
    use super::Direction::{Down, Left, Right, Up};
    use super::*;
    use crate::play::{Code, Seed};

    fn session(game: &str, seed: u64) -> Session {
        Session::new(game.parse().unwrap(), Seed(seed))
    }

    // The code is from a second program, see the tests of `play/code.rs`.
    #[test]
    fn a_won_game_has_its_code_and_continues_only_after_undo() {
        let mut game = session("2x2-16", 5);
        for direction in [Up, Left, Left, Left, Up, Left, Up] {
            assert!(game.slide(direction));
        }
        assert_eq!(game.position().to_string(), "16 4 / . .");
        assert_eq!(game.code.to_string(), "s1.2x2-16.5.7.PzA.W.8619cce7");
        assert!(
            Direction::ALL
                .iter()
                .all(|&direction| !game.slide(direction))
        );
        assert_eq!(game.code.moves().len(), 7);
        assert!(game.undo() && game.slide(Down));
    }

    #[test]
    fn undo_leads_back_to_the_start_and_a_repeated_move_brings_its_tile() {
        let code: Code = "s1.3x3.0.31.-/t/v97/7/g.1385f34a".parse().unwrap();
        let mut game = session("3x3", 0);
        let mut boards = vec![game.position().clone()];
        for &direction in code.moves() {
            assert!(game.slide(direction));
            boards.push(game.position().clone());
        }
        assert_eq!(game.position().to_string(), "4 2 4 / 16 4 2 / 32 8 4");
        for board in boards.iter().rev().skip(1) {
            assert!(game.undo());
            assert_eq!(game.position(), board);
        }
        assert!(!game.undo());
        assert_eq!((game.code.moves().len(), game.position().score()), (0, 0));
        for (&direction, board) in code.moves().iter().zip(&boards[1..]) {
            assert!(game.slide(direction));
            assert_eq!(game.position(), board);
        }
        assert_eq!(game.code, code);
    }

    #[test]
    fn a_move_that_changes_nothing_is_not_made() {
        let mut game = session("2x2-16", 5);
        assert_eq!(game.position().to_string(), ". . / 4 2");
        assert!(!game.slide(Down) && !game.slide(Right) && !game.undo());
        assert_eq!(game.code.moves(), []);
    }

    #[test]
    fn letters_work_in_both_cases_and_not_with_control_or_alt() {
        let press = |letter, with| key(KeyEvent::new(KeyCode::Char(letter), with));
        for (letter, wanted) in [
            ('w', Key::Move(Direction::Up)),
            ('l', Key::Move(Direction::Right)),
            ('u', Key::Undo),
            ('c', Key::Code),
            ('i', Key::Hints),
            ('b', Key::Best),
            ('p', Key::Watch),
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
