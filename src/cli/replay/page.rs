//! The page that plays a game in a browser.
//!
//! The page has every board as data and knows no rules, so it can only show the game that was
//! replayed here.

use std::io::Write;

use serde::Serialize;

use crate::cli::board::{Adviser, worth};
use crate::cli::page::Page;
use crate::error;
use crate::play::{Code, Position, Spawn, Status, Turn};

const PAGE: Page = Page {
    title: "A game of 2048, move by move",
    style: include_str!("player.css"),
    body: include_str!("player.html"),
    script: include_str!("player.js"),
};

/// A game, as the page reads it.
#[derive(Serialize)]
struct PlayerGame {
    name: String,
    code: String,
    rows: u8,
    columns: u8,
    result: &'static str,
    start: Vec<u32>,
    moves: Vec<PlayerMove>,
    #[serde(flatten)]
    advised: Option<Advised>,
}

/// What a solution says of the game.
#[derive(Serialize)]
struct Advised {
    /// What the numbers of each position are about.
    objectives: Vec<String>,
    advice: Vec<Said>,
}

/// What a solution says of a position.
#[derive(Serialize)]
struct Said {
    worth: Vec<f64>,
    best: Vec<&'static str>,
    /// What the move that was made lost against the best; `None` after the last move.
    loss: Option<f64>,
}

#[derive(Serialize)]
struct PlayerMove {
    direction: &'static str,
    gained: u64,
    /// `None` after the winning move.
    spawn: Option<Tile>,
    /// The board after both, row by row, 0 for an empty cell.
    tiles: Vec<u32>,
}

#[derive(Serialize)]
struct Tile {
    cell: u8,
    tile: u8,
}

impl PlayerGame {
    fn new(code: &Code, advised: Option<Advised>) -> Self {
        let replay = code.replay();
        let size = code.game().size();
        Self {
            name: code.game().to_string(),
            code: code.to_string(),
            rows: size.rows(),
            columns: size.cols(),
            result: match code.end().status() {
                Status::Won => "won",
                Status::Dead => "dead",
                Status::Live => "unfinished",
            },
            start: tiles(replay.position()),
            moves: replay
                .map(|turn| PlayerMove::new(&turn.expect("the code was verified when it was made")))
                .collect(),
            advised,
        }
    }
}

impl Advised {
    fn new(code: &Code, adviser: &mut Adviser) -> error::Result<Self> {
        let mut replay = code.replay();
        let mut advice = Vec::new();
        for direction in code.moves().iter().copied().map(Some).chain([None]) {
            let judged = adviser.advise(replay.position())?;
            let played = direction.and_then(|direction| judged.get(direction));
            advice.push(Said {
                best: judged.best_names(0),
                loss: played.map(|played| judged.loss(0, played)),
                worth: worth(replay.position(), &judged),
            });
            replay.next().transpose()?;
        }
        let objectives = adviser.objectives().map(|objective| objective.to_string());
        Ok(Self {
            objectives: objectives.collect(),
            advice,
        })
    }
}

impl PlayerMove {
    fn new(turn: &Turn) -> Self {
        Self {
            direction: turn.direction.name(),
            gained: turn.gained,
            spawn: turn.spawn.map(|Spawn { cell, tile }| Tile { cell, tile }),
            tiles: tiles(&turn.position),
        }
    }
}

fn tiles(position: &Position) -> Vec<u32> {
    position.tiles().collect()
}

/// Write the page that plays `code`, with what a solution of its game says if there is one.
pub(super) fn write(
    code: &Code,
    adviser: Option<&mut Adviser>,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    let advised = adviser
        .map(|adviser| Advised::new(code, adviser))
        .transpose()?;
    let game = PlayerGame::new(code, advised);
    Ok(PAGE.write(&[("code", &game.code)], &game, out)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn page(code: &str) -> String {
        let mut page = Vec::new();
        write(&code.parse().unwrap(), None, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    /// The data of the page, which have a line of their own.
    fn data(code: &str) -> Value {
        let page = page(code);
        let line = page.lines().find(|line| line.starts_with('{')).unwrap();
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn the_data_are_the_game() {
        let code = "w1.2x2-8.BD.1.w..W.10f0c486";
        let won = json!({
            "name": "2x2-8", "code": code, "rows": 2, "columns": 2, "result": "won",
            "start": [4, 4, 0, 0],
            "moves": [{"direction": "left", "gained": 8, "spawn": null, "tiles": [8, 0, 0, 0]}],
        });
        assert_eq!(data(code), won);

        let dead = data("s1.3x3.0.31.-/t/v97/7/g.1385f34a");
        assert_eq!(
            (&dead["result"], &dead["name"]),
            (&json!("dead"), &json!("3x3"))
        );
        let moves = dead["moves"].as_array().unwrap();
        assert_eq!(moves.len(), 31);
        assert_eq!(moves[30]["tiles"], json!([4, 2, 4, 16, 4, 2, 32, 8, 4]));
        assert_eq!(moves[30]["spawn"], json!({"cell": 0, "tile": 4}));
    }

    #[test]
    fn the_page_loads_nothing_from_elsewhere() {
        let page = page("s1.2x3-16.a.10.//zw.W.fa2cf282");
        let outside = ["://", "src=", "import", "fetch", "{{", "@font-face"];
        for word in outside {
            assert!(!page.contains(word), "{word}");
        }
        assert_eq!(page.matches("</script>").count(), 2);
    }
}
