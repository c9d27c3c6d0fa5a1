//! Parts of a layer that are counted together, and the afterstates that their states lead to.

use std::mem;

use super::frontier::Frontier;
use super::lists::{Candidates, Lists, MoveSink};
use crate::game::{Exp, PartKey};
use crate::part::Kind;

/// Parts of a layer that are counted together, with the candidates for their afterstates.
pub(super) struct Group<'a> {
    sum: u32,
    /// The largest tiles of the parts.
    tiles: &'a [Exp],
    /// Afterstates of each part, and of the part above the last. They come from the states of a
    /// part and of the part below it.
    afterstates: Vec<Option<Candidates>>,
}

impl<'a> Group<'a> {
    /// Collect the afterstates of the parts with these largest tiles. `merged` has the afterstates
    /// that merges below the group made.
    pub(super) fn collect(
        sum: u32,
        tiles: &'a [Exp],
        merged: Option<Candidates>,
        frontier: &Frontier,
        lists: &Lists,
    ) -> Self {
        let mut afterstates = vec![merged];
        for &max in tiles {
            afterstates.push(None);
            if frontier.leads_to(PartKey { sum, max }) {
                let [.., own, above] = &mut afterstates[..] else {
                    unreachable!("two entries were just pushed")
                };
                own.get_or_insert_with(|| lists.collect(Kind::Afterstates, max));
                *above = Some(lists.collect(Kind::Afterstates, max.next()));
            }
        }
        Self {
            sum,
            tiles,
            afterstates,
        }
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = PartKey> {
        let keys = self.tiles.iter();
        keys.map(|&max| PartKey { sum: self.sum, max })
    }

    /// The sink for the afterstates of a part's states.
    pub(super) fn sink(&self, key: PartKey) -> MoveSink<'_> {
        let place = self.tiles.iter().position(|&max| max == key.max);
        let place = place.expect("the part belongs to the group");
        let collected = |place: usize| {
            let candidates = self.afterstates[place].as_ref();
            candidates.expect("afterstates of a part that has states are collected")
        };
        MoveSink::new(key.max, collected(place), collected(place + 1))
    }

    /// The complete afterstates of the parts, and the afterstates that merges made for the part
    /// above.
    pub(super) fn into_afterstates(mut self) -> (Vec<(PartKey, Candidates)>, Option<Candidates>) {
        let above = self.afterstates.pop().flatten();
        let own = mem::take(&mut self.afterstates).into_iter();
        let own = self.keys().zip(own);
        let own = own.filter_map(|(key, candidates)| Some((key, candidates?)));
        (own.collect(), above)
    }
}
