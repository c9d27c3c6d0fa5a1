const last = game.moves.length;
const positions = [{ tiles: game.start, score: 0 }];
for (const { tiles, gained } of game.moves) {
  positions.push({ tiles, score: positions.at(-1).score + gained });
}

/** Milliseconds between moves, by speed. */
const DELAYS = { 1: 1600, 2: 800, 3: 400, 4: 150, 5: 50 };
const SIGNS = { play: "M7 4v16l13-8z", pause: "M6 5h4v14H6zM14 5h4v14h-4z" };

let at = 0;
let speed = 2;
/** The timer of the next move while the game plays, null while it is paused. */
let timer = null;
/** The timer of the next change of the page's address. */
let linking = null;

const speeds = Object.keys(DELAYS).map(value => {
  const labels = { textContent: value, ariaLabel: `speed ${value}` };
  const button = make("button", element("speeds"), { value, ...labels });
  button.onclick = () => setSpeed(Number(value));
  return button;
});

element("moves").style.setProperty("--digits", String(last).length);
const rows = positions.map((_, value) => {
  const button = make("button", make("li", element("moves")), { value, tabIndex: -1 });
  const { direction, gained } = game.moves[value - 1] ?? { direction: "start", gained: 0 };
  make("span", button, { textContent: value });
  make("span", button, { textContent: ARROWS[direction] ?? "", ariaHidden: true });
  make("span", button, { textContent: direction });
  make("span", button, { textContent: gained ? `+${gained}` : "" });
  const loss = game.advice?.[value - 1]?.loss;
  if (loss) make("span", button, { className: "loss", textContent: lost(game.objectives[0], loss) });
  return button;
});

/** The move that led to a position, in words. */
function announcement(number) {
  if (number === 0) return `start of ${last} ${last === 1 ? "move" : "moves"}`;
  const { direction, spawn } = game.moves[number - 1];
  return `move ${number} of ${last}: ${direction}, ${spawn ? spawned(spawn) : "wins"}`;
}

function show(to) {
  const from = at;
  at = to;
  const position = positions[at];
  draw(position.tiles);
  if (at === from + 1) animate(positions[from].tiles, game.moves[from], timer === null ? Infinity : DELAYS[speed]);
  if (at !== from) link();

  element("score").textContent = position.score;
  element("number").textContent = `${at} of ${last}`;
  element("caption").textContent = announcement(at);
  // At high speeds, only about one move a second can be spoken; the last one always is.
  const every = timer === null || speed < 4 ? 1 : Math.ceil(1000 / DELAYS[speed]);
  const advice = game.objectives ? advise() : "";
  if (at % every === 0) element("said").textContent = announcement(at) + (timer === null ? advice : "");

  const progress = element("progress");
  progress.value = at;
  progress.ariaValueText = `move ${at} of ${last}`;
  for (const id of ["first", "back"]) element(id).ariaDisabled = at === 0;
  for (const id of ["forward", "last"]) element(id).ariaDisabled = at === last;

  rows[from].ariaCurrent = null;
  rows[from].tabIndex = -1;
  rows[at].ariaCurrent = "true";
  rows[at].tabIndex = 0;
  const { offsetTop, offsetHeight } = rows[at].parentElement;
  const moves = element("moves");
  moves.scrollTop = offsetTop - (moves.clientHeight - offsetHeight) / 2;
}

/** Show the values of the position and the move that was made. Returns both in words. */
function advise() {
  const { worth, best, loss } = game.advice[at];
  const facts = worth.map((value, each) => [heading(game.objectives[each]), number(game.objectives[each], value)]);
  if (best.length) facts.push(["best move", best.join(" or ")]);
  if (loss !== null) facts.push(["played next", `${game.moves[at].direction}${loss ? `, ${lost(game.objectives[0], loss)}` : ""}`]);
  element("worth").replaceChildren();
  const rates = game.four ? [["rate of 4s", game.four]] : [];
  for (const [term, detail] of [...facts, ...rates]) {
    const fact = make("div", element("worth"));
    make("dt", fact, { textContent: term });
    make("dd", fact, { textContent: detail });
  }
  return facts.map(fact => `; ${fact.join(" ")}`).join("");
}

/** Let the page's address link to this position, without a step in the history. Browsers refuse many changes a second. */
function link() {
  clearTimeout(linking);
  linking = setTimeout(() => history.replaceState(null, "", `#${at}`), 250);
}

/** The position that the page's address links to. */
function linked() {
  return parseInt(location.hash.slice(1)) || 0;
}

function setTimer(next) {
  clearTimeout(timer);
  timer = next;
  const action = timer === null ? "play" : "pause";
  element("play").ariaLabel = action;
  element("sign").setAttribute("d", SIGNS[action]);
}

function playOn() {
  setTimer(setTimeout(() => {
    if (at + 1 < last) playOn();
    else setTimer(null);
    show(at + 1);
  }, DELAYS[speed]));
}

function playOrPause() {
  if (timer !== null) return go(at);
  if (at === last) show(0);
  if (last > 0) playOn();
}

/** Go to a position and stay there. */
function go(to) {
  setTimer(null);
  show(Math.max(0, Math.min(to, last)));
}

function setSpeed(value) {
  speed = value;
  speeds.forEach(button => button.ariaPressed = Number(button.value) === speed);
  if (timer !== null) playOn();
}

const ACTIONS = {
  first: () => go(0),
  back: () => go(at - 1),
  play: playOrPause,
  forward: () => go(at + 1),
  last: () => go(last),
};
for (const [id, act] of Object.entries(ACTIONS)) element(id).onclick = act;

const KEYS = {
  " ": ACTIONS.play, ArrowLeft: ACTIONS.back, ArrowRight: ACTIONS.forward,
  Home: ACTIONS.first, End: ACTIONS.last,
};
for (const { value } of speeds) KEYS[value] = () => setSpeed(Number(value));

addEventListener("keydown", event => {
  const { key, target } = event;
  if (event.ctrlKey || event.altKey || event.metaKey || !(key in KEYS)) return;
  // Space presses the button that has the focus.
  if (key === " " && target.closest("button")) return;
  event.preventDefault();
  if (key !== " " || !event.repeat) KEYS[key]();
});

addEventListener("hashchange", () => go(linked()));
element("progress").max = last;
element("progress").oninput = event => go(event.target.valueAsNumber);
element("moves").onclick = event => {
  const row = event.target.closest("button");
  if (row) go(Number(row.value));
};
element("moves").onkeydown = event => {
  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (!step || !event.target.value) return;
  event.preventDefault();
  rows[Number(event.target.value) + step]?.focus();
};

element("advice").hidden = !game.objectives;
document.querySelector("main").classList.toggle("solved", Boolean(game.objectives));
element("result").textContent = game.result;
element("code").textContent = game.code;
document.title = `${game.name}: a game of 2048, move by move`;
document.querySelector("main").hidden = false;
setSpeed(speed);
go(linked());
