//! Looks up the values of boards in the files of a solution.

use std::sync::Arc;

use super::goal::{Payoff, check_solved};
use super::layer::columns;
use crate::cache::{Cache, OPEN_FILES, weight_of_files};
use crate::error::{Result, SolvingError};
use crate::game::{Board, Direction, Exp, Game, Moved, Objective, PartKey, Turned};
use crate::part::{Decoder, Kind, ValueColumn};
use crate::read::{Lookup, Reader};
use crate::store::{Goal, Solution};
use crate::witness::{Predecessors, Step, is_spawned};

/// Finds the values of moves in the files of a solution. Decoded blocks are kept, up to a bound,
/// because the next question often needs one of them. It is faster to ask for many boards in
/// order of their sum.
///
/// ```
/// use enum48::engine::{self, Plan};
/// use enum48::read::Reader;
/// use enum48::solve::{self, Values};
/// use enum48::store::{Keep, Rounding, SolutionStore, Store};
///
/// let game = enum48::Game::new("2".parse()?, Some(32))?;
/// let place = tempfile::tempdir().unwrap();
/// let plan = Plan::new(256 << 20, 2)?;
/// let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates))?;
/// engine::count(&mut store, &plan, None, &mut engine::Silent)?;
/// drop(store); // a directory can be open in only one store at a time
///
/// let mut store = SolutionStore::open(place.path())?;
/// let goal = solve::goal(store.solution().run(), "32".parse()?, None, Rounding::Nearest)?;
/// solve::solve(&mut store, &[goal], &plan, &mut engine::Silent)?;
///
/// let reader = Reader::new(store.solution().run().clone(), &plan);
/// let mut values = Values::new(store.solution(), &reader, &[goal], 16 << 20)?;
/// // The chance to win, as published in the tests of jdleesmiller/twenty48.
/// assert!((values.start()?[0].all - 0.08288728907155415).abs() < 1e-8);
/// // On 4 4 / 2 2, the moves to the left and to the right lead to mirror images.
/// let moves = values.moves(0x2211)?;
/// assert_eq!(moves[0].numbers, moves[1].numbers);
/// # Ok::<(), enum48::Error>(())
/// ```
pub struct Values<'a> {
    solution: &'a Solution,
    payoffs: Vec<Payoff>,
    afterstates: Lookup,
    /// The open files of a part, one for each goal; `None` if it is not solved for all goals.
    columns: Cache<PartKey, Option<Arc<Vec<ValueColumn>>>>,
    /// The values of a block, for each goal.
    values: Cache<(PartKey, usize), Arc<Vec<Vec<u32>>>>,
    decoder: Decoder,
    /// Made when the first won board is asked for.
    predecessors: Option<Predecessors>,
}

/// A legal move and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveValue {
    /// The direction of the move.
    pub direction: Direction,
    /// The board after the move, not canonical. It has the winning tile if the move wins.
    pub after: Board,
    /// For each goal, the value if all later moves are the best for this goal, in units of the
    /// goal. Compare it only with other moves of the board.
    pub units: Vec<u32>,
    /// For each goal, the value as a number: the expected score from the board on, the expected
    /// number of moves from this move on, or the chance of a tile.
    pub numbers: Vec<f64>,
}

/// An orientation of a board, its moves, turned back to the board, and its value for each goal.
pub(crate) type TurnedWorth = (Turned, Vec<MoveValue>, Vec<f64>);

/// The value of a game at its start, for one goal.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Start {
    /// The mean over all starts: two cells, each with a 2 or, at the goal's rate, a 4. For a tile to
    /// be forced, 1 if it can be forced from every start.
    pub all: f64,
    /// The mean over the starts with two 2s; for a tile to be forced, 1 if it can be forced from all.
    pub two_2s: f64,
    /// The greatest value of a start that is possible at the goal's rate of 4s.
    pub best: f64,
    /// The least value of a start that is possible at the goal's rate of 4s.
    pub worst: f64,
}

impl<'a> Values<'a> {
    /// Look up values for some goals of a solution, of which `reader` reads the run. Keeps about
    /// `memory` bytes of decoded blocks.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Goal`] for a goal that is not in [`Solution::goals`];
    /// [`Error::Zstd`](crate::Error::Zstd) if no decoder can be started.
    pub fn new(
        solution: &'a Solution,
        reader: &Reader,
        goals: &[Goal],
        memory: u64,
    ) -> Result<Self> {
        Self::for_thread(solution, reader, goals, (memory, 1))
    }

    /// Like [`Values::new`], for one of some threads, which share the memory and the number of open
    /// files.
    ///
    /// # Errors
    ///
    /// As for [`Values::new`].
    pub(super) fn for_thread(
        solution: &'a Solution,
        reader: &Reader,
        goals: &[Goal],
        (memory, threads): (u64, usize),
    ) -> Result<Self> {
        check_solved(solution, goals)?;
        let (afterstate, values) = (size_of::<Board>(), goals.len() * size_of::<u32>());
        let share = memory / threads as u64 / (afterstate + values) as u64;
        let files = OPEN_FILES / (threads * (1 + goals.len())) as u64;
        Ok(Self {
            solution,
            payoffs: Payoff::all(goals, solution.run().game()),
            afterstates: Lookup::with_files(reader, share * afterstate as u64, files)?,
            columns: Cache::of_files(files * goals.len() as u64),
            values: Cache::new(share * values as u64),
            decoder: Decoder::new()?,
            predecessors: None,
        })
    }

    /// The solution.
    pub fn solution(&self) -> &'a Solution {
        self.solution
    }

    /// The goals, in the order of the values.
    pub fn goals(&self) -> impl Iterator<Item = Goal> {
        self.payoffs.iter().map(|payoff| payoff.goal)
    }

    /// The game.
    pub fn game(&self) -> &Game {
        self.solution.run().game()
    }

    /// The moves of a board that the run reaches, none if the game is over; and for each goal the
    /// value of the board under the best play, as a number.
    ///
    /// # Errors
    ///
    /// As for [`Values::moves`].
    pub fn judge(&mut self, board: Board) -> Result<(Vec<MoveValue>, Vec<f64>)> {
        let moves = match self.game().is_won(board) {
            false => self.moves(board)?,
            true => Vec::new(),
        };
        let worth = |(goal, payoff): (usize, &Payoff)| {
            let best = moves.iter().max_by_key(|of| of.units[goal]);
            best.map_or_else(
                || payoff.number(board, payoff.ended(board)),
                |best| best.numbers[goal],
            )
        };
        let worth = self.payoffs.iter().enumerate().map(worth).collect();
        Ok((moves, worth))
    }

    /// Judge a board in the orientation with a legal move and the greatest value for the first goal. Only
    /// orientations count that keep a mask of the game and that the run reaches; `None` without one. The
    /// moves are turned back.
    ///
    /// # Errors
    ///
    /// As for [`Values::moves`].
    pub(crate) fn judge_turned(&mut self, board: Board) -> Result<Option<TurnedWorth>> {
        let game = *self.game();
        let mut best: Option<TurnedWorth> = None;
        for turned in game.turned(board) {
            if !self.reached(turned.board)? {
                continue;
            }
            let (mut moves, worth) = self.judge(turned.board)?;
            // With target cells, a board that goes on can be won in another orientation.
            let rank = |moves: &[MoveValue], worth: &[f64]| (!moves.is_empty(), worth[0]);
            if best
                .as_ref()
                .is_some_and(|(_, others, best)| rank(others, best) >= rank(&moves, &worth))
            {
                continue;
            }
            for of in &mut moves {
                of.direction = turned.direction_back(of.direction);
                of.after = turned.board_back(of.after);
            }
            moves.sort_by_key(|of| of.direction as u8);
            best = Some((turned, moves, worth));
        }
        Ok(best)
    }

    /// The legal moves of a board in any orientation, in order of their directions.
    ///
    /// # Errors
    ///
    /// [`SolvingError::Absent`] if a move leads to an afterstate that the run did not reach;
    /// damaged files.
    pub fn moves(&mut self, board: Board) -> Result<Vec<MoveValue>> {
        let game = *self.game();
        let mut moves = Vec::new();
        // Winning moves need their boards, too, so no tile is treated as winning.
        let moved = game.rules().moves(board, Exp::LAST);
        for (direction, moved) in Direction::ALL.into_iter().zip(moved) {
            let Moved::To(after) = moved else {
                continue;
            };
            let values = if game.is_won(after) {
                let ended = |payoff: &Payoff| payoff.ended(after);
                self.payoffs.iter().map(ended).collect()
            } else {
                self.afterstate(after)?
            };
            let (mut units, mut numbers) = (Vec::new(), Vec::new());
            for (payoff, value) in self.payoffs.iter().zip(values) {
                let value = value.saturating_add(payoff.step);
                units.push(value);
                numbers.push(payoff.number(board, value));
            }
            moves.push(MoveValue {
                direction,
                after,
                units,
                numbers,
            });
        }
        Ok(moves)
    }

    /// The value of the game at its start, for each goal.
    ///
    /// # Errors
    ///
    /// Damaged files.
    pub fn start(&mut self) -> Result<Vec<Start>> {
        let game = *self.game();
        let mut starts = Vec::new();
        // A start of sum 4 + 2k has k 4s and 2 - k 2s.
        for fours in 0..3 {
            for state in game.starts(4 + 2 * fours) {
                // All images of a start are equally likely.
                let images = game.rules().census(&mut vec![state]).labeled as f64;
                starts.push((fours, images, state, self.state(state)?));
            }
        }
        let start = |(goal, payoff): (usize, &Payoff)| {
            let (mut totals, mut counts) = ([0.0; 3], [0.0; 3]);
            let (mut worst, mut best) = (f64::INFINITY, 0.0_f64);
            let [two, four] = payoff.weights;
            for &(fours, images, state, ref units) in &starts {
                let number = payoff.number(state, units[goal]);
                totals[fours as usize] += images * number;
                counts[fours as usize] += images;
                if two.pow(2 - fours) * four.pow(fours) > 0 {
                    (worst, best) = (worst.min(number), best.max(number));
                }
            }
            let [twos, mixed, fours] = [0, 1, 2].map(|at| totals[at] / counts[at]);
            let [two, four] = [two, four].map(|weight| weight as f64);
            let mean = two * two * twos + 2.0 * two * four * mixed + four * four * fours;
            let (all, two_2s) = match payoff.goal.objective {
                Objective::Sure(_) => (worst, twos.floor()),
                _ => (mean / (two + four).powi(2), twos),
            };
            Start {
                all,
                two_2s,
                best,
                worst,
            }
        };
        Ok(self.payoffs.iter().enumerate().map(start).collect())
    }

    /// The value of a state, in units of each goal.
    fn state(&mut self, board: Board) -> Result<Vec<u32>> {
        let moves = self.moves(board)?;
        let value = |(goal, payoff): (usize, &Payoff)| {
            let units = moves.iter().map(|of| of.units[goal]);
            units.max().unwrap_or_else(|| payoff.ended(board))
        };
        Ok(self.payoffs.iter().enumerate().map(value).collect())
    }

    /// Whether the run reaches a board in any orientation: the board is a start, or follows from an
    /// afterstate of the run by a spawn. A won board must follow from such a board by a winning
    /// move.
    ///
    /// # Errors
    ///
    /// Damaged files.
    pub fn reached(&mut self, board: Board) -> Result<bool> {
        let game = *self.game();
        if !game.is_won(board) {
            return is_spawned(&mut self.afterstates, board);
        }
        let predecessors = self
            .predecessors
            .get_or_insert_with(|| Predecessors::new(&game));
        // The steps to a won board are winning moves.
        let steps: Vec<Step> = predecessors.steps(board).collect();
        for board in steps.into_iter().flat_map(|step| step.before) {
            if self.reached(board)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The values of an afterstate that does not win.
    fn afterstate(&mut self, board: Board) -> Result<Vec<u32>> {
        let game = *self.game();
        let absent = || SolvingError::Absent {
            sum: game.sum(board),
            afterstate: game.canonical(board),
        };
        let key = game.part_of(board);
        // The part stays open, so that no look-up unpacks its layer.
        let stop = self.afterstates.reader().stop().clone();
        let part = self.afterstates.part(Kind::Afterstates, key, &stop)?;
        let position = self.afterstates.position(Kind::Afterstates, board)?;
        let position = position.ok_or_else(absent)?;
        let columns = self.columns.get_or_make(key, || {
            let columns = part.map(|part| columns(self.solution, &self.payoffs, &part));
            let columns = columns.transpose()?.flatten();
            let files = columns.iter().flatten().map(ValueColumn::open_files);
            let weight = weight_of_files(files.sum());
            Ok((columns.map(Arc::new), weight))
        })?;
        let columns = columns.ok_or_else(absent)?;
        let size = columns.first().map_or(1, ValueColumn::block_size);
        let (block, at) = ((position / size) as usize, (position % size) as usize);
        let values = self.values.get_or_make((key, block), || {
            let mut values = vec![Vec::new(); columns.len()];
            for (values, column) in values.iter_mut().zip(&*columns) {
                column.read_block(block, &mut self.decoder, values)?;
            }
            let number: usize = values.iter().map(Vec::len).sum();
            Ok((Arc::new(values), (number * size_of::<u32>()) as u64))
        })?;
        Ok(values.iter().map(|values| values[at]).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{self, Plan, Silent};
    use crate::game::images;
    use crate::part::Stream;
    use crate::solve::{StateValues, goal, parts, solve};
    use crate::store::{Keep, Rounding, SolutionStore, Store};
    use tempfile::TempDir;

    /// 2x2 to 32, solved for the score with some bits after the binary point, at a rate of 4s.
    fn solved(fraction: Option<u32>, four: &str) -> (TempDir, Goal) {
        solved_game("2x2-32", fraction, four)
    }

    fn solved_game(game: &str, fraction: Option<u32>, four: &str) -> (TempDir, Goal) {
        let place = tempfile::tempdir().unwrap();
        let plan = Plan::new(64 << 20, 1).unwrap();
        let game = game.parse().unwrap();
        let mut store = Store::open(place.path(), &game, Some(Keep::Afterstates)).unwrap();
        engine::count(&mut store, &plan, None, &mut Silent).unwrap();
        drop(store);
        let mut store = SolutionStore::open(place.path()).unwrap();
        let run = store.solution().run();
        let goal = goal(run, Objective::Score, fraction, Rounding::Nearest).unwrap();
        let goal = goal.with_four(four.parse().unwrap());
        solve(&mut store, &[goal], &plan, &mut Silent).unwrap();
        (place, goal)
    }

    fn reader(solution: &Solution) -> Reader {
        Reader::new(solution.run().clone(), &Plan::new(64 << 20, 1).unwrap())
    }

    /// One of three stones is free, so a board can keep the mask in several orientations.
    #[test]
    fn a_board_is_judged_in_the_orientation_of_the_greatest_value() {
        let (place, goal) = solved_game("3x3free6lockff-16", None, "1/10");
        let solution = Solution::open(place.path()).unwrap();
        let reader = reader(&solution);
        let mut values = Values::new(&solution, &reader, &[goal], 16 << 20).unwrap();
        let (mut boards, mut turned, mut better) = (0, 0, 0);
        for key in solution.run().parts(Kind::Afterstates).step_by(3) {
            let part = reader.part(Kind::Afterstates, key).unwrap().unwrap();
            for after in Stream::over(vec![part]).unwrap().step_by(17) {
                let state = values
                    .game()
                    .spawns(after.unwrap(), Exp::TWO)
                    .next()
                    .unwrap();
                let images = images::<3, 3>(state);
                let mut worth = [0.0; 8];
                for (worth, &image) in worth.iter_mut().zip(&images) {
                    if image & 0xff == 0xff && values.reached(image).unwrap() {
                        *worth = values.judge(image).unwrap().1[0];
                    }
                }
                let greatest = worth.into_iter().fold(0.0, f64::max);
                better += u32::from(worth[0] < greatest);
                for image in images {
                    let (chosen, moves, worth) = values.judge_turned(image).unwrap().unwrap();
                    assert_eq!(worth, [greatest], "{image:#x}");
                    assert_eq!(chosen.board & 0xff, 0xff);
                    turned += u32::from(chosen.board != image);
                    let best = moves.iter().map(|of| of.numbers[0]).fold(0.0, f64::max);
                    assert!(moves.is_empty() || best == greatest);
                    assert!(moves.is_sorted_by_key(|of| of.direction as u8));
                }
                boards += 1;
            }
        }
        assert!(
            boards > 100 && better > 5 && turned > boards,
            "{boards} {better} {turned}"
        );
        // Its stones keep no mask, or the run does not reach it.
        for board in [0xf01_0f0_00f, 0x100_000_0ff] {
            assert!(values.judge_turned(board).unwrap().is_none());
        }
    }

    #[test]
    fn a_goal_that_is_not_of_the_solution_is_refused() {
        let (place, solved) = solved(Some(8), "1/10");
        let solution = Solution::open(place.path()).unwrap();
        let wanted = |objective, fraction, rounding| {
            goal(solution.run(), objective, fraction, rounding).unwrap()
        };
        let (score, nearest) = (Objective::Score, Rounding::Nearest);
        assert_eq!(wanted(score, Some(8), nearest), solved);
        assert!(Values::new(&solution, &reader(&solution), &[solved], 0).is_ok());
        for (wanted, said) in [
            (
                wanted(score, None, nearest),
                "score is solved with 8 bits after the point, not 24",
            ),
            (
                wanted(score, Some(8), Rounding::Up),
                "score is solved with values rounded to the nearest, not up",
            ),
            (
                solved.with_four("1/5".parse().unwrap()),
                "score is solved for 4s at a rate of 1/10, not 1/5",
            ),
            (
                wanted(Objective::Moves, None, nearest),
                "solved for score, not for moves",
            ),
        ] {
            let goals = [solved, wanted];
            for refused in [
                Values::new(&solution, &reader(&solution), &goals, 0).err(),
                StateValues::new(&solution, &reader(&solution), &goals).err(),
                parts(&solution, &reader(&solution), &goals).err(),
            ] {
                let refused = refused.unwrap().to_string();
                assert!(refused.contains(said), "{refused}");
            }
        }
    }

    #[test]
    fn only_possible_starts_are_the_best_and_the_worst() {
        // Every start has two 2s, or two 4s.
        for (four, sum) in [("0", 4), ("1", 8)] {
            let (place, goal) = solved(None, four);
            let solution = Solution::open(place.path()).unwrap();
            let mut values = Values::new(&solution, &reader(&solution), &[goal], 0).unwrap();
            let start = values.start().unwrap()[0];
            let mut possible = Vec::new();
            for state in values.game().starts(sum) {
                let units = values.state(state).unwrap();
                possible.push(values.payoffs[0].number(state, units[0]));
            }
            possible.sort_by(f64::total_cmp);
            assert_eq!(Some(&start.worst), possible.first(), "{four}");
            assert_eq!(Some(&start.best), possible.last(), "{four}");
            assert!(
                start.worst <= start.all && start.all <= start.best,
                "{four}"
            );
        }
    }
}
