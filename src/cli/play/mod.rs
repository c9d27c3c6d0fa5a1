//! `enum48 play`: the game itself, in a terminal.
//!
//! The board and all messages go to stderr, so that the code of the game is the only line on stdout
//! and `code=$(enum48 play ...)` works.
//!
//! Reading order: this file, `session` (a game with undo), `player` (the keys), `screen` (the picture of a game,
//! with the hints of a solution), `terminal` (the terminal and its signals during a game), `page` (the
//! game in a browser).

mod page;
mod player;
mod screen;
mod session;
mod terminal;

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use crossterm::event::{self, Event};

use self::player::{Key, Player, key};
use self::session::Session;
pub(super) use self::terminal::restore;
use self::terminal::{Continued, Terminal};
use crate::cli::args::objectives::Objectives;
use crate::cli::ask::solved::{FourArgs, SolvedGame};
use crate::cli::job::open::{self, GameOrRun};
use crate::cli::job::signals;
use crate::cli::out::Outcome;
use crate::cli::out::board::MEMORY;
use crate::cli::out::output::{self, Output};
use crate::engine::Stop;
use crate::machine;
use crate::play::Seed;
use crate::solve::Values;

/// The time between two looks at the signals and at the terminal, which may have gone.
const TICK: Duration = Duration::from_millis(100);

/// Play a game in the terminal, and print its code, which anyone can replay
///
///   arrows, WASD, hjkl    move
///   u                     undo the last move, any number of times
///   c                     show the code of the game so far
///   q, Esc, Ctrl-C        quit, and print the code
///   Ctrl-Z                suspend, until fg
///
/// With --dir of a solved run, the game is the run's, and more keys work; a game up to 3x3 is solved
/// at once if --for names an objective:
///
///   i                     show or hide hints: the value of each move, its loss
///                         against the best move, the chance of each tile
///   b                     make the best move
///   p                     let the program play, until a key is pressed
///
/// Hints expect a 4 one time in ten, or at the rate of --four. The game itself
/// always spawns a 4 one time in ten.
///
/// With --html, the program only writes a page. In a browser, the page lets you
/// play the solved game with hints. A page has room for games up to 2x4, 3x3 to
/// 256, 4x3 to 16 and 4x4 to 8.
///
/// The same seed and moves give the same tiles, even after an undo. The code is
/// the only line on stdout; the board is drawn on stderr. 4x4 needs --max.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    after_help = include_str!("help.txt").trim_ascii_end()
)]
pub(super) struct Args {
    #[command(flatten)]
    game: GameOrRun,

    #[command(flatten)]
    objectives: Objectives,

    #[command(flatten)]
    four: FourArgs,

    /// Seed of the tiles, a number in base 36: digits 0 to 9 and a to z [default: random]
    #[arg(long, value_name = "SEED")]
    seed: Option<Seed>,

    /// Write to FILE, - for stdout, a page for playing the solved game in any browser
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

pub(super) fn run(args: &Args) -> Result<Outcome> {
    let (dir, wanted) = (args.game.dir.as_deref(), &args.objectives.wanted[..]);
    if args.html.is_some() {
        // Before the game is solved. A directory that cannot be opened may still have to be made.
        let run = dir.and_then(|dir| open::run(dir).ok());
        if let Ok(game) = args.game.game(run.as_ref()) {
            page::check(game)?;
        }
    }
    let page = args.html.as_deref().map(Output::new).transpose()?;
    if let (Some(page), Some(dir)) = (&page, dir) {
        page.refuse_in(dir)?;
    }
    let asks = !wanted.is_empty() || args.four.four.is_some();
    let hints = dir.is_some() || args.html.is_some() || asks;
    let plan = machine::plan()?;
    let open = || args.four.open(dir, args.game.named(), wanted, &plan);
    let solved = hints.then(open).transpose()?;
    let run = solved.as_ref().map(|solved| &**solved.solution.run());
    let game = args.game.game(run)?;
    if game.is_endless() {
        bail!(
            "size 4x4 without a winning tile: a code's tiles go up to 65536 and the game goes beyond: \
             give --max, 65536 at most"
        );
    }
    let (mut values, stop) = (None, Stop::default());
    if let Some(SolvedGame {
        solution,
        reader,
        goals,
        ..
    }) = &solved
    {
        if let Some(page) = page {
            page::check_counted(solution)?;
            page.write(|to| page::write((solution, reader), goals, args.seed, to))?;
            return Ok(Outcome::Done);
        }
        let reader = reader.with_stop(&stop);
        values = Some(Values::new(solution, &reader, goals, MEMORY)?);
    }
    if !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        bail!(
            "play: stdin or stderr is not a terminal: keys are read from stdin and the board is drawn on \
             stderr: redirect only stdout"
        );
    }
    let seed = args.seed.unwrap_or_else(|| Seed(fastrand::u64(..)));
    let mut player = Player::new(Session::new(game, seed), values);
    let continued = Continued::listen().context("play: cannot listen for signals")?;
    let game = || {
        let ended = play(&mut player, &continued, &stop);
        let printed = output::print(|out| Ok(writeln!(out, "{}", player.session.code)?));
        Ok(printed.and(ended))
    };
    // A second signal may come before the terminal is restored.
    signals::stoppable(&stop, || (), restore, game)??;
    Ok(Outcome::Done)
}

/// Play until the player quits or a signal comes, then restore the terminal.
fn play(player: &mut Player, continued: &Continued, stop: &Stop) -> Result<()> {
    let terminal = Terminal::open().context("terminal: cannot enter raw mode")?;
    let colours = terminal::has_colours();
    loop {
        if continued.take() {
            let entered = terminal.enter_again();
            entered.context("terminal: cannot enter raw mode")?;
        }
        let size = crossterm::terminal::size().context("terminal: cannot get its size")?;
        let frame = player.frame(colours, size)?;
        terminal.show(&frame).context("terminal: cannot draw")?;
        let event = next_event(continued, stop, player.due);
        let event = event.context("terminal: cannot read keys")?;
        if stop.check().is_err() {
            return Ok(());
        }
        match event {
            Some(Event::Key(pressed)) if pressed.is_press() => match key(pressed) {
                Some(Key::Quit) => return Ok(()),
                Some(Key::Suspend) => {
                    player.press(None)?;
                    restore();
                    continued.suspend().context("play: cannot suspend")?;
                }
                key => player.press(key)?,
            },
            _ => player.wait()?,
        }
    }
}

/// The next event of the terminal; none if a signal comes first, or the time `due`.
fn next_event(
    continued: &Continued,
    stop: &Stop,
    due: Option<Instant>,
) -> io::Result<Option<Event>> {
    loop {
        let left = due.map(|due| due.saturating_duration_since(Instant::now()));
        if event::poll(left.unwrap_or(TICK).min(TICK))? {
            return event::read().map(Some);
        }
        let is_asked = stop.check().is_err() || continued.came();
        if is_asked || left.is_some_and(|left| left <= TICK) {
            return Ok(None);
        }
        // A terminal that has gone gives neither events nor an end of file.
        if !io::stdin().is_terminal() {
            return Err(io::Error::other("the terminal has gone"));
        }
    }
}
