//! Simulated games that follow the solved values.

use std::cell::RefCell;

use enum48::game::Direction;
use enum48::solve::Values;
use enum48::store::Rounding;

use super::Counted;
use crate::exact::games::play;
use crate::plain::Plain;
use crate::read::reader;

#[test]
fn games_played_by_the_files_earn_the_solved_value() {
    for (rows, cols, win, fours) in [
        (2, 3, None, (1, 10)),
        (2, 4, Some(128), (1, 10)),
        (2, 4, Some(64), (3, 5)),
        (2, 3, None, (99, 100)),
        (3, 3, Some(64), (1, 10)),
        (3, 3, Some(32), (1, 4)),
    ] {
        let plain = Plain::new(rows, cols, win);
        let name = win.map_or(String::new(), |tile| format!("-{tile}"));
        let run = Counted::solved(
            &format!("{rows}x{cols}{name}"),
            &[&format!("score@{}/{}", fours.0, fours.1)],
            Rounding::Nearest,
        );
        let solution = run.solution();
        let goals: Vec<_> = solution.goals().collect();
        let mut values =
            Values::new(&solution, &reader(solution.run().clone()), &goals, 64 << 20).unwrap();
        let promised = values.start().unwrap()[0].all;
        let values = RefCell::new(values);
        let of = |state: u64, best: bool| -> Direction {
            let moves = values.borrow_mut().moves(state).unwrap();
            let by_value = moves
                .iter()
                .map(|made| (made.units[0], made.direction as u8));
            let order = if best { Iterator::max } else { Iterator::min };
            let (_, direction) = order(by_value).unwrap();
            Direction::ALL[usize::from(direction)]
        };
        let best = play(&plain, 4000, 1, fours, |state| of(state, true));
        assert!(
            best.above(promised).abs() < 4.0,
            "{name}: {best:?}, {promised}"
        );
        let worst = play(&plain, 4000, 1, fours, |state| of(state, false));
        assert!(
            worst.above(promised) < -4.0,
            "{name}: {worst:?}, {promised}"
        );
    }
}
