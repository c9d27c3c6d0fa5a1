//! The state graph against a slow twin: boards are rows of tiles, and a move turns the board and
//! slides to the left. The twin shares no code with the library.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::command::{good, place};
use crate::json::{json, list, text};
use crate::outcomes::{refused, unread};

/// Rows of tiles, 0 for an empty cell.
type Board = Vec<Vec<u32>>;

/// The board after a clockwise quarter turn.
fn turned(board: &Board) -> Board {
    let column = |col: usize| board.iter().rev().map(|row| row[col]).collect();
    (0..board[0].len()).map(column).collect()
}

fn id(board: &Board) -> String {
    let digit = |&tile: &u32| format!("{:x}", if tile == 0 { 0 } else { tile.ilog2() });
    let digits: String = board.iter().flatten().map(digit).collect();
    format!("0x{digits}")
}

/// The image with the least name, among the images with the number of rows of `board`.
fn canonical(board: &Board) -> Board {
    let mirrored = board.iter().rev().cloned().collect();
    let mut images = Vec::new();
    for mut image in [board.clone(), mirrored] {
        for _ in 0..4 {
            image = turned(&image);
            images.push(image.clone());
        }
    }
    images.retain(|image| image.len() == board.len());
    images.into_iter().min_by_key(id).unwrap()
}

/// The board after a move, and the greatest tile that a merge made.
fn moved(board: &Board, turns: usize) -> (Board, u32) {
    let (mut board, mut made) = (board.clone(), 0);
    (0..turns).for_each(|_| board = turned(&board));
    for row in &mut board {
        let tiles: Vec<u32> = row.iter().copied().filter(|&tile| tile > 0).collect();
        let mut slid = Vec::new();
        let mut rest = &tiles[..];
        while let [first, others @ ..] = rest {
            let merges = others.first() == Some(first);
            slid.push(first * if merges { 2 } else { 1 });
            made = made.max(if merges { first * 2 } else { 0 });
            rest = &others[usize::from(merges)..];
        }
        slid.resize(row.len(), 0);
        *row = slid;
    }
    (turns..4).for_each(|_| board = turned(&board));
    (board, made)
}

/// The canonical boards after a spawn.
fn spawned(board: &Board, tile: u32) -> BTreeSet<Board> {
    let mut boards = BTreeSet::new();
    for row in 0..board.len() {
        for col in 0..board[0].len() {
            if board[row][col] == 0 {
                let mut board = board.clone();
                board[row][col] = tile;
                boards.insert(canonical(&board));
            }
        }
    }
    boards
}

/// By source and target of an edge, its moves and its spawned tile, 0 if none.
type Edges = BTreeMap<(String, String), (String, u32)>;

/// The graph by the slow twin.
fn slow(rows: usize, cols: usize, max: u32) -> (BTreeMap<String, Board>, Edges) {
    let mut open = Vec::new();
    for first in [2, 4] {
        for one in spawned(&vec![vec![0; cols]; rows], first) {
            open.extend([2, 4].iter().flat_map(|&second| spawned(&one, second)));
        }
    }
    let (mut states, mut edges) = (BTreeMap::new(), Edges::new());
    while let Some(board) = open.pop() {
        if states.insert(id(&board), board.clone()).is_some() {
            continue;
        }
        let mut legal = false;
        // After one clockwise turn, the lowest row of the board is its leftmost column.
        for (letter, turns) in [('U', 3), ('R', 2), ('D', 1), ('L', 0)] {
            let (after, made) = moved(&board, turns);
            if after == board {
                continue;
            }
            legal = true;
            let mut edge = |to: String, spawn| {
                let edge = edges.entry((id(&board), to)).or_default();
                edge.0.push(letter);
                edge.1 = spawn;
            };
            if made == max {
                edge("win".to_owned(), 0);
                continue;
            }
            for tile in [2, 4] {
                for next in spawned(&after, tile) {
                    edge(id(&next), tile);
                    open.push(next);
                }
            }
        }
        if !legal {
            edges.insert((id(&board), "loss".to_owned()), (String::new(), 0));
        }
    }
    (states, edges)
}

#[test]
fn nodes_and_edges_equal_the_slow_twin() {
    for (args, rows, cols, max) in [
        ("--size 2 --max 8", 2, 2, 8),
        ("--size 2 --max 32", 2, 2, 32),
        ("--size 2", 2, 2, u32::MAX),
        ("--size 2x3 --max 16", 2, 3, 16),
        ("--size 3x2 --max 16", 3, 2, 16),
        ("--size 3 --max 8 --limit 3000", 3, 3, 8),
    ] {
        let (states, edges) = slow(rows, cols, max);
        let graph = json(args);
        let mut found = BTreeMap::new();
        for node in list(&graph, "nodes") {
            let Some(board) = node["board"].as_str() else {
                continue; // the nodes win and loss have no board
            };
            let row = |row: &str| -> Vec<u32> {
                let tiles = row.split_whitespace();
                tiles.map(|tile| tile.parse().unwrap_or(0)).collect()
            };
            let board: Board = board.split('/').map(row).collect();
            let tiles = board.iter().flatten();
            assert_eq!(node["sum"], tiles.clone().sum::<u32>());
            assert_eq!(node["max_tile"], *tiles.clone().max().unwrap());
            let starts = tiles.clone().filter(|&&tile| tile > 0).count() == 2;
            let small = tiles.clone().all(|&tile| tile <= 4);
            assert_eq!(node["start"], starts && small, "{node}");
            let dead = edges.contains_key(&(id(&board), "loss".to_owned()));
            assert_eq!(node["kind"], if dead { "dead" } else { "live" });
            found.insert(text(&node["id"]), board);
        }
        assert!(found == states, "{args}");
        let all = list(&graph, "edges").iter().map(|edge| {
            let spawn = edge["spawn"].as_u64().unwrap_or(0) as u32;
            let ends = (text(&edge["source"]), text(&edge["target"]));
            let moves = edge["moves"].as_str().unwrap_or_default();
            (ends, (moves.to_owned(), spawn))
        });
        assert!(all.collect::<Edges>() == edges, "{args}");
        assert_eq!(list(&graph, "edges").len(), edges.len(), "{args}");
    }
}

#[test]
fn the_number_of_nodes_equals_the_published_number() {
    // Live and dead states, win, loss. 57 live: Lees-Miller, 2017. 110 states: several sources, see
    // `known`.
    for (args, nodes) in [("--size 2 --max 32", 57 + 18 + 2), ("--size 2", 110 + 1)] {
        assert_eq!(list(&json(args), "nodes").len(), nodes, "{args}");
    }
    let graph = json("--size 2 --max 32");
    assert_eq!(graph["game"], "2x2-32");
    let ends = &list(&graph, "nodes")[75..];
    assert_eq!(ends[0].to_string(), r#"{"id":"win","kind":"win"}"#);
    assert_eq!(ends[1].to_string(), r#"{"id":"loss","kind":"loss"}"#);
}

#[test]
fn a_game_too_large_to_draw_is_refused() {
    let place = place();
    for (args, text) in [
        (
            "--size 3 --max 1024",
            "graph: 3x3-1024 has over 2000 states: too many: give --limit",
        ),
        ("--size 4", "graph: 4x4 has over 2000 states: too many"),
        ("--size 4 --max 65536 --limit 50000", "over 50000 states"),
        ("--size 2 --max 32 --limit 74", "over 74 states"),
        (
            "--size 3 --until 40",
            "graph: 3x3 up to sum 40 has over 2000 states: too many",
        ),
        (
            "--size 2 --until 3",
            "'--until <SUM>': not the sum of a layer",
        ),
        ("--size 2 --max 9", "max 9"),
        ("--max 8", "--size"),
        ("--size 2 --format png", "png"),
        ("--size 2 -o no/such/place.dot", "no/such/place.dot"),
    ] {
        refused(&place, &format!("graph {args}"), text);
    }
    good(&place, "graph --size 2 --max 32 --limit 75");
    refused(&place, "graph run", "unexpected argument 'run' found");
    refused(
        &place,
        "check run run run",
        "unexpected argument 'run' found",
    );
}

#[test]
fn a_refused_graph_leaves_the_file_as_it_was() {
    let place = place();
    let shown = good(&place, "graph --size 2 --max 8 -o -");
    assert_eq!(good(&place, "graph --size 2 --max 8 -o graph.dot"), "");
    refused(&place, "graph --size 4 -o graph.dot", "too many");
    let path = place.path().join("graph.dot");
    assert_eq!(fs::read_to_string(path).unwrap(), shown);
    assert_eq!(fs::read_dir(&place).unwrap().count(), 1, "nothing else");
    for format in ["dot", "graphml", "json"] {
        let (file, graph) = (format!("named.{format}"), "graph --size 2 --max 8");
        good(&place, &format!("{graph} -o {file}"));
        let named = fs::read_to_string(place.path().join(file)).unwrap();
        assert_eq!(named, good(&place, &format!("{graph} --format {format}")));
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for format in ["dot", "graphml", "json"] {
        let args = format!("graph --size 3 --max 8 --limit 9999 --format {format}");
        unread(&place(), &args);
    }
}
