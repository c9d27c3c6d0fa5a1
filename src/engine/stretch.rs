//! Sorted pieces, read as if they lay end to end.

/// See the module.
pub(crate) struct Stretch<'a> {
    pieces: Vec<&'a [u64]>,
    /// Where each piece begins, and where the last one ends.
    starts: Vec<usize>,
}

impl<'a> Stretch<'a> {
    /// The pieces in order.
    pub(crate) fn new(pieces: impl Iterator<Item = &'a [u64]>) -> Self {
        let pieces: Vec<_> = pieces.collect();
        let mut starts = vec![0];
        for piece in &pieces {
            starts.push(starts[starts.len() - 1] + piece.len());
        }
        Self { pieces, starts }
    }

    /// Number of states.
    pub(crate) fn len(&self) -> usize {
        self.starts[self.pieces.len()]
    }

    /// The states from `from` to `to`: in place if one piece has them, else gathered in `copy`.
    pub(crate) fn slice<'b>(&self, from: usize, to: usize, copy: &'b mut Vec<u64>) -> &'b [u64]
    where
        'a: 'b,
    {
        let piece = self.piece_of(from);
        if piece < self.pieces.len() && to <= self.starts[piece + 1] {
            return &self.pieces[piece][from - self.starts[piece]..to - self.starts[piece]];
        }
        copy.clear();
        self.copy(from, to, copy);
        copy
    }

    /// Append the states from `from` to `to` to `out`.
    pub(crate) fn copy(&self, mut from: usize, to: usize, out: &mut Vec<u64>) {
        let mut piece = self.piece_of(from);
        while from < to {
            let start = self.starts[piece];
            let end = to.min(self.starts[piece + 1]);
            out.extend_from_slice(&self.pieces[piece][from - start..end - start]);
            from = end;
            piece += 1;
        }
    }

    /// The piece that a place is in; the one after the last for the end.
    fn piece_of(&self, place: usize) -> usize {
        self.starts.partition_point(|&start| start <= place) - 1
    }
}
