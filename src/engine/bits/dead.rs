//! Finds the dead states of a row.

use super::kernels::{BitLine, bit};
use super::tables::Tables;

/// Make a mask of the dead states of a row, whose top half is at `position`: neither half has a move,
/// and no tiles are equal where the halves meet. The mask is empty if no state can be dead.
pub(crate) fn mark_dead(
    row: &[BitLine],
    position: u32,
    rows: &Tables,
    columns: &Tables,
    mask: &mut Vec<BitLine>,
) {
    mask.clear();
    if !bit(&rows.census.stuck, position) {
        return;
    }
    let cells = rows.class.half(position).cells();
    let census = &columns.census;
    let [a, b, c, d] =
        [0, 1, 2, 3].map(|column| &census.inner_differs[column][usize::from(cells[4 + column])]);
    let row = row.iter().enumerate();
    mask.extend(row.map(|(line, row)| {
        let masks = [&census.stuck, a, b, c, d].map(|mask| mask[line].0);
        let mut dead = *row;
        for (i, dead) in dead.0.iter_mut().enumerate() {
            *dead &= masks.iter().fold(u64::MAX, |all, mask| all & mask[i]);
        }
        dead
    }));
}
