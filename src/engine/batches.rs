//! How the tasks of jobs are cut into batches.

use std::ops::Range;

/// Tasks of one job in a batch.
#[derive(Clone)]
pub(super) struct Piece {
    pub(super) job: usize,
    pub(super) tasks: Range<usize>,
    /// The slot of the first task in the batch.
    pub(super) slot: usize,
    /// Whether they are the last of the job.
    pub(super) last: bool,
}

impl Piece {
    /// The slots of its tasks.
    pub(super) fn slots(&self) -> Range<usize> {
        self.slot..self.slot + self.tasks.len()
    }
}

/// Cut the tasks of all jobs, of these sizes, in order into batches of up to `most` together.
pub(super) fn batches(sizes: &[Vec<usize>], most: usize) -> Vec<Vec<Piece>> {
    let mut begins = vec![0];
    for tasks in sizes {
        begins.push(begins[begins.len() - 1] + tasks.len());
    }
    let cut = |batch: Range<usize>| {
        let pieces = (0..sizes.len()).map(|job| {
            let (from, to) = (begins[job].max(batch.start), begins[job + 1].min(batch.end));
            Piece {
                job,
                tasks: from.saturating_sub(begins[job])..to.saturating_sub(begins[job]),
                slot: from - batch.start,
                last: to == begins[job + 1],
            }
        });
        pieces.filter(|piece| !piece.tasks.is_empty()).collect()
    };
    stretches(&sizes.concat(), most)
        .into_iter()
        .map(cut)
        .collect()
}

/// Cut things of these sizes, in order, into stretches of up to `most` together, or of one that is
/// larger.
pub(crate) fn stretches(sizes: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut stretches = Vec::new();
    let mut begin = 0;
    while begin < sizes.len() {
        let mut together = 0;
        let fits = |&&size: &&usize| {
            together += size;
            together <= most
        };
        let end = begin + sizes[begin..].iter().take_while(fits).count().max(1);
        stretches.push(begin..end);
        begin = end;
    }
    stretches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_stretches_of_large_jobs_and_many_small_ones() {
        let sizes = [vec![5, 5], vec![], vec![1], vec![2, 9, 3]];
        let of = |piece: &Piece| (piece.job, piece.tasks.clone(), piece.slots(), piece.last);
        let found: Vec<Vec<_>> = batches(&sizes, 8)
            .iter()
            .map(|batch| batch.iter().map(of).collect())
            .collect();
        let expected = vec![
            vec![(0, 0..1, 0..1, false)],
            vec![
                (0, 1..2, 0..1, true),
                (2, 0..1, 1..2, true),
                (3, 0..1, 2..3, false),
            ],
            vec![(3, 1..2, 0..1, false)],
            vec![(3, 2..3, 0..1, true)],
        ];
        assert_eq!(found, expected);
        assert!(batches(&[vec![], vec![]], 8).is_empty());
    }

    #[test]
    fn stretches_are_as_long_as_they_may_be() {
        let sizes = [3, 4, 0, 9, 5, 5, 1];
        assert_eq!(stretches(&sizes, 7), [0..3, 3..4, 4..5, 5..7]);
        assert_eq!(stretches(&sizes, 26), [0..6, 6..7]);
        assert!(
            stretches(&sizes, 0)
                .into_iter()
                .eq((0..7).map(|at| at..at + 1))
        );
        assert!(stretches(&[], 7).is_empty());
    }
}
