// The common part of all pages: the board, its tiles, and their descriptions.

const element = id => document.getElementById(id);
/** The data of the page. */
const game = JSON.parse(element("game").textContent);
const ARROWS = { up: "↑", right: "→", down: "↓", left: "←" };

function make(kind, parent, attributes) {
  return Object.assign(parent.appendChild(document.createElement(kind)), attributes);
}

const board = element("board");
board.style.setProperty("--rows", game.rows);
board.style.setProperty("--columns", game.columns);
const cells = Array.from({ length: game.rows * game.columns }, () => make("div", board, { className: "cell" }));
const tiles = cells.map(cell => make("div", cell, { className: "tile" }));

function place(cell) {
  return [Math.floor(cell / game.columns), cell % game.columns];
}

/** A tile in words. */
function spawned({ cell, tile }) {
  const [row, column] = place(cell);
  return `a ${tile} at row ${row + 1} column ${column + 1}`;
}

function description(tiles) {
  const rows = Array.from({ length: game.rows }, (_, row) => {
    const line = tiles.slice(row * game.columns, (row + 1) * game.columns);
    return `row ${row + 1}: ${line.map(tile => ["empty", "stone"][tile] ?? tile).join(", ")}`;
  });
  return rows.join("; ");
}

/** Show a board at once. */
function draw(values) {
  values.forEach((value, cell) => {
    tiles[cell].textContent = ["", "×"][value] ?? value;
    tiles[cell].dataset.tile = value;
    tiles[cell].dataset.digits = String(value).length;
  });
  board.ariaLabel = description(values);
  board.getAnimations({ subtree: true }).forEach(animation => animation.cancel());
}

/** The lines of cells along a direction, each beginning at the edge that tiles move to. */
function lines(direction) {
  const vertical = direction === "up" || direction === "down";
  const lines = Array.from({ length: vertical ? game.columns : game.rows }, () => []);
  cells.forEach((_, cell) => lines[place(cell)[vertical ? 1 : 0]].push(cell));
  return direction === "up" || direction === "left" ? lines : lines.map(line => line.reverse());
}

/**
 * Animate the tiles of a move. The two boards tell where each came from: it is the next tile of its line, or,
 * if their values differ, was merged from the next two.
 */
function animate(before, { direction, spawn, tiles: after }, duration) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const timing = { duration: Math.min(220, duration), easing: "ease-out" };
  // Measure all cells before animating any, to avoid a new layout for each.
  const corners = cells.map(({ offsetLeft, offsetTop }) => [offsetLeft, offsetTop]);
  for (const line of lines(direction)) {
    const sources = line.filter(cell => before[cell]);
    for (const cell of line.filter(cell => after[cell] && cell !== spawn?.cell)) {
      const merged = before[sources[0]] !== after[cell];
      const source = sources.splice(0, merged ? 2 : 1).at(-1);
      if (!merged && source === cell) continue;
      const [x, y] = corners[source].map((corner, axis) => corner - corners[cell][axis]);
      tiles[cell].animate([
        { transform: `translate(${x}px, ${y}px)` },
        { transform: "none", offset: 0.5 },
        { transform: merged ? "scale(1.12)" : "none", offset: 0.75 },
        { transform: "none" },
      ], timing);
    }
  }
  if (spawn) {
    const hidden = { transform: "scale(0)" };
    tiles[spawn.cell].animate([hidden, { ...hidden, offset: 0.4 }, { transform: "none" }], timing);
  }
}

/** An objective as the heading of a number. */
function heading(objective) {
  if (objective === "score" || objective === "moves") return `${objective} to come`;
  return objective.startsWith("sure-") ? objective.replace("sure-", "can force ") : `chance of ${objective}`;
}

/** A value as people read it: a chance in percent, and 0 or 100 percent only if it is exactly that. */
function number(objective, value) {
  if (objective === "score" || objective === "moves") return value.toFixed(2);
  if (objective.startsWith("sure-")) return value ? "yes" : "no";
  if (value > 0 && value < .00005) return "<0.01 %";
  if (value < 1 && value >= .99995) return ">99.99 %";
  return `${(100 * value).toFixed(2)} %`;
}

/** A loss as text; the loss is not 0. */
function lost(objective, loss) {
  if (objective.startsWith("sure-")) return "gives it up";
  const text = number(objective, loss);
  return text === "0.00" ? "−<0.01" : `−${text}`;
}

/** Copy the code of the game. */
function copy(event) {
  // The newer clipboard interface is not available to pages opened from a file or without TLS.
  getSelection().selectAllChildren(element("code"));
  if (document.execCommand("copy")) event.target.textContent = "copied";
}

element("copy").onclick = copy;
element("name").textContent = game.name;
