//! The rules on plain arrays of cells, for the twins that check the library. From the library, this
//! module uses only the names of directions.

use std::array;

use enum48::game::Direction;

/// The exponents of the tiles, row by row. An empty or unused cell is 0, and a stone is [`STONE`].
pub(crate) type Cells = [u8; 16];

/// A cell with a stone.
const STONE: u8 = 31;

/// The exponents of the tiles on a board.
pub(crate) fn tiles(cells: &Cells) -> impl Iterator<Item = u8> {
    cells.iter().copied().filter(|&e| 0 < e && e < STONE)
}

/// A game: the size of its board, its stones and its winning tile.
pub(crate) struct Plain {
    /// The exponent of the winning tile.
    win: Option<u8>,
    cells: usize,
    stones: usize,
    /// Sets of cells, a bit for each cell, the last cell least significant. After a move, all cells of one
    /// of them hold stones.
    masks: Vec<usize>,
    /// The cells where the winning tile wins, as a set; every cell if it is 0.
    targets: usize,
    /// The sum from which on a board after a move that is not won is lost.
    horizon: u32,
    /// For each direction, the cells of each line, starting at the edge that tiles move to.
    lines: [Vec<Vec<usize>>; 4],
    /// For each image of a board, the cell from which each of its cells comes.
    images: Vec<Vec<usize>>,
}

/// The result of a legal move.
pub(crate) struct Moved {
    pub(crate) after: Cells,
    /// The sum of the tiles that merges made.
    pub(crate) earned: u32,
    /// Whether a merge made the winning tile, or it is in a target cell.
    pub(crate) won: bool,
}

impl Plain {
    pub(crate) fn new(rows: usize, cols: usize, win: Option<u32>) -> Self {
        let at = |r: usize, c: usize| r * cols + c;
        let line = |direction: Direction, i: usize| -> Vec<usize> {
            match direction {
                Direction::Up => (0..rows).map(|r| at(r, i)).collect(),
                Direction::Right => (0..cols).rev().map(|c| at(i, c)).collect(),
                Direction::Down => (0..rows).rev().map(|r| at(r, i)).collect(),
                Direction::Left => (0..cols).map(|c| at(i, c)).collect(),
            }
        };
        let mut images = Vec::new();
        for flip_r in [false, true] {
            for flip_c in [false, true] {
                let (mut straight, mut turned) = (Vec::new(), Vec::new());
                for r in 0..rows {
                    for c in 0..cols {
                        let r = if flip_r { rows - 1 - r } else { r };
                        let c = if flip_c { cols - 1 - c } else { c };
                        straight.push(at(r, c));
                        turned.push(at(c, r));
                    }
                }
                images.push(straight);
                images.extend((rows == cols).then_some(turned));
            }
        }
        Self {
            win: win.map(|tile| tile.ilog2() as u8),
            cells: rows * cols,
            stones: 0,
            masks: Vec::new(),
            targets: 0,
            horizon: u32::MAX,
            lines: array::from_fn(|i| {
                let direction = Direction::ALL[i];
                let sideways = matches!(direction, Direction::Left | Direction::Right);
                let lines = if sideways { rows } else { cols };
                (0..lines).map(|i| line(direction, i)).collect()
            }),
            images,
        }
    }

    /// The game without symmetry: each board has only itself as an image.
    pub(crate) fn without_symmetry(mut self) -> Self {
        self.images = vec![(0..self.cells).collect()];
        self
    }

    /// The game with this number of stones.
    pub(crate) fn with_stones(mut self, stones: usize) -> Self {
        self.stones = stones;
        self
    }

    /// The game with these masks. Every move must keep one of them.
    pub(crate) fn with_masks(mut self, masks: &[usize]) -> Self {
        self.masks = masks.to_vec();
        let cells = self.cells;
        self.images.retain(|image| {
            masks
                .iter()
                .all(|&mask| masks.contains(&moved_set(mask, image, cells)))
        });
        self
    }

    /// The game that is won only with the tile in one of these cells, and lost at a horizon.
    pub(crate) fn with_targets(mut self, targets: usize, horizon: u32) -> Self {
        let cells = self.cells;
        (self.targets, self.horizon) = (targets, horizon);
        self.images
            .retain(|image| moved_set(targets, image, cells) == targets);
        self
    }

    /// Whether the largest tile of a lost board tells nothing about this tile: only a win reaches it.
    pub(crate) fn needs_win(&self, tile: u32) -> bool {
        self.targets != 0 && self.win == Some(tile.ilog2() as u8)
    }

    /// Whether the game goes on after a board that is not won.
    pub(crate) fn goes_on(&self, after: &Cells) -> bool {
        tiles(after).map(|e| 1u32 << e).sum::<u32>() < self.horizon
    }

    /// Whether the stones of a board are where a move may leave them.
    fn keeps(&self, cells: &Cells) -> bool {
        let cells = &cells[..self.cells];
        let stones = cells
            .iter()
            .fold(0, |all, &e| all << 1 | usize::from(e == STONE));
        self.masks.is_empty() || self.masks.iter().any(|mask| stones & mask == *mask)
    }

    /// The boards before the first tile: the stones are in any cells, or also in all cells of a mask.
    pub(crate) fn begin(&self) -> Vec<Cells> {
        let sets = (0..1usize << self.cells).filter(|set| set.count_ones() as usize == self.stones);
        let cell = |set: usize, i| if set >> i & 1 == 1 { STONE } else { 0 };
        let begin = sets.map(|set| array::from_fn(|i| cell(set, i)));
        begin.filter(|cells| self.keeps(cells)).collect()
    }

    /// The cells of a board, which is given as digits.
    pub(crate) fn cells(&self, board: u64) -> Cells {
        let mut cells = [0; 16];
        let digits = (0..self.cells).rev().map(|i| (board >> (4 * i) & 15) as u8);
        let digits = digits.map(|digit| match digit {
            15 if self.stones > 0 => STONE,
            tile => tile,
        });
        cells
            .iter_mut()
            .zip(digits)
            .for_each(|(cell, digit)| *cell = digit);
        cells
    }

    /// The indices of the empty cells.
    pub(crate) fn empty(&self, cells: &Cells) -> impl Iterator<Item = usize> {
        (0..self.cells).filter(|&i| cells[i] == 0)
    }

    /// The board with these cells, as digits.
    pub(crate) fn board(&self, cells: &Cells) -> u64 {
        digits(cells[..self.cells].iter().copied())
    }

    /// The images of a board under all symmetries, with repeats.
    pub(crate) fn images(&self, cells: &Cells) -> impl Iterator<Item = u64> {
        let images = self.images.iter();
        images.map(|image| digits(image.iter().map(|&i| cells[i])))
    }

    pub(crate) fn canonical(&self, cells: &Cells) -> u64 {
        self.images(cells).min().unwrap()
    }

    /// The result of a move; `None` if the move is illegal.
    pub(crate) fn moved(&self, cells: &Cells, direction: Direction) -> Option<Moved> {
        let (mut after, mut earned, mut won) = ([0; 16], 0, false);
        for line in &self.lines[direction as usize] {
            let mut tiles = line.iter().map(|&i| cells[i]).filter(|&e| e > 0).peekable();
            for &i in line {
                let Some(tile) = tiles.next() else { break };
                after[i] = tile;
                if tile != STONE && tiles.next_if_eq(&tile).is_some() {
                    after[i] += 1;
                    earned += 1 << after[i];
                    won |= Some(after[i]) == self.win;
                }
            }
        }
        if self.targets != 0 {
            let is_target = |i: usize| self.targets >> (self.cells - 1 - i) & 1 == 1;
            won = (0..self.cells).any(|i| is_target(i) && Some(after[i]) == self.win);
        }
        let is_legal = after != *cells && self.keeps(&after);
        is_legal.then_some(Moved { after, earned, won })
    }

    /// The results of all legal moves.
    pub(crate) fn moves(&self, cells: &Cells) -> impl Iterator<Item = Moved> {
        let directions = Direction::ALL.into_iter();
        directions.filter_map(|direction| self.moved(cells, direction))
    }

    /// The boards after `tile` spawns in each empty cell.
    pub(crate) fn spawns(&self, cells: &Cells, tile: u8) -> impl Iterator<Item = Cells> {
        self.empty(cells).map(move |i| {
            let mut board = *cells;
            board[i] = tile;
            board
        })
    }
}

/// The image of a set of cells.
fn moved_set(set: usize, image: &[usize], cells: usize) -> usize {
    image
        .iter()
        .fold(0, |all, &i| all << 1 | set >> (cells - 1 - i) & 1)
}

fn digits(cells: impl Iterator<Item = u8>) -> u64 {
    cells.fold(0, |board, cell| board << 4 | u64::from(cell & 15))
}
