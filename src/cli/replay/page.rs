//! The page that plays a game in a browser.
//!
//! The page has every board as data and knows no rules, so it can only show the game that was
//! replayed here.

use std::io::Write;

use anyhow::Result;
use serde_json::{Value, json};

use crate::cli::out::board::JudgedMoves;
use crate::cli::page::Page;
use crate::game::Objective;
use crate::play::{Code, Position, Status, Turn};
use crate::solve::Values;

const PAGE: Page = Page {
    title: "A game of 2048, move by move",
    style: include_str!("player.css"),
    body: include_str!("player.html"),
    script: include_str!("player.js"),
};

/// Add the judgement of a solution to the data of a game: for each position the values of the
/// objectives, the best moves, and the loss of the move that was made.
fn advise(game: &mut Value, code: &Code, values: &mut Values) -> Result<()> {
    let mut replay = code.replay();
    let mut advice = Vec::new();
    for direction in code.moves().iter().copied().map(Some).chain([None]) {
        let judged = JudgedMoves::of(values, replay.position())?;
        let played = direction.and_then(|direction| judged.get(direction));
        advice.push(json!({
            "worth": judged.worth,
            "best": judged.best_names(0),
            "loss": played.map(|played| judged.loss(0, played)),
        }));
        replay.next().transpose()?;
    }
    let objectives: Vec<Objective> = values.goals().map(|goal| goal.objective).collect();
    game["objectives"] = json!(objectives);
    // The rate of spawned 4s that the values expect, if one depends on it.
    game["four"] = json!(values.goals().find_map(|goal| goal.rate()));
    game["advice"] = advice.into();
    Ok(())
}

/// Write the page that plays `code`, with the judgement of a solution if there is one.
pub(super) fn write(code: &Code, values: Option<&mut Values>, out: &mut dyn Write) -> Result<()> {
    let (replay, size) = (code.replay(), code.game().size());
    // Row by row, 0 for an empty cell and 1 for a stone.
    let tiles = |position: &Position| position.tiles().collect::<Vec<u32>>();
    let mut game = json!({
        "name": code.game(),
        "code": code.to_string(),
        "rows": size.rows(),
        "columns": size.cols(),
        "result": match code.end().status() {
            Status::Won => "won",
            Status::Dead => "dead",
            Status::Live => "unfinished",
        },
        "start": tiles(replay.position()),
    });
    let turn = |turn: Turn| {
        json!({
            "direction": turn.direction.name(),
            "gained": turn.gained,
            // Null after the winning move.
            "spawn": turn.spawn,
            "tiles": tiles(&turn.position),
        })
    };
    game["moves"] = replay.map_while(Result::ok).map(turn).collect();
    if let Some(values) = values {
        advise(&mut game, code, values)?;
    }
    Ok(PAGE.write(&[("code", &code.to_string())], &game, out)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(code: &str) -> String {
        let mut page = Vec::new();
        write(&code.parse().unwrap(), None, &mut page).unwrap();
        String::from_utf8(page).unwrap()
    }

    /// The data of the page, from the line that holds them.
    fn data(code: &str) -> Value {
        let page = page(code);
        let line = page.lines().find(|line| line.starts_with('{')).unwrap();
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn the_data_of_the_page_are_the_boards_of_the_game() {
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
