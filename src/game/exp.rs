//! A tile's exponent as a type of its own.

/// A tile by its exponent: 1 is the tile 2, 16 the tile 65536; 0 is an empty cell.
///
/// Boards, rules and layers use exponents; people and tables use values. A type of its own keeps an
/// exponent from being taken for a value.
///
/// ```
/// use enum48::game::Exp;
/// let exp = Exp::of_tile(32).unwrap();
/// assert_eq!((exp.get(), exp.tile()), (5, 32));
/// assert_eq!(Exp::of_tile(33), None);
/// assert_eq!(Exp::EMPTY.tile(), 0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Exp(u8);

impl Exp {
    /// An empty cell.
    pub const EMPTY: Self = Self(0);
    /// The tile 2.
    pub const TWO: Self = Self(1);
    /// The tile 4.
    pub const FOUR: Self = Self(2);
    /// The tile 65536, the largest that can win. It has no hexadecimal digit.
    pub const LAST: Self = Self(16);

    /// An exponent from 0 to 16.
    pub const fn new(exp: u8) -> Option<Self> {
        if exp <= Self::LAST.0 {
            Some(Self(exp))
        } else {
            None
        }
    }

    /// The exponent of a tile: a power of two from 2 to 65536.
    pub const fn of_tile(tile: u32) -> Option<Self> {
        if tile.is_power_of_two() && tile >= 2 && tile <= Self::LAST.tile() {
            Some(Self(tile.trailing_zeros() as u8))
        } else {
            None
        }
    }

    /// The exponent in the last digit of `digits`.
    #[inline(always)]
    pub(crate) const fn of_digit(digits: u64) -> Self {
        Self((digits & 15) as u8)
    }

    /// The exponent as a number.
    #[inline(always)]
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The tile's value, 0 for an empty cell.
    #[inline(always)]
    pub const fn tile(self) -> u32 {
        (1 << self.0) & !1
    }

    /// The tile twice as large, made by merging two of these tiles.
    ///
    /// # Panics
    ///
    /// If this is the tile 65536.
    #[must_use]
    pub fn next(self) -> Self {
        Self::new(self.0 + 1).expect("no merge makes a tile beyond 65536")
    }

    /// All tiles from 2 up to this one.
    pub fn up_to(self) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (1..=self.0).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_become_exponents_and_exponents_tiles() {
        for (exp, tile) in [(1, 2), (2, 4), (10, 1024), (15, 32768), (16, 65536)] {
            assert_eq!(Exp::new(exp), Exp::of_tile(tile));
            assert_eq!(Exp::new(exp).unwrap().tile(), tile);
        }
        for none in [0, 1, 3, 65535, 131_072, u32::MAX] {
            assert_eq!(Exp::of_tile(none), None, "{none}");
        }
        assert_eq!(Exp::new(17), None);
    }

    #[test]
    fn the_tiles_up_to_8_are_2_4_and_8() {
        let tiles: Vec<u32> = Exp::of_tile(8).unwrap().up_to().map(Exp::tile).collect();
        assert_eq!(tiles, [2, 4, 8]);
        assert_eq!(Exp::EMPTY.up_to().count(), 0);
    }
}
