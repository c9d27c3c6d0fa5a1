//! A played game: its moves, and the source of its tiles.

use super::chance::{Luck, Seed};
use super::moves;
use super::position::{Position, Status};
use super::replay::Replay;
use crate::error::Result;
use crate::game::{Direction, Game};

/// A game that was played by the rules: a code is made only by playing the game.
///
/// ```
/// use enum48::play::Code;
/// let code: Code = "w1.2x2-8.BD.1.w..W.10f0c486".parse()?;
/// assert_eq!(code.replay().position().to_string(), "4 4 / . .");
/// assert_eq!(code.end().to_string(), "8 . / . .");
/// assert_eq!(code.to_string(), "w1.2x2-8.BD.1.w..W.10f0c486");
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    luck: Luck,
    moves: Vec<Direction>,
    end: Position,
}

impl Code {
    /// The code of a game. Plays the game, so the cost is linear in the number of moves.
    ///
    /// # Errors
    ///
    /// [`Error::Code`](crate::Error::Code), which names the move, if a move is not legal, or if
    /// tiles are left over.
    pub fn new(game: Game, luck: Luck, moves: Vec<Direction>) -> Result<Self> {
        let mut replay = Replay::new(game, &luck, &moves)?;
        replay.try_for_each(|turn| turn.map(drop))?;
        let end = replay.end()?;
        Ok(Self { luck, moves, end })
    }

    /// Read a classic code: the moves of a game with this seed, without a count. Ignores characters
    /// after the end of the game, and up to two moves up in the last character if they change
    /// nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Code`](crate::Error::Code) if a character is not in the alphabet, or if a move is
    /// not legal.
    pub fn classic(game: Game, seed: Seed, text: &str) -> Result<Self> {
        let luck = Luck::Seed(seed);
        let mut moves = moves::decode(text)?;
        let mut replay = Replay::new(game, &luck, &moves)?;
        while replay.position().status() == Status::Live {
            let at = replay.played();
            match replay.next() {
                None => break,
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    let left = &moves[at..];
                    if left.len() < moves::GROUP && left.iter().all(|&d| d == Direction::Up) {
                        break;
                    }
                    return Err(error);
                }
            }
        }
        let (played, end) = (replay.played(), replay.end()?);
        moves.truncate(played);
        Ok(Self { luck, moves, end })
    }

    /// The game.
    #[must_use]
    pub fn game(&self) -> Game {
        self.end.game()
    }

    /// Where the tiles came from.
    #[must_use]
    pub fn luck(&self) -> &Luck {
        &self.luck
    }

    /// The moves.
    #[must_use]
    pub fn moves(&self) -> &[Direction] {
        &self.moves
    }

    /// The last board.
    #[must_use]
    pub fn end(&self) -> &Position {
        &self.end
    }

    /// Play the game again, turn by turn. Every turn is `Ok`.
    #[must_use]
    pub fn replay(&self) -> Replay<'_> {
        Replay::new(self.game(), &self.luck, &self.moves)
            .expect("it was played when the code was made")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Code {
        text.parse().unwrap()
    }

    #[test]
    fn a_classic_code_ends_with_its_game() {
        let won = read("s1.2x2-16.5.7.PzA.W.8619cce7");
        let game = won.game();
        let classic = |text: &str| Code::classic(game, Seed(5), text);
        // Anything after the end is ignored, legal or not.
        for text in ["PzA", "PzA/", "PzAAAAABBBB"] {
            assert_eq!(classic(text).unwrap(), won, "{text}");
        }
        assert!(classic("PzA!").is_err());
        // Six moves up or left; the seventh, up, wins, and two more moves up pad its character.
        assert_eq!(classic("Pz").unwrap().moves().len(), 6);
        assert_eq!(classic("").unwrap().moves(), []);
        let dead = read("s1.3x3.0.31.-/t/v97/7/g.1385f34a");
        assert_eq!(dead.end().status(), Status::Dead);
        let text = moves::encode(dead.moves());
        assert_eq!(Code::classic(dead.game(), Seed(0), &text).unwrap(), dead);
        // Cut after each character: the padding of the last one is ignored, or legal and played.
        for cut in 0..text.len() {
            let code = Code::classic(dead.game(), Seed(0), &text[..cut]).unwrap();
            assert!(dead.moves().starts_with(code.moves()));
        }
    }

    #[test]
    fn a_classic_code_with_a_move_that_is_not_legal_is_refused() {
        let game: Game = "2x2-16".parse().unwrap();
        let error = |text| Code::classic(game, Seed(5), text).unwrap_err().to_string();
        assert!(
            error("//z").contains("left changes nothing"),
            "{}",
            error("//z")
        );
    }
}
