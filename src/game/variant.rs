//! A game: the size of the board with its stones, and the tile that wins.

use std::fmt;
use std::str::FromStr;

use super::board::{Board, PartKey, STONE, Size, exps, for_size, holds, max_exp, sum};
use super::exp::Exp;
use super::rules::Rules;
use super::slide::Moved;
use super::symmetry::canonical_with;
use crate::error::{Error, InputError, Result};

/// Write and read a type in JSON by its [`fmt::Display`] and its [`FromStr`].
macro_rules! text_in_json {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use text_in_json;

text_in_json!(Game);

/// The greatest sum of a start: two 4s. No game ends before it.
pub(crate) const LAST_START: u32 = 8;

/// A game of 2048: board size, and winning tile if there is one.
///
/// ```
/// use enum48::Game;
/// let game = Game::new("3".parse()?, Some(1024))?;
/// assert_eq!(game.to_string(), "3x3-1024");
/// assert_eq!(Game::new("4x3".parse()?, None)?.to_string(), "4x3");
/// # Ok::<(), enum48::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Game {
    size: Size,
    max: Option<u32>,
    horizon: Option<u32>,
}

impl Game {
    /// A game on a board of `size` that ends when a tile `max` is made.
    ///
    /// # Errors
    ///
    /// [`InputError::Max`] unless `max` is a power of two from 8 to 65536. (Below 8 a spawn could win.)
    /// [`InputError::Stones`] if the game has stones and could make a tile above 16384, or if it has target
    /// cells and no winning tile.
    pub fn new(size: Size, max: Option<u32>) -> Result<Self> {
        if let Some(tile) = max
            && (!tile.is_power_of_two() || !(8..=65536).contains(&tile))
        {
            return Err(InputError::Max(tile).into());
        }
        let mut game = Self {
            size,
            max,
            horizon: None,
        };
        match (size.locks().targets(), max) {
            (None, _) => game.checked(),
            (Some(_), None) => Err(game.refused("target cells need a winning tile: give a --max")),
            (Some(_), Some(_)) => {
                game.horizon = game.own_horizon();
                game.checked()
            }
        }
    }

    /// The game in which afterstates of this sum or more are lost, unless they are won.
    ///
    /// ```
    /// use enum48::Game;
    /// let game: Game = "442-64".parse()?;
    /// assert_eq!(game.horizon(), Some(164));
    /// assert_eq!(game.with_horizon(200)?.to_string(), "442-64until200");
    /// # Ok::<(), enum48::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InputError::Stones`] unless the game has stones and a winning tile, and the horizon is even and above
    /// the sums of all starts; or if a tile could be above 16384.
    pub fn with_horizon(self, horizon: u32) -> Result<Self> {
        if self.size.stones() == 0 || self.max.is_none() {
            return Err(
                self.refused("a horizon needs stones and a winning tile: give --stones and --max")
            );
        }
        if horizon <= LAST_START || !horizon.is_multiple_of(2) {
            return Err(self.refused(&format!(
                "a horizon is an even sum above {LAST_START}, got {horizon}"
            )));
        }
        let horizon = Some(horizon);
        Self { horizon, ..self }.checked()
    }

    /// The game that a file names. Its parts must belong together.
    pub(crate) fn of_label(size: Size, win: Exp, horizon: Option<u32>) -> Self {
        let max = Some(win.tile()).filter(|_| win < Exp::LAST);
        Self { size, max, horizon }
    }

    fn refused(&self, what: &str) -> Error {
        let (stones, what) = (self.size.stones(), what.to_owned());
        InputError::Stones { stones, what }.into()
    }

    /// The game, if the digit 15 stands for stones alone, never for a tile that wins or that a merge makes.
    fn checked(self) -> Result<Self> {
        let is_large = self.max.is_none_or(|tile| tile > 16384);
        let beyond = self.top().get() > 13 || self.max.is_some() && is_large;
        match self.size.stones() > 0 && beyond {
            true if is_large => Err(self.refused(
                "with stones the winning tile is at most 16384: give such a --max",
            )),
            true => Err(self.refused(
                "before the horizon a tile above 16384 could be made: give a smaller --horizon or --max",
            )),
            false => Ok(self),
        }
    }

    /// The boards that can be held as bits, if boards of this game cannot.
    pub(crate) fn bits_need(&self) -> Option<&'static str> {
        let is_free = self.size.locks().is_none();
        match (self.size.cells(), is_free, self.horizon) {
            (16, true, None) => None,
            (_, false, _) => Some("boards without masks"),
            (_, _, Some(_)) => Some("boards without a horizon"),
            _ => Some("boards of 4x4"),
        }
    }

    /// The horizon of a game with target cells, unless another is asked for. Without target cells a game ends
    /// by itself.
    fn own_horizon(&self) -> Option<u32> {
        let tile = self.max.filter(|_| self.size.locks().targets().is_some());
        tile.map(|tile| LAST_START + tile + 2 * self.size.extra() - 4)
    }

    /// The least sum of an afterstate that is lost unless it is won, if there is one.
    pub fn horizon(&self) -> Option<u32> {
        self.horizon
    }

    /// Whether the game goes on after an afterstate of this sum that is not won.
    pub(crate) fn goes_on(&self, sum: u32) -> bool {
        self.horizon.is_none_or(|horizon| sum < horizon)
    }

    /// Whether the horizon ends the game with an afterstate that is not won.
    pub(crate) fn is_beyond(&self, afterstate: Board) -> bool {
        let is_beyond = |horizon| self.sum(afterstate) >= horizon;
        self.horizon.is_some_and(is_beyond)
    }

    /// Whether a game that ended with this board reached a tile, which is at most the winning tile.
    #[inline]
    pub(crate) fn reaches(&self, board: Board, tile: Exp) -> bool {
        match self.size.locks().targets() {
            Some(_) if tile == self.win() => self.is_won(board),
            _ => exps(self.size.tiles(board)).any(|exp| exp >= tile),
        }
    }

    /// Size of the board.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The winning tile, as a value.
    pub fn max(&self) -> Option<u32> {
        self.max
    }

    /// The winning tile, or [`Exp::LAST`] if the game has none; no board has a digit for that tile.
    pub fn win(&self) -> Exp {
        self.max.and_then(Exp::of_tile).unwrap_or(Exp::LAST)
    }

    /// The largest tile that a board of this game can hold before the game is won.
    ///
    /// On c cells without a stone no tile exceeds 2^(c+1). Proof: spawned tiles are at most 4 = 2^2, and
    /// the merge that makes 2^e needs two tiles 2^(e-1). While the second of them was made, the first and a
    /// tile 2^(e-2) were on the board, and so on. So at some time the board held tiles of the
    /// exponents e-1, e-2, ..., 2, 2, which fill e-1 cells.
    ///
    /// With target cells the winning tile can be elsewhere, and larger tiles, too. No state has a sum above
    /// the horizon and 2: its last tile was spawned before the horizon.
    pub fn top(&self) -> Exp {
        let chain = self.size.tile_cells() as u8 + 1;
        let below = match self.size.locks().targets() {
            Some(_) => u8::MAX,
            None => self.win().get() - 1,
        };
        let of_sum = self.last_sum().map_or(u8::MAX, |sum| sum.ilog2() as u8);
        Exp::new(chain.min(below).min(of_sum)).expect("it is at most the chain")
    }

    /// The greatest sum of a state before the horizon ends the game.
    fn last_sum(&self) -> Option<u32> {
        self.horizon.map(|horizon| horizon.saturating_add(2))
    }

    /// An upper bound on the sum of a board, which also bounds the number of layers.
    ///
    /// Of c cells without a stone, the tile of rank k from the least, as if every cell had a tile, is at
    /// most 2^(k+1). Proof: it holds for a start. A merge of two tiles at ranks k and k+1 makes a tile of
    /// at most twice 2^(k+1), at rank k+1 or higher, and the tiles below move up a rank. A spawned 2 or 4
    /// comes lowest, where an empty cell was. No tile exceeds [`Game::top`], either.
    pub fn sum_bound(&self) -> u32 {
        let most = (0..self.size.tile_cells()).map(|rank| 4 << rank);
        let sum = most.map(|tile: u32| tile.min(self.top().tile())).sum();
        self.last_sum().map_or(sum, |last| last.min(sum))
    }

    /// Whether the game goes on to tiles that no digit stands for.
    pub(crate) fn is_endless(&self) -> bool {
        self.size.tile_cells() == 16 && self.max.is_none()
    }

    /// The options of the program for this game.
    pub(crate) fn options(&self) -> String {
        let max = self.max.map(|tile| format!(" --max {tile}"));
        let horizon = self.asked_horizon();
        let horizon = horizon.map(|horizon| format!(" --horizon {horizon}"));
        let [max, horizon] = [max, horizon].map(Option::unwrap_or_default);
        format!("--size {}{max}{horizon}", self.size)
    }

    /// The horizon, if it is another than the game's own.
    fn asked_horizon(&self) -> Option<u32> {
        self.horizon.filter(|_| self.horizon != self.own_horizon())
    }

    /// The rules on boards of this game's size.
    pub(crate) fn rules(&self) -> Rules {
        Rules(self.size)
    }

    /// The canonical start states of one sum, in order: two tiles, each 2 or 4, in different cells. Stones
    /// are in all cells of a mask, if there are masks, and the others are in any other cells. Only sums 4,
    /// 6 and 8 have start states.
    pub fn starts(&self, sum: u32) -> Vec<Board> {
        let [first, second] = match sum {
            4 => [Exp::TWO, Exp::TWO],
            6 => [Exp::TWO, Exp::FOUR],
            8 => [Exp::FOUR, Exp::FOUR],
            _ => return Vec::new(),
        };
        let locks = self.size.locks();
        let mut boards = locks.masks();
        if boards.is_empty() {
            boards.push(0);
        }
        for _ in locks.stones()..self.size.stones() {
            boards = self.with_one_more(&boards, STONE);
        }
        for tile in [first, second] {
            boards = self.with_one_more(&boards, tile.get());
        }
        boards
    }

    /// The canonical boards, in order, that have one digit more than some boards.
    fn with_one_more(&self, boards: &[Board], digit: u8) -> Vec<Board> {
        let mut more = Vec::new();
        let tile = Exp::new(digit).expect("every digit is an exponent");
        self.rules().spawn(boards, tile, &mut more);
        self.canonicalise(&mut more);
        more.sort_unstable();
        more.dedup();
        more
    }

    /// The results of the four moves of a board, in the order of
    /// [`Direction::ALL`](super::Direction::ALL).
    ///
    /// ```
    /// use enum48::{Game, game::Moved};
    /// let game: Game = "2x2-8".parse()?;
    /// // 4 4 / 2 .
    /// let [up, right, down, left] = game.moves(0x2210);
    /// assert_eq!((up, down), (Moved::Illegal, Moved::To(0x2012)));
    /// assert_eq!((right, left), (Moved::Wins, Moved::Wins));
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn moves(&self, board: Board) -> [Moved; 4] {
        self.rules().moves(board, self.win())
    }

    /// The boards after `tile` has spawned, one for each empty cell of an afterstate, not
    /// canonical. The first cell comes first.
    ///
    /// ```
    /// use enum48::{Game, game::Exp};
    /// let game: Game = "2x2".parse()?;
    /// let boards: Vec<_> = game.spawns(0x2010, Exp::FOUR).collect();
    /// assert_eq!(boards, [0x2210, 0x2012]);
    /// # Ok::<(), enum48::Error>(())
    /// ```
    pub fn spawns(&self, afterstate: Board, tile: Exp) -> impl Iterator<Item = Board> {
        let digit = u64::from(tile.get());
        (0..self.size().cells())
            .rev()
            .filter(move |cell| afterstate >> (4 * cell) & 15 == 0)
            .map(move |cell| afterstate | digit << (4 * cell))
    }

    /// Sum of the tile values of a board.
    pub fn sum(&self, board: Board) -> u32 {
        sum(self.size.tiles(board))
    }

    /// The largest tile of a board, [`Exp::EMPTY`] for a board without tiles.
    pub fn max_exp(&self, board: Board) -> Exp {
        max_exp(self.size.tiles(board))
    }

    /// The part that a board belongs to.
    pub fn part_of(&self, board: Board) -> PartKey {
        PartKey::of(self.size.tiles(board))
    }

    /// Whether a board holds the winning tile, in a target cell if there are such cells.
    pub(crate) fn is_won(&self, board: Board) -> bool {
        match self.size.locks().targets() {
            None => self.max_exp(board) >= self.win(),
            Some(targets) => holds(board & targets, self.win()),
        }
    }

    /// The canonical image of a board.
    pub fn canonical(&self, board: Board) -> Board {
        let locks = self.size.locks();
        for_size!(self.size, canonical_with::<R, C>(board, locks))
    }

    /// Replace each board by its canonical image; under 1 ns per board for hundreds of boards.
    pub fn canonicalise(&self, boards: &mut [Board]) {
        self.rules().canonicalise(boards);
    }
}

/// `3x3-1024`, `4x3` without a winning tile, `free8-64` or `3x3free7-64` with stones: the name of the game
/// in tables and directories. A horizon that is not the game's own follows as `until200`.
impl fmt::Display for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.size)?;
        self.max.map_or(Ok(()), |tile| write!(f, "-{tile}"))?;
        let horizon = self.asked_horizon();
        horizon.map_or(Ok(()), |horizon| write!(f, "until{horizon}"))
    }
}

/// Reads only the form that [`fmt::Display`] writes.
impl FromStr for Game {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let named = || Error::from(InputError::Game(text.to_owned()));
        let number = |text: &str| text.parse::<u32>().map_err(|_| named());
        let (size, max) = match text.split_once('-') {
            Some((size, max)) => (size, Some(max)),
            None => (text, None),
        };
        let (max, horizon) = match max.and_then(|max| max.split_once("until")) {
            Some((max, horizon)) => (Some(max), Some(number(horizon)?)),
            None => (max, None),
        };
        let mut game = Self::new(size.parse()?, max.map(number).transpose()?)?;
        if let Some(horizon) = horizon {
            game = game.with_horizon(horizon)?;
        }
        Some(game)
            .filter(|game| game.to_string() == text)
            .ok_or_else(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::symmetry::images;
    use crate::game::{Direction, line};

    #[test]
    fn winning_tiles_are_powers_of_two_from_8_to_65536() {
        let size = Size::new(4, 4).unwrap();
        for exponent in 3..=16 {
            assert!(Game::new(size, Some(1 << exponent)).is_ok());
        }
        for bad in [0, 1, 2, 4, 6, 1000, 65535, 131_072] {
            assert!(Game::new(size, Some(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_game_is_read_back_from_its_name() {
        for name in [
            "2x2-8",
            "4x3",
            "3x4-2048",
            "4x4-65536",
            "free8-64",
            "free12",
            "3x3free7-64",
            "L3-64",
            "free9lockfff0fff-64",
            "442-64",
            "442-64until200",
            "442atff000000-128",
            "free8-64until90",
            "3x4free8lockf000f-64",
        ] {
            assert_eq!(name.parse::<Game>().unwrap().to_string(), name);
        }
        for bad in [
            "",
            "-",
            "3x3-",
            "3x3-10",
            "3x3-1024-",
            "5x5",
            "3x3-x",
            "3x3-08",
            "3x3-+8",
            "3X3-8",
            "4x4free8-64",
            "free8-",
            "free8-64+2",
            "free10lockfff0fff-64",
            "442",
            "442-64until164",
            "442-64until8",
            "442-64until101",
            "4442-16384",
            "3x3-64until100",
            "free8until100",
        ] {
            assert!(bad.parse::<Game>().is_err(), "{bad}");
        }
    }

    /// 8 + T + 2 * 48 - 4; 60 in the place of 48 for 444, and 36 without masks.
    #[test]
    fn target_cells_bring_a_horizon_and_larger_tiles() {
        for (name, horizon, top, bound) in [
            ("442-64", Some(164), 128, 166),
            ("442-128", Some(228), 128, 230),
            ("444-64", Some(188), 128, 190),
            ("free8atf-64", Some(140), 128, 142),
            ("442-64until300", Some(300), 256, 302),
            ("L3-64", None, 32, 252),
            ("free8-64until90", Some(90), 32, 92),
        ] {
            let game: Game = name.parse().unwrap();
            let found = (game.horizon(), game.top().tile(), game.sum_bound());
            assert_eq!(found, (horizon, top, bound), "{name}");
        }
    }

    #[test]
    fn starts_of_2x2_are_side_by_side_or_diagonal() {
        let game = Game::new(Size::new(2, 2).unwrap(), None).unwrap();
        assert_eq!(game.starts(4), [0x0011, 0x0110]);
        assert_eq!(game.starts(6), [0x0012, 0x0120]);
        assert_eq!(game.starts(8), [0x0022, 0x0220]);
        assert!(game.starts(10).is_empty());
    }

    #[test]
    fn with_stones_no_tile_reaches_their_digit() {
        for good in ["free15-16384", "free12", "2x2free3"] {
            assert!(good.parse::<Game>().is_ok(), "{good}");
        }
        for bad in ["free15-32768", "free13", "free4-65536"] {
            assert!(bad.parse::<Game>().is_err(), "{bad}");
        }
    }

    #[test]
    fn starts_with_stones_have_two_tiles_in_the_other_cells() {
        let game: Game = "2x2free3".parse().unwrap();
        assert_eq!(game.starts(4), [0x011f, 0x01f1]);
        let game: Game = "2x2free2".parse().unwrap();
        assert_eq!(game.starts(6), [0x12ff, 0x1ff2]);
        let game: Game = "2x2free2lockff".parse().unwrap();
        assert_eq!(game.starts(6), [0x12ff]);
        let game: Game = "2x2free2lockf".parse().unwrap();
        assert_eq!(game.starts(6), [0x12ff, 0x21ff, 0xf12f]);
        assert_eq!(game.part_of(0x1ff2).to_string(), "sum 6, largest tile 4");
    }

    #[test]
    fn the_bounds_are_the_known_last_tiles_and_sums() {
        // 2x2 ends at 32; 4x3 at sum 16380 (Kaneko and Yamashita, 2025).
        let game = |text: &str, max| Game::new(text.parse().unwrap(), max).unwrap();
        assert_eq!(game("2", None).top().tile(), 32);
        assert_eq!(game("2", None).sum_bound(), 60);
        assert_eq!(game("4x3", None).sum_bound(), 16380);
        // Reached, as their tables show.
        assert_eq!(game("3", Some(1024)).sum_bound(), 1532);
        assert_eq!(game("2x4", Some(512)).sum_bound(), 764);
        assert_eq!(game("free9", Some(256)).sum_bound(), 636);
        assert_eq!(game("4", Some(64)).sum_bound(), 444);
        assert_eq!(game("4", Some(65536)).top().tile(), 32768);
        assert_eq!(game("free4", None).top().tile(), 32);
        assert_eq!(game("free4", None).sum_bound(), 60);
    }

    /// The rule as a person states it, line by line.
    fn by_lines(game: Game, board: Board, direction: Direction) -> Moved {
        let (mut after, mut wins) = (0, false);
        for line in line::lines(game.size(), direction) {
            let mut tiles = line::unpack(line.of_board(board), line.len());
            line::slide(&mut tiles, game.size().stone());
            wins |= tiles.contains(&game.win().get());
            after |= line.to_board(line::pack(&tiles).expect("no tile reaches 65536"));
        }
        // Every digit of a mask is the digit of a stone.
        let masks = game.size().locks().masks();
        let is_kept = masks.is_empty() || masks.iter().any(|mask| after & mask == *mask);
        if after == board || !is_kept {
            Moved::Illegal
        } else if wins {
            Moved::Wins
        } else {
            Moved::To(after)
        }
    }

    #[test]
    fn moves_agree_with_the_rule_as_a_person_states_it() {
        for name in [
            "2x2-16",
            "2x2",
            "2x2free3",
            "2x2free2-8",
            "2x2free3lockf",
            "2x2free2lockf-8",
        ] {
            let game: Game = name.parse().unwrap();
            let boards = 1..1u64 << (4 * game.size().cells());
            for board in boards.filter(|&board| game.max_exp(board) <= game.top()) {
                for (direction, moved) in Direction::ALL.into_iter().zip(game.moves(board)) {
                    let expected = by_lines(game, board, direction);
                    assert_eq!(moved, expected, "{board:#x} {direction:?}");
                }
            }
        }
    }

    #[test]
    fn spawns_agree_with_the_kernel() {
        for (name, board) in [
            ("2x2", 0x2010),
            ("3x3", 0x1_0203_0000),
            ("4x4", 0),
            ("2x2", 0x1234),
        ] {
            let game: Game = name.parse().unwrap();
            for tile in [Exp::TWO, Exp::FOUR] {
                let mut kernel = Vec::new();
                game.rules().spawn(&[board], tile, &mut kernel);
                kernel.sort_unstable();
                let mut spawns: Vec<Board> = game.spawns(board, tile).collect();
                spawns.sort_unstable();
                assert_eq!(spawns, kernel, "{name} {board:#x}");
            }
        }
    }

    #[test]
    fn boards_with_the_highest_bit_are_compared_as_numbers_without_sign() {
        let game: Game = "4x4".parse().unwrap();
        let mut random = fastrand::Rng::with_seed(63);
        // A board with large tiles in all corners has the highest bit in every image.
        let boards: Vec<Board> = (0..1000)
            .map(|at| random.u64(..) | [0, 0x8008_0000_0000_8008][at % 2])
            .collect();
        let least = |&board: &Board| images::<4, 4>(board).into_iter().min().unwrap();
        let expected: Vec<Board> = boards.iter().map(least).collect();
        let high = expected.iter().filter(|&&board| board >> 63 == 1).count();
        assert!((500..1000).contains(&high), "{high}");
        let mut canonical = boards.clone();
        game.canonicalise(&mut canonical);
        assert_eq!(canonical, expected);
        for (board, canonical) in boards.into_iter().zip(expected) {
            assert_eq!(game.canonical(board), canonical);
        }
    }
}
