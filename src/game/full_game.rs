//! Boards of a full game, whose large tiles are the stones of an endgame.
//!
//! Key idea: large tiles differ from each other, so they slide and never merge, as stones do. A player's board
//! is read with its tiles, and keeps their numbers when it is printed.

use super::board::{Board, Size};
use super::grid::{Grid, refused};
use super::variant::Game;
use crate::error::Result;

impl Grid {
    /// Read a board of a game. In a game with stones, tiles of at least the winning tile are stones, which
    /// keep their numbers when the board is printed. With target cells, the stones are only the largest of
    /// these tiles: a game with six stones takes six.
    ///
    /// ```
    /// use enum48::game::Grid;
    /// let grid = Grid::of_game("32 16 / 2 .", &"2x2free2-16".parse()?)?;
    /// assert_eq!((grid.board(), grid.to_string().as_str()), (0xff10, "32 16 / 2 ."));
    /// # Ok::<(), enum48::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InputError::Board`](crate::error::InputError::Board), as for [`Grid::parse`], and for two equal
    /// tiles of at least the winning tile: they can merge.
    pub fn of_game(text: &str, game: &Game) -> Result<Self> {
        Self::with_large_tiles(text, game)?.keeping_a_mask(text)
    }

    /// Read a board of a game like [`Grid::of_game`], in any orientation: it keeps a mask when it is turned.
    #[cfg(feature = "cli")]
    pub(crate) fn to_turn(text: &str, game: &Game) -> Result<Self> {
        let grid = Self::with_large_tiles(text, game)?;
        match game.turned(grid.board).next() {
            Some(_) => Ok(grid),
            None => grid.keeping_a_mask(text),
        }
    }

    /// Read a board of a game, which may keep no mask.
    fn with_large_tiles(text: &str, game: &Game) -> Result<Self> {
        let size = game.size();
        let Some(target) = game.max().filter(|_| size.stones() > 0) else {
            return Self::read(text, size)?.with_its_stones(text);
        };
        let trimmed = text.trim();
        let is_hex = |digits: &&str| digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let bare = Some(trimmed).filter(|digits| digits.len() == 16);
        let digits = trimmed.strip_prefix("0x").or(bare).filter(is_hex);
        let hexadecimal = digits.and_then(|digits| Board::from_str_radix(digits, 16).ok());
        let fits = |board: &Board| board.checked_shr(4 * size.cells()).unwrap_or(0) == 0;
        let large = [0; 16];
        let written = match hexadecimal.filter(fits) {
            Some(board) => Self { board, size, large }.to_string(),
            None => text.to_owned(),
        };
        let is_between = |sign: char| " ,\t/\n".contains(sign);
        let words = || written.split_inclusive(is_between);
        let exp_of = |word: &str| {
            let value: u32 = word.trim_end_matches(is_between).parse().ok()?;
            (value >= target && value.is_power_of_two()).then(|| value.ilog2())
        };
        let expected = size.stones();
        let lacking = expected.saturating_sub(written.matches('x').count() as u32);
        let present = words()
            .filter_map(exp_of)
            .fold(0, |all, exp| all | 1 << exp);
        let least = game.least_stone(lacking, present).unwrap_or(0);
        let (mut plain, mut large, mut cell) = (String::new(), [0; 16], 0);
        for word in words() {
            let tile = word.trim_end_matches(is_between);
            match exp_of(word).filter(|&exp| exp >= least) {
                Some(exp) => {
                    let exp = exp as u8;
                    if large.contains(&exp) {
                        let what = format!(
                            "two tiles {tile} can merge, so they are no stones: merge them first"
                        );
                        return Err(refused(text, size, &what));
                    }
                    if let Some(place) = large.get_mut(cell) {
                        *place = exp;
                    }
                    plain.push('x');
                    plain.push_str(&word[tile.len()..]);
                }
                None => plain.push_str(word),
            }
            cell += usize::from(!tile.is_empty());
        }
        let stones = plain.matches('x').count() as u32;
        if cell == size.cells() as usize && stones != expected {
            let other = Size::new(size.rows(), size.cols())?.with_stones(stones);
            let other = other.ok().filter(|_| size.locks().is_none());
            let other = other.map(|other| format!(": it is a board of {other}-{target}"));
            let what = format!(
                "its stones (x, or a tile of {target} or more): expected {expected}, got {stones}{}",
                other.unwrap_or_default()
            );
            return Err(refused(text, size, &what));
        }
        let grid = Self::read(&plain, size)?;
        Self { large, ..grid }.with_its_stones(text)
    }
}

impl Game {
    /// The exponent of the least tile that is a stone on a player's board. The board lacks `lacking` stones
    /// (x). The bits of `large` are the exponents of its tiles from the winning tile up.
    ///
    /// Without target cells, the least stone is the winning tile. But a board with all its stones is won by
    /// this tile. There, the least stone is the next tile. With target cells, play goes on beyond the winning
    /// tile. Then the board's largest tiles are the stones that it lacks. Tiles that the game cannot make are
    /// always stones.
    pub(crate) fn least_stone(&self, lacking: u32, large: u32) -> Option<u32> {
        let target = self.max()?.ilog2();
        if self.size().locks().targets().is_none() {
            return Some(target + u32::from(lacking == 0));
        }
        let mut others = large;
        for _ in 0..lacking {
            others &= !others.checked_ilog2().map_or(0, |largest| 1 << largest);
        }
        let least = u32::BITS - others.leading_zeros();
        Some(least.clamp(target, self.top().next().tile().ilog2().max(target)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_tiles_of_a_player_are_stones() {
        let game: Game = "3x3free5-16".parse().unwrap();
        let text = "131072 32 16 / 64 2 4 / . . 8";
        let grid = Grid::of_game(text, &game).unwrap();
        assert_eq!(
            (grid.board(), grid.to_string().as_str()),
            (0xf_fff1_2003, text)
        );
        // An x is also a stone, and so is a digit of 16 or more.
        let mixed = Grid::of_game("x 32 16 / 64 2 4 / . . 8", &game).unwrap();
        assert_eq!(mixed.to_string(), "x 32 16 / 64 2 4 / . . 8");
        // Beside all stones, the winning tile is a tile.
        let won = Grid::of_game("x x 16 / x 2 4 / . x 8", &game).unwrap();
        assert_eq!(won.board(), 0xf_f4f1_20f3);
        let digits = Grid::of_game("0x754f12003", &game).unwrap();
        assert_eq!(digits.to_string(), "128 32 16 / x 2 4 / . . 8");
        for (text, error) in [
            ("32 32 16 / 64 2 4 / . . 8", "two tiles 32 can merge"),
            ("32 8 16 / 64 2 4 / . . 8", "expected 4, got 3"),
            ("48 32 16 / 64 128 4 / . . 8", "\"48\" is neither a power"),
            ("32 8 16 / 64 2 4", "expected 3 rows"),
        ] {
            let found = Grid::of_game(text, &game).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
        // Without stones, tiles are tiles.
        let plain: Game = "2x2-8".parse().unwrap();
        assert_eq!(Grid::of_game("8 2 / . .", &plain).unwrap().board(), 0x3100);
    }

    /// On 4x4 the tiles 16384 to 512 are the six stones of the next 512, which can also lie outside the
    /// target cell.
    #[test]
    fn with_target_cells_the_largest_tiles_are_stones() {
        let game: Game = "442-512".parse().unwrap();
        for (text, board) in [
            (
                "2 . 4 . / . . 8 . / . . 16384 8192 / 4096 2048 1024 512",
                0x1020_0030_00ff_ffff,
            ),
            (
                "2 . 4 . / 512 . 8 . / . . 16384 8192 / 4096 2048 1024 32768",
                0x1020_9030_00ff_ffff,
            ),
            (
                "2 . 4 . / 512 . 8 . / . . x x / 4096 x x 32768",
                0x1020_9030_00ff_ffff,
            ),
            (
                "2 . 4 512 / 512 . 8 . / . . x x / 4096 x x 32768",
                0x1029_9030_00ff_ffff,
            ),
        ] {
            let grid = Grid::of_game(text, &game).unwrap();
            assert_eq!((grid.board(), grid.to_string().as_str()), (board, text));
        }
        for (text, error) in [
            (
                "2 . 4 512 / . . 8 . / . . 16384 8192 / 4096 2048 1024 512",
                "two tiles 512 can merge",
            ),
            (
                "2 . 4 . / . . 8 . / . . 16384 8192 / 4096 2048 1024 256",
                "its stones (x, or a tile of 512 or more): expected 6, got 5",
            ),
            (
                "2 . 4 . / . . 8 2048 / . . x x / x x x x",
                "expected 6, got 7",
            ),
            // The example of a player, whose large tiles are at the top.
            (
                "32768 16384 8192 4096 / 2048 1024 64 2 / . 4 16 8 / . . . 2",
                "turn it to 2 . . . / 8 16 4 . / 2 64 1024 2048 / 4096 8192 16384 32768",
            ),
        ] {
            let found = Grid::of_game(text, &game).unwrap_err().to_string();
            assert!(found.contains(error), "{found}");
        }
    }
}
