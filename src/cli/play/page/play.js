/** Milliseconds between moves while the page plays. */
const DELAY = 600;
/** Least length of a swipe, in pixels. */
const SWIPE = 24;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-/";
const DIRECTIONS = Object.keys(ARROWS);

// The table of afterstates.

const total = game.layers.reduce((sum, [, count]) => sum + count, 0);
/** The bytes of the table, once they are unpacked. */
let bytes;
/** Layers that were read, by sum; the last few. */
const read = new Map();

async function unpack() {
  const text = atob(element("table").textContent.trim());
  const packed = Uint8Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  element("table").remove();
}

/** Numbers of the table: `width` planes of bytes, after `planes` others. */
function numbers(planes, width, begin, count) {
  const found = new Float64Array(count);
  for (let plane = planes + width - 1; plane >= planes; plane--) {
    const at = plane * total + begin;
    for (let each = 0; each < count; each++) found[each] = 256 * found[each] + bytes[at + each];
  }
  return found;
}

/** The afterstates of a sum, and their values. */
function layer(sum) {
  if (!read.has(sum)) {
    const place = game.layers.findIndex(([other]) => other === sum);
    const begin = game.layers.slice(0, place).reduce((sum, [, count]) => sum + count, 0);
    const count = game.layers[place][1];
    const keys = numbers(0, game.width, begin, count);
    for (let each = 1; each < count; each++) keys[each] += keys[each - 1];
    let planes = game.width;
    const values = game.objectives.map(({ width }) => {
      planes += width;
      return numbers(planes - width, width, begin, count);
    });
    if (read.size > 3) read.delete(read.keys().next().value);
    read.set(sum, { keys, values });
  }
  return read.get(sum);
}

/** A stone, among the values of tiles. */
const STONE = 1;

/** The boards that a board becomes when it is turned or mirrored, as orders of its cells. */
const IMAGES = [false, true].flatMap(transposed => {
  if (transposed && game.rows !== game.columns) return [];
  return [false, true].flatMap(up => [false, true].map(left => cells.map((_, cell) => {
    const [row, column] = place(cell);
    const [y, x] = [up ? game.rows - 1 - row : row, left ? game.columns - 1 - column : column];
    return transposed ? x * game.columns + y : y * game.columns + x;
  })));
}).filter(image => {
  // A game with masks, or with target cells, has fewer symmetries.
  const turned = chosen => String(cells.map((_, cell) => cell).filter(cell => chosen.includes(image[cell])));
  const masks = game.masks.map(String);
  return game.masks.every(mask => masks.includes(turned(mask))) && (!game.targets || turned(game.targets) === String(game.targets));
});

function sum(board) {
  return board.reduce((sum, tile) => tile === STONE ? sum : sum + tile, 0);
}

/** The values of an afterstate, in units of each objective. */
function look(board) {
  const { keys, values } = layer(sum(board));
  const exponents = board.map(tile => tile === STONE ? game.base - 1 : tile && Math.log2(tile));
  const images = IMAGES.map(image => image.reduce((number, cell) => game.base * number + exponents[cell], 0));
  const key = Math.min(...images);
  let [low, high] = [0, keys.length - 1];
  while (low < high) {
    const middle = low + high >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  if (keys[low] !== key) throw new Error(`the table lacks ${board}`);
  return values.map(column => column[low]);
}

// The rules.

/** Whether stones fill a mask, if there are masks. */
function keeps(board) {
  return !game.masks.length || game.masks.some(mask => mask.every(cell => board[cell] === STONE));
}

/** A move: the board after it and the points that it scores; null if it is not legal. */
function slide(board, direction) {
  const after = board.map(() => 0);
  let gained = 0;
  for (const line of lines(direction)) {
    const left = line.map(cell => board[cell]).filter(tile => tile);
    for (const cell of line) {
      if (!left.length) break;
      after[cell] = left.shift();
      if (after[cell] !== left[0] || after[cell] === STONE) continue;
      after[cell] += left.shift();
      gained += after[cell];
    }
  }
  const legal = keeps(after) && after.some((tile, cell) => tile !== board[cell]);
  return legal ? { direction, tiles: after, gained } : null;
}

function isWon(board) {
  if (game.targets) return game.targets.some(cell => board[cell] === game.max);
  return game.max !== null && board.some(tile => tile >= game.max);
}

/** Whether the game ends after a move: it is won, or lost at the horizon. */
function ends(board) {
  return isWon(board) || game.horizon !== null && sum(board) >= game.horizon;
}

/** The legal moves of a state with what they are worth in units of each objective, and what they lose. */
function moves({ tiles: board, over }) {
  if (over) return [];
  const legal = DIRECTIONS.map(direction => slide(board, direction)).filter(move => move);
  for (const move of legal) {
    const won = isWon(move.tiles);
    const rest = won ? null : look(move.tiles);
    move.worth = game.objectives.map(({ name, unit }, each) => {
      if (name === "score") return unit * move.gained + (won ? 0 : rest[each]);
      if (name === "moves") return unit + (won ? 0 : rest[each]);
      return won ? unit : rest[each];
    });
  }
  const best = Math.max(...legal.map(move => move.worth[0]));
  for (const move of legal) {
    const loss = best - move.worth[0];
    move.loss = loss > game.margin ? loss : 0;
  }
  return legal;
}

// The tiles that a seed brings, as the documentation of `enum48::play` describes them: ChaCha20.

/** Number `at` of the words of a seed. */
function word(seed, at) {
  const key = [Number(seed & 0xffffffffn), Number(seed >> 32n)];
  const begin = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574, ...key, 0, 0, 0, 0, 0, 0, Math.floor(at / 16), 0, 0, 0];
  const x = Uint32Array.from(begin);
  const mix = (a, b, c, d) => {
    for (const [one, other, to, by] of [[a, b, d, 16], [c, d, b, 12], [a, b, d, 8], [c, d, b, 7]]) {
      x[one] += x[other];
      x[to] ^= x[one];
      x[to] = x[to] << by | x[to] >>> 32 - by;
    }
  };
  for (let round = 0; round < 10; round++) {
    for (let each = 0; each < 4; each++) mix(each, 4 + each, 8 + each, 12 + each);
    for (let each = 0; each < 4; each++) mix(each, 4 + (each + 1) % 4, 8 + (each + 2) % 4, 12 + (each + 3) % 4);
  }
  return x[at % 16] + begin[at % 16] >>> 0;
}

/** A number below `choices` from the first word that is not dropped, and how many words are drawn then. */
function below(choices, drawn) {
  let drop;
  do drop = word(seed, drawn++); while (drop >= Math.floor(2 ** 32 / choices) * choices);
  return [drop % choices, drawn];
}

function emptyCells(board) {
  return cells.map((_, cell) => cell).filter(cell => !board[cell]);
}

/** A state with one more tile. */
function spawn({ tiles: before, drawn: already, ...state }) {
  const empty = emptyCells(before);
  const [number, drawn] = below(10 * empty.length, already);
  const [cell, tile] = [empty[Math.floor(number / 10)], number % 10 === 9 ? 4 : 2];
  return { ...state, drawn, tiles: before.with(cell, tile), spawn: { cell, tile } };
}

/** The stones of a start: they fill a mask, if there are masks, and the others lie anywhere. */
function stones() {
  let [tiles, drawn, number] = [cells.map(() => 0), 0, 0];
  if (game.masks.length > 1) [number, drawn] = below(game.masks.length, drawn);
  const mask = game.masks[number] ?? [];
  for (const cell of mask) tiles[cell] = STONE;
  for (let left = game.stones - mask.length; left > 0; left--) {
    const empty = emptyCells(tiles);
    [number, drawn] = below(empty.length, drawn);
    tiles[empty[number]] = STONE;
  }
  return { tiles, drawn };
}

// The game.

let seed;
/** The states of the game so far, each with the move that led to it. */
let states;
let hinting = false;
/** The timer of the next move while the page plays, null while it does not. */
let timer = null;

const now = () => states.at(-1);

/** The number that base 36 digits stand for; null unless they are a seed. */
function parseSeed(text) {
  if (!/^[0-9a-z]{1,13}$/.test(text)) return null;
  const value = [...text].reduce((value, digit) => 36n * value + BigInt(parseInt(digit, 36)), 0n);
  return value < 1n << 64n ? value : null;
}

function randomSeed() {
  return crypto.getRandomValues(new BigUint64Array(1))[0];
}

function crc32(text) {
  let crc = -1;
  for (const letter of text) {
    crc ^= letter.charCodeAt(0);
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 && 0xedb88320);
  }
  return (~crc >>> 0).toString(16).padStart(8, "0");
}

/** The code of the game so far. */
function code() {
  const made = states.slice(1).map(({ direction }) => DIRECTIONS.indexOf(direction));
  let packed = "";
  for (let at = 0; at < made.length; at += 3) {
    packed += ALPHABET[16 * made[at] + 4 * (made[at + 1] ?? 0) + (made[at + 2] ?? 0)];
  }
  const text = ["s1", game.name, seed.toString(36), made.length, packed, ...isWon(now().tiles) ? ["W"] : []].join(".");
  return `${text}.${crc32(text)}`;
}

function begin(chosen) {
  stop();
  seed = chosen;
  states = [spawn(spawn({ ...stones(), score: 0 }))];
  element("seed").value = seed.toString(36);
  history.replaceState(null, "", `#${seed.toString(36)}`);
  show("a new game");
}

/** Move, if that is legal. */
function go(direction) {
  const { tiles: before, score, drawn, over } = now();
  const move = over ? null : slide(before, direction);
  if (!move) return show(game.masks.length ? "that changes nothing, or moves a stone that must stay" : "that changes nothing");
  const moved = { ...move, drawn, score: score + move.gained };
  states.push(ends(move.tiles) ? { ...moved, spawn: null, over: true } : spawn(moved));
  const { spawn: tile } = now();
  const points = move.gained ? `, +${move.gained}` : "";
  show(`${direction}${points}${tile ? `, ${spawned(tile)}` : ""}`);
  animate(before, now(), timer === null ? Infinity : DELAY);
}

function undo() {
  if (states.length > 1) states.pop();
  show(states.length > 1 ? `after ${now().direction}` : "start");
}

function goBest() {
  const [best] = moves(now()).sort((one, other) => other.worth[0] - one.worth[0]);
  if (best) go(best.direction);
}

function stop() {
  clearTimeout(timer);
  timer = null;
  element("play").textContent = "play";
}

function playOn() {
  if (!moves(now()).length) return stop();
  element("play").textContent = "pause";
  timer = setTimeout(() => {
    goBest();
    playOn();
  }, DELAY);
}

function toggleHints() {
  hinting = !hinting;
  show(hinting ? "hints" : "no hints");
}

const rows = DIRECTIONS.map(direction => {
  const row = make("button", element("directions"), { value: direction });
  row.onclick = () => act(() => go(direction));
  return row;
});

/** Show the game, and say what has happened. */
function show(what) {
  const { tiles: shown, score } = now();
  const legal = moves(now());
  draw(shown);
  const over = legal.length ? "" : isWon(shown) ? "; won: the game is over" : "; lost: the game is over";
  const best = hinting && legal.length ? `; best: ${legal.filter(move => !move.loss).map(move => move.direction).join(" or ")}` : "";
  element("said").textContent = element("caption").textContent = what + over + best;
  element("score").textContent = score;
  element("number").textContent = states.length - 1;
  element("code").textContent = code();
  element("copy").textContent = "copy";
  element("hints").ariaPressed = hinting;
  element("undo").ariaDisabled = states.length === 1;
  for (const id of ["best", "play"]) element(id).ariaDisabled = !legal.length;
  element("heading").hidden = !hinting;
  for (const row of rows) showMove(row, legal.find(move => move.direction === row.value));
}

/** Fill a row with two texts and, beside them, with numbers. */
function fill(row, texts, numbers) {
  row.replaceChildren();
  for (const textContent of texts) make("span", row, { textContent });
  const beside = make("span", row, { className: "numbers" });
  for (const textContent of numbers) make("span", beside, { textContent });
}

/** Show a direction, and what a move there is worth if it is legal and hints are wanted. */
function showMove(row, move) {
  const facts = move && hinting ? worth(move) : [];
  fill(row, [ARROWS[row.value], row.value], facts.map(([, text]) => text));
  row.classList.toggle("best", Boolean(facts.length) && !move.loss);
  row.ariaLabel = [row.value, ...facts.map(fact => fact.join(" "))].join(", ");
  row.ariaDisabled = !move;
}

/** The values and the loss of a move: headings and numbers. */
function worth(move) {
  const { name: first, unit } = game.objectives[0];
  const facts = game.objectives.map(({ name, unit }, each) => [heading(name), number(name, move.worth[each] / unit)]);
  facts.splice(1, 0, ["loss", move.loss ? lost(first, move.loss / unit) : "best"]);
  return facts;
}

/** The objective of the best moves, and the rate of 4s that the values expect. */
function goal() {
  const [{ name }] = game.objectives;
  const tiles = game.four === "1/10" ? "" : "; here a 4 comes 1/10 of the time";
  const expected = `, if ${game.four} of spawned tiles are 4s${tiles}`;
  if (name === "score" || name === "moves") return (name === "score" ? "expected score" : "expected number of moves") + expected;
  return name.startsWith("sure-") ? `${name.replace("sure-", "making ")} against any spawns` : `chance of ${name}${expected}`;
}

/** Stop automatic play, then do what the user asked. */
function act(what) {
  stop();
  what();
}

const ACTIONS = {
  undo: () => act(undo),
  hints: () => act(toggleHints),
  best: () => act(goBest),
  play: () => timer === null ? playOn() : stop(),
  new: () => begin(randomSeed()),
};
for (const [id, action] of Object.entries(ACTIONS)) element(id).onclick = action;

const KEYS = { u: ACTIONS.undo, i: ACTIONS.hints, b: ACTIONS.best, p: ACTIONS.play, n: ACTIONS.new };
for (const [at, direction] of DIRECTIONS.entries()) {
  const arrow = `Arrow${direction[0].toUpperCase()}${direction.slice(1)}`;
  for (const key of [arrow, "wdsa"[at], "kljh"[at]]) KEYS[key] = () => act(() => go(direction));
}

addEventListener("keydown", event => {
  const { key, target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || target === element("seed")) return;
  const action = KEYS[key.length === 1 ? key.toLowerCase() : key];
  // The button "play" would start again if the key that presses it had stopped the page.
  const toggles = target === element("play") && (key === "Enter" || key === " ");
  if (action) event.preventDefault();
  else if (!toggles) stop();
  action?.();
});

/** Where a finger, or the left mouse button, went down on the board. */
let down = null;
addEventListener("pointerdown", ({ x, y, button, isPrimary, target }) => {
  down = isPrimary && button === 0 && board.contains(target) ? [x, y] : null;
});
addEventListener("pointercancel", () => down = null);
addEventListener("pointerup", ({ x, y }) => {
  if (!down) return;
  const [right, below] = [x - down[0], y - down[1]];
  down = null;
  if (Math.max(Math.abs(right), Math.abs(below)) < SWIPE) return;
  const across = Math.abs(right) > Math.abs(below);
  act(() => go(across ? right > 0 ? "right" : "left" : below > 0 ? "down" : "up"));
});

element("start").onsubmit = event => {
  event.preventDefault();
  const chosen = parseSeed(element("seed").value.trim().toLowerCase());
  if (chosen !== null) return begin(chosen);
  stop();
  show("a seed has up to 13 digits 0 to 9 and letters a to z, and is below 2^64");
};
addEventListener("hashchange", () => begin(parseSeed(location.hash.slice(1)) ?? randomSeed()));

document.title = `${game.name}: a solved game of 2048`;
element("goal").textContent = `best for: ${goal()}`;
fill(element("heading"), ["", ""], game.objectives.map(({ name }) => name).toSpliced(1, 0, "loss"));
unpack().then(() => {
  element("wait").hidden = true;
  document.querySelector("main").hidden = false;
  begin(parseSeed(location.hash.slice(1)) ?? parseSeed(game.seed ?? "") ?? randomSeed());
}, error => element("wait").textContent = `the values cannot be unpacked: ${error.message}`);
