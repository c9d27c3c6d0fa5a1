//! The arguments of commands: numbers, games and boards, resources; and the line that refuses an
//! argument. Objectives have a file of their own.

pub(super) mod objectives;

use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail, ensure};
use clap::{Arg, Args, Command};

use crate::cli::out::talk;
use crate::engine::Plan;
use crate::game::{Board, Game, Grid, Size};
use crate::machine::{self, THREADS_PER_CORE};

/// A parser of whole numbers from `least` to `most`.
pub(in crate::cli) fn whole<T: FromStr + PartialOrd + Display + Clone>(
    least: T,
    most: T,
) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let number = text.parse().ok();
        let number = number.filter(|number| (&least..=&most).contains(&number));
        number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
    }
}

/// Parse the sum of a layer.
pub(in crate::cli) fn sum(text: &str) -> Result<u32, &'static str> {
    let sum = text.parse().ok();
    sum.filter(|sum| *sum >= 4 && sum % 2 == 0)
        .ok_or("not the sum of a layer: give an even number, 4 or more")
}

/// Parse the value of a tile. The game, or the run, tells which tiles it has.
pub(in crate::cli) fn tile(text: &str) -> Result<u32, &'static str> {
    text.parse().map_err(|_| "expected a tile, such as 64")
}

/// The words of a command, with options in the place of a game's name: 3x3-128 stands for `--size 3x3
/// --max 128`, and free8-128 or L3-128 for `--size free8 --max 128`. This holds for every subcommand that has these
/// options. For `check`, and for a subcommand that only reads a run, it stands for the run's directory.
pub(in crate::cli) fn with_game_options(words: Vec<OsString>, command: &Command) -> Vec<OsString> {
    let mut command = command;
    let mut written: Vec<OsString> = Vec::new();
    for word in words {
        let text = word.to_str().unwrap_or_default();
        let before = written.last().and_then(|word| word.to_str());
        let is_before = |arg: &Arg| {
            let long = arg.get_long().map(|name| format!("--{name}"));
            let short = arg.get_short().map(|name| format!("-{name}"));
            [long, short]
                .iter()
                .flatten()
                .any(|name| before == Some(name))
        };
        let mut options = command.get_arguments().filter(|arg| is_before(arg));
        let is_value = options.any(|option| option.get_action().takes_values());
        if let Some(subcommand) = command.find_subcommand(text).filter(|_| !is_value) {
            command = subcommand;
        }
        let has_size = command
            .get_arguments()
            .any(|arg| arg.get_long() == Some("size"));
        let reads_runs = command
            .get_positionals()
            .any(|arg| ["dir", "table"].contains(&arg.get_id().as_str()));
        let takes_paths = command.get_positionals().next().is_some();
        let is_path = takes_paths && Path::new(text).exists();
        let is_name = !is_value && !is_path;
        match game_options(text).filter(|_| is_name) {
            Some(_) if reads_runs => written.push(run_of(text).into()),
            Some([size, tile, horizon]) if has_size => {
                for (option, value) in [("--size", size), ("--max", tile), ("--horizon", horizon)] {
                    let value = value.map(|value| [option, value]);
                    written.extend(value.iter().flatten().map(OsString::from));
                }
            }
            _ => written.push(word),
        }
    }
    written
}

/// The directory of a run of a game, unless another is given.
pub(in crate::cli) fn run_of(game: &str) -> PathBuf {
    Path::new("enum48-data").join(game)
}

/// The size, the winning tile and the horizon in the name of a game; `None` for other words, such as boards.
fn game_options(name: &str) -> Option<[Option<&str>; 3]> {
    let (name, horizon) = match name.split_once("until") {
        Some((name, horizon)) => (name, Some(horizon)),
        None => (name, None),
    };
    let (size, tile) = match name.split_once('-') {
        Some((size, tile)) => (size, Some(tile)),
        None => (name, None),
    };
    let is_number =
        |text: &str| !text.is_empty() && text.bytes().all(|digit| digit.is_ascii_digit());
    let (sides, free) = match size.split_once("free") {
        Some((sides, free)) => (sides, Some(free)),
        None => (size, None),
    };
    let is_sides = match sides.split_once('x') {
        Some((rows, columns)) => is_number(rows) && is_number(columns) && !rows.starts_with('0'),
        None => sides.is_empty() && free.is_some(),
    };
    let has_masks = size
        .parse::<Size>()
        .is_ok_and(|size| !size.locks().is_none());
    let is_size = has_masks || is_sides && free.is_none_or(is_number);
    let are_numbers = [tile, horizon].into_iter().flatten().all(is_number);
    (is_size && are_numbers).then_some([Some(size), tile, horizon])
}

/// The line that refuses an argument: the message and the suggestion of clap.
pub(in crate::cli) fn refusal(refused: &clap::Error) -> String {
    let text = refused.render().to_string();
    let (mut parts, mut help) = (Vec::new(), "--help".to_owned());
    for paragraph in text.split("\n\n") {
        let words: Vec<&str> = paragraph.split_whitespace().collect();
        match words.split_first() {
            // No argument of the program begins with a dash.
            Some((&"tip:", ["to", "pass", ..])) => {}
            Some((&("error:" | "tip:"), said)) => parts.push(said.join(" ")),
            Some((&"Usage:", usage)) => {
                let is_name = |word: &&str| !word.starts_with(['[', '<', '-']);
                let command: Vec<&str> = usage.iter().copied().take_while(is_name).collect();
                help = format!("{} --help", command.join(" "));
            }
            _ => {}
        }
    }
    format!("{}: see {help}", parts.join(": "))
}

/// The stones of a game.
#[derive(Args)]
pub(in crate::cli) struct Stones {
    /// Number of stones: they slide but never merge, as the large tiles do at the end of 4x4. Without
    /// --size they are on 4x4: --stones 8 is the game free8. Or a mask, as '.... / .... / .xxx / .xxx' or in
    /// hexadecimal: a move must leave stones in all cells x of a mask; up to three masks can be given, and a
    /// number of stones, if some lie outside
    #[arg(long, value_name = "N|MASK")]
    stones: Vec<String>,

    /// The cells where the winning tile wins, in a game with stones, as '.... / .x.. / .... / ....' or in
    /// hexadecimal; elsewhere it is a tile like any other [default: those of the name, or any cell]
    #[arg(long, value_name = "CELLS")]
    target_at: Option<String>,

    /// In a game with stones, a board of this sum or more after a move is lost, unless it is won [default:
    /// some sum above the winning tile with target cells, else none]
    #[arg(long, value_name = "SUM")]
    horizon: Option<u32>,
}

impl Stones {
    /// The size that --size, --stones and --target-at name together, if any.
    pub(in crate::cli) fn on(&self, size: Option<Size>) -> anyhow::Result<Option<Size>> {
        let size = self.with_stones(size)?;
        let Some(text) = &self.target_at else {
            return Ok(size);
        };
        let size = size.context("--target-at: no board size: give --size or --stones")?;
        let targets = cells("--target-at", text, Some(size))?.0;
        Ok(Some(size.with_targets(targets)?))
    }

    /// Whether --horizon is given.
    pub(in crate::cli) fn has_horizon(&self) -> bool {
        self.horizon.is_some()
    }

    /// The game on a size that [`Stones::on`] returned.
    pub(in crate::cli) fn game(&self, size: Size, max: Option<u32>) -> anyhow::Result<Game> {
        let game = Game::new(size, max)?;
        Ok(match self.horizon {
            Some(horizon) => game.with_horizon(horizon)?,
            None => game,
        })
    }

    /// The size that --size and --stones name together, if any.
    fn with_stones(&self, size: Option<Size>) -> anyhow::Result<Option<Size>> {
        let is_number = |text: &&String| text.bytes().all(|digit| digit.is_ascii_digit());
        let (numbers, masks): (Vec<&String>, Vec<&String>) =
            self.stones.iter().partition(is_number);
        let mut board = size;
        let mut boards = Vec::new();
        for text in masks {
            let (mask, of) = cells("--stones", text, board)?;
            board = Some(of);
            boards.push(mask);
        }
        let board = board.map_or_else(|| Size::new(4, 4), Ok)?;
        let named = size.map_or(0, Size::stones);
        let stones = match (&numbers[..], boards.first()) {
            ([], None) => return Ok(size),
            ([], Some(_)) if named > 0 => named,
            ([], Some(mask)) => mask.count_ones() / 4,
            ([number], _) => number.parse().unwrap_or(u32::MAX),
            _ => bail!("--stones: expected one number of stones"),
        };
        let has_own =
            named > 0 && stones != named || !boards.is_empty() && !board.locks().masks().is_empty();
        ensure!(
            !has_own,
            "--stones: {board} has {named} stones of its own: leave one of the two away"
        );
        let size = board.with_stones(stones)?;
        Ok(Some(match &boards[..] {
            [] => size,
            masks => size.with_masks(masks)?,
        }))
    }
}

/// Read the cells that an option names, in hexadecimal or as `x` and `.`, which may stand side by side. The
/// board has this size. Without a size, hexadecimal is for 4x4, and a picture has the size that it shows.
fn cells(option: &str, text: &str, size: Option<Size>) -> anyhow::Result<(Board, Size)> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if let Ok(board) = Board::from_str_radix(digits, 16) {
        return Ok((board, size.map_or_else(|| Size::new(4, 4), Ok)?));
    }
    let spaced = text.replace('.', ". ").replace('x', "x ");
    let of = Grid::size_of(&spaced.replace('x', ".")).with_context(|| {
        format!("{option}: {text}: neither cells, as in '.... / .... / .xxx / .xxx', nor a number")
    })?;
    let size = size.unwrap_or(of);
    let sides = |size: Size| (size.rows(), size.cols());
    ensure!(
        sides(size) == sides(of),
        "{option}: expected cells of {}x{}, got {of}",
        size.rows(),
        size.cols()
    );
    let of = of.with_stones(spaced.matches('x').count() as u32)?;
    Ok((Grid::parse(&spaced, of)?.board(), size))
}

/// A game, by its size and winning tile.
#[derive(Args)]
pub(in crate::cli) struct GameArgs {
    // An option, because `enum48` alone needs a size and `enum48 SUBCOMMAND` does not.
    /// Size of the board: N for a square, or rows and columns as in 4x3; sides from 2 to 4. The name of
    /// a game, such as 3x3-128, can stand in the place of --size and --max
    #[arg(long, value_name = "N|RxC", required_unless_present = "stones")]
    size: Option<Size>,

    #[command(flatten)]
    stones: Stones,

    /// The winning tile, a power of two from 8 to 65536 [default: none, play goes on until no move
    /// is left]
    #[arg(long, value_name = "TILE", value_parser = tile)]
    max: Option<u32>,
}

impl GameArgs {
    pub(in crate::cli) fn game(&self) -> anyhow::Result<Game> {
        let size = self.stones.on(self.size)?;
        let size = size.context("no board size: give --size")?;
        self.stones.game(size, self.max)
    }
}

/// The game of a question.
#[derive(Clone, Copy)]
pub(in crate::cli) enum AskedGame {
    /// The user named it, so that a directory can be made for it.
    Named(Game),
    /// A board or a code implies it.
    Implied(Game),
}

impl AskedGame {
    pub(in crate::cli) fn game(self) -> Game {
        match self {
            Self::Named(game) | Self::Implied(game) => game,
        }
    }
}

/// Reads a text as a board of a game.
type ReadBoard = fn(&str, &Game) -> crate::Result<Grid>;

/// The board in some words, which the shell may have split.
pub(in crate::cli) fn board(
    words: &[String],
    game: &Game,
    read: ReadBoard,
) -> anyhow::Result<Grid> {
    let is_board = |word: &String| word.starts_with("0x") || read(word, game).is_ok();
    if words.len() > 1 && words.iter().any(is_board) {
        let words = words.join(" ");
        bail!("{words}: expected one board: give each board in a command of its own");
    }
    Ok(read(&words.join(" "), game)?)
}

/// The help of `--memory` for subcommands that look values up.
pub(in crate::cli) const LOOKUP_MEMORY: &str = "\
Memory for blocks of files and for listing layers in matrices, such as 512M or 8G, in powers of 1024 \
[default: half of the machine's]";

/// The threads and the memory of a job.
#[derive(Args)]
pub(in crate::cli) struct Resources {
    /// Number of threads, up to 8 for each core [default: all cores]
    #[arg(long, value_name = "N", value_parser = machine::parse_threads)]
    threads: Option<usize>,

    /// Memory for data, such as 512M or 8G, in powers of 1024 [default: half of the machine's]
    ///
    /// The program itself takes up to 400M more. Data beyond the limit goes to temporary files in the
    /// run's directory; the result does not change.
    #[arg(long, value_name = "SIZE", value_parser = machine::parse_size)]
    memory: Option<u64>,
}

impl Resources {
    /// The plan for these arguments on this machine.
    pub(in crate::cli) fn plan(&self) -> anyhow::Result<Plan> {
        let memory = self.memory.unwrap_or_else(machine::default_memory);
        let plan = Plan::new(memory, threads_or_cores(self.threads));
        match self.memory {
            Some(_) => Ok(plan?),
            None => plan.context(
                "no --memory, and little memory for this process (ulimit -v, ulimit -d or a control group)",
            ),
        }
    }
}

/// The requested number of threads, at most the number that the machine can use; or its cores.
pub(in crate::cli) fn threads_or_cores(asked: Option<usize>) -> usize {
    let (cores, most) = (machine::cores(), machine::most_threads());
    let threads = asked.unwrap_or(cores);
    if threads > most {
        talk::say(format_args!(
            "--threads {threads}: {most} are used: more than {THREADS_PER_CORE} for each of {cores} \
             cores only wait for one another"
        ));
    }
    threads.min(most)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_name_of_a_game_stands_for_its_options_in_commands_that_have_them() {
        let command = Cli::command();
        for (words, expected) in [
            (
                "enum48 3x3-128 --until 40",
                "enum48 --size 3x3 --max 128 --until 40",
            ),
            ("enum48 count 2x4", "enum48 count --size 2x4"),
            (
                "enum48 show 0x2310 2x2-32",
                "enum48 show 0x2310 --size 2x2 --max 32",
            ),
            (
                "enum48 free8-128 --until 40",
                "enum48 --size free8 --max 128 --until 40",
            ),
            ("enum48 3x3free7", "enum48 --size 3x3free7"),
            ("enum48 L3-128", "enum48 --size L3 --max 128"),
            (
                "enum48 442-64until200 freedom",
                "enum48 --size 442 --max 64 --horizon 200 freedom",
            ),
            ("enum48 443 freedom", "enum48 443 freedom"),
            (
                "enum48 free9lockfff0fff-64",
                "enum48 --size free9lockfff0fff --max 64",
            ),
            ("enum48 5x5-8 --quiet", "enum48 --size 5x5 --max 8 --quiet"),
            (
                "enum48 solve 442-16 --for 16",
                "enum48 solve enum48-data/442-16 --for 16",
            ),
            (
                "enum48 check layers.csv 3x3-128",
                "enum48 check layers.csv enum48-data/3x3-128",
            ),
            ("enum48 check src --until 20", "enum48 check src --until 20"),
            ("enum48 rate 3x3-128", "enum48 rate 3x3-128"),
            // The value of an option, and boards.
            (
                "enum48 --size 2 --dir 3x3-128",
                "enum48 --size 2 --dir 3x3-128",
            ),
            (
                "enum48 --dir solve 2x2-32",
                "enum48 --dir solve --size 2x2 --max 32",
            ),
            (
                "enum48 graph --size 2 -o 3x3",
                "enum48 graph --size 2 -o 3x3",
            ),
            ("enum48 show 0x2310 --size 2", "enum48 show 0x2310 --size 2"),
            ("enum48 3x 3x3- x3-8", "enum48 3x 3x3- x3-8"),
        ] {
            let words = words.split(' ').map(OsString::from).collect();
            let found = with_game_options(words, &command).join(&OsString::from(" "));
            // Windows joins paths with another sign.
            let found = found.to_str().map(|found| found.replace('\\', "/"));
            assert_eq!(found.as_deref(), Some(expected));
        }
    }
}
