//! Whoever plays a game: a person at the keys, or the program when it is asked to.

use std::time::{Duration, Instant};

use super::hints;
use super::keys::Key;
use super::screen::{self, Help, Note, Screen};
use super::session::Session;
use crate::cli::board::Adviser;
use crate::error::Result;
use crate::play::{Code, Status};

/// The time between two moves of the program.
const PACE: Duration = Duration::from_millis(400);

/// A game, and what keys have made of it.
pub(super) struct Player<'a> {
    session: Session,
    adviser: Option<Adviser<'a>>,
    /// Whether hints are shown.
    hinting: bool,
    note: Note,
    /// When the program makes its next move, while it plays.
    due: Option<Instant>,
}

impl<'a> Player<'a> {
    /// At the start of a game, with an adviser if it is solved.
    pub(super) fn new(session: Session, adviser: Option<Adviser<'a>>) -> Self {
        Self {
            session,
            adviser,
            hinting: false,
            note: Note::Goal,
            due: None,
        }
    }

    /// The code of the game so far.
    pub(super) fn code(&self) -> Code {
        self.session.code()
    }

    /// When to call [`Self::wait`] at the latest.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    /// The picture of the game for a window of this many columns and rows.
    pub(super) fn frame(&mut self, colours: bool, size: (u16, u16)) -> Result<Screen> {
        let help = match &mut self.adviser {
            None => Help::None,
            Some(_) if !self.hinting => Help::Keys,
            Some(adviser) => Help::Hints(hints::lines(adviser, self.session.position(), size.0)?),
        };
        Ok(screen::frame(
            &self.session,
            &self.note,
            &help,
            colours,
            size,
        ))
    }

    /// Do what a key does; `None` is a key that only stops the program.
    pub(super) fn press(&mut self, key: Option<Key>) -> Result<()> {
        let watched = self.due.take().is_some();
        self.note = match key {
            Some(Key::Move(direction)) if self.session.slide(direction) => Note::Goal,
            Some(Key::Move(_)) => Note::Unchanged,
            Some(Key::Undo) if self.session.undo() => Note::Goal,
            Some(Key::Undo) => Note::Start,
            Some(Key::Code) => Note::Code(self.code().to_string()),
            Some(Key::Hints) if self.adviser.is_some() => {
                self.hinting = !self.hinting;
                Note::Goal
            }
            Some(Key::Best) if self.adviser.is_some() => {
                self.play_best()?;
                Note::Goal
            }
            Some(Key::Watch) if self.adviser.is_some() && !watched => {
                self.watch();
                return Ok(());
            }
            _ if watched => Note::Goal,
            _ => return Ok(()),
        };
        Ok(())
    }

    /// Make the program's next move, if it plays and it is time to.
    pub(super) fn wait(&mut self) -> Result<()> {
        if self.due.take_if(|due| *due <= Instant::now()).is_some() {
            self.play_best()?;
            self.watch();
        }
        Ok(())
    }

    /// Let the program play from now on, unless the game is over.
    fn watch(&mut self) {
        let live = self.session.position().status() == Status::Live;
        (self.due, self.note) = if live {
            (Some(Instant::now() + PACE), Note::Watch)
        } else {
            (None, Note::Goal)
        };
    }

    fn play_best(&mut self) -> Result<()> {
        if let Some(adviser) = &mut self.adviser {
            let judged = adviser.advise(self.session.position())?;
            if let Some(best) = judged.best(0).next() {
                self.session.slide(best.direction);
            }
        }
        Ok(())
    }
}
