"""Trials of the page of `enum48 play --dir DIR --html FILE` in Chromium.

`solved.rs` runs the trials, which are functions of this file.
"""

import json
import random
import re

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser import *

ARROWS = {"up": Keys.ARROW_UP, "right": Keys.ARROW_RIGHT, "down": Keys.ARROW_DOWN, "left": Keys.ARROW_LEFT}


def open_seed(seed, page=PAGE):
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}#{seed}")
    WebDriverWait(browser, 60).until(lambda _: find("main").is_displayed())


def said():
    same(text("#said"), text("#caption"))
    return text("#said")


def board():
    return find("[role=img]").accessible_name


def rows():
    return browser.find_elements(By.CSS_SELECTOR, "#directions button")


def hints():
    """The accessible names of the legal moves."""
    return [row.accessible_name for row in rows() if row.get_attribute("aria-disabled") == "false"]


def moved(count):
    same(text("#number"), str(count))


# The names that the page gives to the board and to the legal moves.
NAMES = """
const [board, ...rows] = document.querySelectorAll("[role=img], #directions button");
const legal = rows.filter(row => row.ariaDisabled === "false");
return { board: board.ariaLabel, moves: legal.map(row => row.ariaLabel) };
"""


def games():
    """Play a game of best moves and one of random moves; return the codes, with the shown board and moves."""
    chance = random.Random(48)
    played = []
    for seed in ["5", "3w5e11264sgsf"]:
        open_seed(seed)
        press("i")
        # The browser takes long to find accessible names, so it is asked at the start and at the end.
        shown = [{"board": board(), "moves": hints()}]
        while legal := shown[-1]["moves"]:
            press("b" if seed == "5" else ARROWS[chance.choice(legal).split(",")[0]])
            shown.append(script(NAMES))
        same(shown[-1], {"board": board(), "moves": hints()})
        assert "the game is over" in said(), said()
        played.append({"code": text("#code"), "shown": shown})
    return played


def goal():
    open_seed("5")
    same(script("return [0, 1e-7, .00005, .9999498, .9999998, 1].map(chance => number('64', chance))"),
         ["0.00 %", "<0.01 %", "0.01 %", "99.99 %", ">99.99 %", "100.00 %"])
    return text("#goal")


def keys():
    """2x3, seed 5: every key, undo, and the announcements."""
    for left, up in [(Keys.ARROW_LEFT, Keys.ARROW_UP), ("a", "w"), ("h", "k"), ("A", "W")]:
        open_seed("5")
        same(board(), "row 1: empty, 2, 4; row 2: empty, empty, empty")
        same(said(), "a new game")
        press(up)
        same(said(), "that changes nothing")
        moved(0)
        press(left)
        same(said(), "left, a 2 at row 2 column 1")
        same(board(), "row 1: 2, 4, empty; row 2: 2, empty, empty")
        after = text("#code")
        press("u", "u")
        same(said(), "start")
        moved(0)
        press(left)
        same(text("#code"), after)
    press("i", "u")
    same(said(), "start; best: left")
    same(hints(), [
        "down, score to come 477.35, loss −<0.01, moves to come 52.23, chance of 64 93.93 %",
        "left, score to come 477.35, loss best, moves to come 52.23, chance of 64 93.93 %",
    ])
    assert find("#heading").is_displayed()
    press("i")
    same(hints(), ["down", "left"])
    assert not find("#heading").is_displayed()
    press("b")
    moved(1)


def seeds():
    open_seed("5")
    tab_to("seed")
    erase = [Keys.END, *[Keys.BACKSPACE] * 13]
    press(*erase, "tiles", Keys.ENTER)
    same(script("return location.hash"), "#tiles")
    assert text("#code").startswith("s1.2x3.tiles.0.."), text("#code")
    before = board()
    for bad in ["3w5e11264sgsg", "", "ä"]:
        press(*erase, bad, Keys.ENTER)
        assert said().startswith("a seed has"), said()
        same(board(), before)
    entries = script("return history.length")
    press(Keys.TAB, "n")
    assert script("return location.hash") != "#tiles"
    first = script("return location.hash")
    press("n")
    assert script("return location.hash") != first
    same(script("return history.length"), entries)


def watches():
    script_before_the_page(CLOCK)
    open_seed("5")
    tab_to("play")
    for key in [Keys.SPACE, Keys.ENTER]:
        for name_after in ["pause", "play"]:
            press(key)
            same(name(), name_after)
    open_seed("5")
    press("p")
    same(find("#play").accessible_name, "pause")
    script("pass(1799)")
    moved(2)
    script("pass(1)")
    moved(3)
    for key in ["x", "p", Keys.SPACE, Keys.ENTER]:
        press(key)
        same(find("#play").accessible_name, "play")
        script("pass(100000)")
        moved(3)
        press("p")
    press("u")
    moved(2)
    press("p")
    script("pass(1000000)")
    assert "lost: the game is over" in said(), said()
    same(find("#play").accessible_name, "play")
    press("p", "b")
    same(find("#play").accessible_name, "play")


def focus():
    open_seed("5")
    press("i")
    names = []
    while True:
        press(Keys.TAB)
        if focused().tag_name == "body":
            break
        names.append(name().split(",")[0])
        assert focused().value_of_css_property("outline-style") == "solid", name()
        if focused().tag_name == "input":
            press("b", "u")
            moved(0)
        else:
            press(Keys.ARROW_LEFT)
            moved(1)
            press("u")
            moved(0)
    controls = ["undo", "hints", "best", "play", "new"]
    same(names, [*controls, "up", "right", "down", "left", "seed", "start", "copy"])
    for key in [Keys.SPACE, Keys.ENTER]:
        for button in ["best", "left"]:
            open_seed("5")
            tab_to(button)
            press(key)
            moved(1)
    script("window.left = 0; addEventListener('keydown', event => { left += !event.defaultPrevented })")
    for held in ["ctrlKey", "altKey", "metaKey"]:
        for key in ["ArrowUp", "u", "n"]:
            event = json.dumps({"key": key, held: True, "bubbles": True, "cancelable": True})
            script(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {event}))")
    same(script("return left"), 9)
    moved(1)


def pointer(kind, selector, **event):
    """Dispatch an event of a pointer."""
    event = json.dumps({"isPrimary": True, "bubbles": True, **event})
    script(f"document.querySelector('{selector}').dispatchEvent(new PointerEvent('{kind}', {event}))")


def swipes():
    for (right, below), wanted in [((-60, 20), "left"), ((10, 60), "down"), ((9, -9), None)]:
        open_seed("5")
        finger = ActionChains(browser, duration=0).move_to_element(find("#board")).click_and_hold()
        finger.move_by_offset(right, below).release().perform()
        same(said().split(",")[0], wanted or "a new game")
    for selector, event, then, wanted in [
        ("#board", {}, "pointermove", "left"),
        ("#board", {}, "pointercancel", "a new game"),
        ("#board", {}, "pointerdown", "a new game"),
        ("#board", {"button": 2}, "pointermove", "a new game"),
        ("#board", {"isPrimary": False}, "pointermove", "a new game"),
        ("#goal", {}, "pointermove", "a new game"),
    ]:
        open_seed("5")
        pointer("pointerdown", selector, clientX=100, **event)
        pointer(then, "#goal")
        pointer("pointerup", "#goal")
        same(said().split(",")[0], wanted)
    same(find("#board").value_of_css_property("touch-action"), "none")


def motion():
    count = "return document.getAnimations().length"
    for reduce, animates in [("reduce", False), ("no-preference", True)]:
        emulate(("prefers-reduced-motion", reduce))
        open_seed("5")
        press(Keys.ARROW_LEFT)
        same(script(count) > 0, animates)


# The texts that have no room in the table of moves.
CUT = """
const cells = [...document.querySelectorAll("#directions, #directions span")];
return cells.filter(cell => cell.scrollWidth > cell.clientWidth + 1).map(cell => cell.textContent);
"""


def fits():
    """The board and the controls are in the window, nothing is too wide, and controls fit a finger."""
    open_seed("5")
    press("i")
    for size in [(1280, 720), (844, 390), (667, 375), (390, 664), (320, 568)]:
        resize(*size)
        is_inside("header, #board, #caption, #player button", *size)
        fits_fingers()
        same((size, script(CUT)), (size, []))


def contrast():
    for scheme in ["light", "dark"]:
        emulate(("prefers-color-scheme", scheme))
        open_seed("5")
        press("i", Keys.ARROW_LEFT)
        found = script(CONTRASTS)
        assert len(found) > 40, found
        for shown, ratio in found:
            assert ratio >= 4.5, (shown, scheme, ratio)


def damaged():
    """A cut or damaged page shows an error."""
    page = PAGE.read_text("utf-8")
    table = re.search(r'id="table"[^>]*>\n(\S+)', page)[1]
    middle = len(table) // 2
    for change in [table[:middle], table[:middle] + ("A" if table[middle] != "A" else "B") + table[middle + 1:]]:
        other = PAGE.with_name("damaged.html")
        other.write_text(page.replace(table, change), "utf-8")
        browser.get(other.as_uri())
        WebDriverWait(browser, 60).until(lambda _: text("#wait").startswith("the values cannot be unpacked"))
        assert not find("main").is_displayed()

