//! What keys do.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::game::Direction;

/// What a key does.
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

/// What the key of an event does; `None` if nothing.
pub(super) fn key(event: KeyEvent) -> Option<Key> {
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
                'i' => Some(Key::Hints),
                'b' => Some(Key::Best),
                'p' => Some(Key::Watch),
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
