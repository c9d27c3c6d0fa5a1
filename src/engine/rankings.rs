//! The ranks of the parts of layers.
//!
//! Key idea: tables for a largest tile serve many sums, so they are kept from layer to layer. A ranking of
//! one sum is little work beside them.

use std::sync::Arc;

use crate::game::rank::{RankTables, Ranking};
use crate::game::{Exp, Game, PartKey};

/// The last ranking of each largest tile, with its sum.
pub(crate) struct Rankings {
    game: Game,
    last: [Option<(u32, Arc<Ranking>)>; Exp::LAST.get() as usize + 1],
}

impl Rankings {
    /// No ranking is made before it is asked for.
    pub(crate) fn new(game: &Game) -> Self {
        Self {
            game: *game,
            last: Default::default(),
        }
    }

    /// The ranks of the boards of a part. The winning tile counts as the largest tile of the game.
    pub(crate) fn of(&mut self, PartKey { sum, max }: PartKey) -> Arc<Ranking> {
        let (max, size) = (max.min(self.game.top()), self.game.size());
        let last = &mut self.last[usize::from(max.get())];
        if last.as_ref().is_none_or(|(of_sum, _)| *of_sum != sum) {
            let tables = last.take().map(|(_, ranking)| Arc::clone(ranking.tables()));
            let tables = tables.filter(|tables| tables.most() >= sum);
            // Tables for twice the sum serve many layers.
            let most = (size.tile_cells() << max.get()).min(2 * sum);
            let tables = tables.unwrap_or_else(|| RankTables::new(size, max, most));
            *last = Some((sum, Arc::new(tables.of_sum(sum))));
        }
        let (_, ranking) = last.as_ref().expect("a ranking was made");
        Arc::clone(ranking)
    }
}
