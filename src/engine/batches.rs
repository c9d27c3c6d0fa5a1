//! Cuts the tasks of parts into batches.

use std::ops::Range;

/// The tasks of one part in a batch.
#[derive(Clone)]
pub(super) struct BatchShare {
    pub(super) part: usize,
    pub(super) tasks: Range<usize>,
    /// The slot of the first task in the batch.
    pub(super) slot: usize,
    /// Whether the part ends with these tasks.
    pub(super) last: bool,
}

impl BatchShare {
    /// The slots of its tasks.
    pub(super) fn slots(&self) -> Range<usize> {
        self.slot..self.slot + self.tasks.len()
    }
}

/// Cut the tasks of all parts, in order, into batches. `sizes` has the sizes of each part's tasks.
/// The sizes of a batch add up to at most `most`, unless it is a single task.
pub(super) fn batches(sizes: &[Vec<usize>], most: usize) -> Vec<Vec<BatchShare>> {
    let mut begins = vec![0];
    for tasks in sizes {
        begins.push(begins[begins.len() - 1] + tasks.len());
    }
    let cut = |batch: Range<usize>| {
        let shares = (0..sizes.len()).map(|part| {
            let (from, to) = (
                begins[part].max(batch.start),
                begins[part + 1].min(batch.end),
            );
            BatchShare {
                part,
                tasks: from.saturating_sub(begins[part])..to.saturating_sub(begins[part]),
                slot: from - batch.start,
                last: to == begins[part + 1],
            }
        });
        shares.filter(|share| !share.tasks.is_empty()).collect()
    };
    ranges(&sizes.concat(), most).into_iter().map(cut).collect()
}

/// Cut items of these sizes, in order, into ranges whose sizes add up to at most `most`. A larger
/// item is a range of its own.
pub(crate) fn ranges(sizes: &[usize], most: usize) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut begin = 0;
    while begin < sizes.len() {
        let mut together = 0;
        let fits = |&&size: &&usize| {
            together += size;
            together <= most
        };
        let end = begin + sizes[begin..].iter().take_while(fits).count().max(1);
        ranges.push(begin..end);
        begin = end;
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_holds_tasks_of_a_large_part_or_many_small_parts() {
        let sizes = [vec![5, 5], vec![], vec![1], vec![2, 9, 3]];
        let of = |share: &BatchShare| (share.part, share.tasks.clone(), share.slots(), share.last);
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
    fn ranges_are_as_long_as_the_limit_allows() {
        let sizes = [3, 4, 0, 9, 5, 5, 1];
        assert_eq!(ranges(&sizes, 7), [0..3, 3..4, 4..5, 5..7]);
        assert_eq!(ranges(&sizes, 26), [0..6, 6..7]);
        assert!(
            ranges(&sizes, 0)
                .into_iter()
                .eq((0..7).map(|at| at..at + 1))
        );
        assert!(ranges(&[], 7).is_empty());
    }
}
