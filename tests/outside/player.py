"""Trials of the page of `enum48 replay CODE --html FILE` in Chromium, with the keyboard alone.

`player.rs` runs the trials, which are functions of this file. GAME is the expected content: name, code, result, and for
each position its announcement, board and score. Positions of a page with advice also have pairs of texts.
"""

import json
import re

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from browser import *

POSITIONS = GAME["positions"]
LAST = len(POSITIONS) - 1

# The tiles, with the share of their width that the text fills.
WIDTHS = """
return [...document.querySelectorAll(".tile")].map(tile => {
  const text = document.createRange();
  text.selectNodeContents(tile);
  return [tile.textContent, text.getBoundingClientRect().width / tile.clientWidth];
});
"""


def number():
    return int(find("[type=range]").get_property("value"))


def playing():
    return find("#play").accessible_name == "pause"


def heard(position):
    """The announcement after a step to a position."""
    advice = [f"; {fact} {value}" for fact, value in position.get("advice", [])]
    return position["says"] + "".join(advice)


def shown_advice(position):
    """The advice on the page, which also names the rate of 4s, but does not speak it."""
    advice = [list(pair) for pair in position.get("advice", [])]
    return advice and [*advice, ["rate of 4s", "1/10"]]


# All parts of the page that depend on the position.
SHOWN = """
const find = selector => document.querySelector(selector);
const texts = element => element.innerText.split("\\n").filter(text => text.trim());
const [current, ...others] = document.querySelectorAll("[aria-current]");
const row = current.getBoundingClientRect(), frame = find("#moves").getBoundingClientRect();
return {
  number: find("[type=range]").value,
  spoken: find("[aria-live=polite]").textContent,
  advice: [...document.querySelectorAll("#worth > div")].map(texts),
  caption: find("#caption").textContent,
  board: find("[role=img]").ariaLabel,
  tiles: [...document.querySelectorAll(".tile")].map(tile => tile.textContent || "empty"),
  score: find("#score").textContent,
  shown_number: find("#number").textContent,
  spoken_number: find("[type=range]").ariaValueText,
  current: [current.value, others.length],
  in_frame: frame.top <= row.top && row.bottom <= frame.bottom + 1,
};
"""


def is_at(expected):
    """Check that all parts of the page show this position."""
    position = POSITIONS[expected]
    same(script(SHOWN), {
        "number": str(expected),
        "spoken": heard(position),
        "advice": shown_advice(position),
        "caption": position["says"],
        "board": position["board"],
        "tiles": re.findall(r"(?<!row )\b(?:\d+|empty)\b", position["board"]),
        "score": str(position["score"]),
        "shown_number": f"{expected} of {LAST}",
        "spoken_number": f"move {expected} of {LAST}",
        "current": [str(expected), 0],
        "in_frame": True,
    })


def steps():
    open_page()
    same(browser.title, f"{GAME['name']}: a game of 2048, move by move")
    same(text("h1"), GAME["name"])
    same(text("#code"), GAME["code"])
    same(text("#result"), GAME["result"])
    same(find("#advice").is_displayed(), "advice" in POSITIONS[0])
    same(find("[role=img]").accessible_name, POSITIONS[0]["board"])
    is_at(0)
    press(Keys.ARROW_LEFT)
    is_at(0)
    for at in range(1, LAST + 1):
        press(Keys.ARROW_RIGHT)
        is_at(at)
    press(Keys.ARROW_RIGHT)
    is_at(LAST)
    if LAST > 0:
        press(Keys.ARROW_LEFT)
        is_at(LAST - 1)
    press(Keys.HOME)
    is_at(0)
    press(Keys.END)
    is_at(LAST)
    press(Keys.SPACE)
    same(playing(), LAST > 0)
    is_at(0)


def announcements():
    open_page()
    script(LISTEN)
    same(text("[aria-live=polite]"), "start of 7 moves")
    press(*[Keys.ARROW_RIGHT] * 7)
    same(script("return heard"), [
        "move 1 of 7: up, a 2 at row 2 column 2",
        "move 2 of 7: left, a 2 at row 2 column 2",
        "move 3 of 7: left, a 4 at row 2 column 2",
        "move 4 of 7: left, a 2 at row 2 column 2",
        "move 5 of 7: up, a 2 at row 2 column 2",
        "move 6 of 7: left, a 2 at row 1 column 2",
        "move 7 of 7: up, wins",
    ])
    same(text("#result"), "won")


def advises():
    script_before_the_page(CLOCK)
    open_page()
    script(LISTEN)
    losses = [button.text.split()[-1] for button in browser.find_elements(By.CSS_SELECTOR, "#moves button")]
    played = [dict(position["advice"]).get("played next", "").partition(", ")[2] for position in POSITIONS[:-1]]
    assert any(played) and not all(played), played
    for row, loss in zip(losses[1:], played):
        same(row if row.startswith("−") else "", loss)
    # A step announces the move and the advice once. Playing announces only the moves.
    press(Keys.ARROW_RIGHT)
    same(script("return heard"), [heard(POSITIONS[1])])
    press("3", Keys.SPACE)
    script("heard.length = 0; pass(400)")
    same(script("return heard"), [POSITIONS[2]["says"]])


def plays():
    script_before_the_page(CLOCK)
    open_page()
    for key, delay in [("1", 1600), ("2", 800), ("3", 400), ("4", 150), ("5", 50)]:
        press(Keys.HOME, key, Keys.SPACE)
        assert playing()
        same(find("[aria-pressed=true]").accessible_name, f"speed {key}")
        script(f"pass({3 * delay - 1})")
        same(number(), 2)
        script("pass(1)")
        same(number(), 3)
        press(Keys.SPACE)
        assert not playing()
        script("pass(100000)")
        is_at(3)
    # The speed can change while the game plays. A step by key pauses it.
    press(Keys.HOME, "1", Keys.SPACE, "3")
    script("pass(400)")
    same(number(), 1)
    press(Keys.ARROW_RIGHT)
    assert not playing()
    script("pass(100000)")
    is_at(2)
    # The game plays to its end, and then again from the start.
    press(Keys.SPACE)
    script("pass(100000)")
    assert not playing()
    is_at(LAST)
    press(Keys.SPACE)
    assert playing()
    is_at(0)


def plays_in_real_time():
    open_page()
    press("5", Keys.SPACE)
    WebDriverWait(browser, 30, 0.05).until(lambda _: number() == LAST and not playing())
    is_at(LAST)


def announces_calmly():
    script_before_the_page(CLOCK)
    open_page()
    script(LISTEN)

    def hear(keys, milliseconds):
        press(Keys.HOME, *keys, Keys.SPACE)
        script(f"heard.length = 0; pass({milliseconds})")
        return script("return heard")

    says = [position["says"] for position in POSITIONS]
    same(hear("3", 4000), says[1:11])
    same(hear("4", 4000), says[7:27:7])
    same(hear("5", 4000), says[20:81:20])
    press(Keys.ARROW_RIGHT)
    same(script("return heard.at(-1)"), says[81])
    same(hear("5", 100000)[-1], says[LAST])


def focus():
    script_before_the_page(CLOCK)
    open_page()
    press(Keys.HOME)
    names = []
    while True:
        press(Keys.TAB)
        if focused().tag_name == "body":
            break
        names.append(name())
        assert focused().value_of_css_property("outline-style") == "solid", name()
        assert focused().value_of_css_property("outline-width") == "3px", name()
        # Each key acts once, and the focus does not move.
        press(Keys.END, Keys.HOME, *[Keys.ARROW_RIGHT] * 4, Keys.ARROW_LEFT)
        is_at(3)
        press("4")
        same(find("[aria-pressed=true]").accessible_name, "speed 4")
    same(names, [
        "progress", "first", "step back", "play", "step forward", "last",
        "speed 1", "speed 2", "speed 3", "speed 4", "speed 5", "3 left +4", "copy",
    ])

    # On a button, Space and Enter press it once. Elsewhere, Space plays.
    for key in [Keys.SPACE, Keys.ENTER]:
        for button, at in [("first", 0), ("step back", 4), ("step forward", 6), ("last", LAST)]:
            press(Keys.HOME, *[Keys.ARROW_RIGHT] * 5)
            tab_to(button)
            press(key)
            is_at(at)
            assert not playing()
        tab_to("play")
        press(key)
        assert playing()
        same(name(), "pause")
        press(key)
        assert not playing()
        tab_to("speed 2")
        press(key)
        same(find("[aria-pressed=true]").accessible_name, "speed 2")
        assert not playing()
    tab_to("progress")
    press(Keys.SPACE)
    assert playing()
    press(Keys.SPACE)
    press(Keys.HOME, Keys.PAGE_UP)
    same(number(), 4)
    is_at(4)


def modifiers():
    open_page()
    script("window.left = 0; addEventListener('keydown', event => { left += !event.defaultPrevented })")
    for held in ["ctrlKey", "altKey", "metaKey"]:
        for key in ["ArrowRight", "End", " ", "4"]:
            # The event goes only to the page, because the browser might leave the page.
            event = json.dumps({"key": key, held: True, "bubbles": True, "cancelable": True})
            script(f"document.body.dispatchEvent(new KeyboardEvent('keydown', {event}))")
            is_at(0)
            assert not playing()
    same(script("return left"), 12)
    same(find("[aria-pressed=true]").accessible_name, "speed 2")


def moves():
    open_page()
    press(*[Keys.ARROW_RIGHT] * 5)
    tab_to("5 left")
    press(*[Keys.ARROW_DOWN] * 20)
    same((number(), focused().get_property("value")), (5, "25"))
    press(Keys.ENTER)
    is_at(25)
    press(*[Keys.ARROW_UP] * 2, Keys.SPACE)
    is_at(23)
    assert not playing()


def copies():
    browser.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    open_page()
    tab_to("copy")
    press(Keys.ENTER)
    same(name(), "copied")
    same(script("return navigator.clipboard.readText()"), GAME["code"])


def motion():
    emulate(("prefers-reduced-motion", "reduce"))
    open_page()
    script("""
    window.moved = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, timing) {
      moved.push(frames[0].transform);
      return animate.call(this, frames, timing);
    };
    """)
    press(*[Keys.ARROW_RIGHT] * LAST, Keys.HOME, Keys.ARROW_RIGHT)
    same(script("return [moved, document.getAnimations().length]"), [[], 0])

    emulate(("prefers-reduced-motion", "no-preference"))
    press(*[Keys.ARROW_RIGHT] * 7)
    moved = [re.sub(r"[1-9]\d*", "N", frame) for frame in script("return moved")]
    # The move left turns 2 . . / 2 . 2 into 2 . . / 4 . ., and the move up 8 2 4 / 4 2 . into 8 4 4 / 4 . .
    same(moved[:2], ["translate(Npx, 0px)", "scale(0)"])
    same(moved[-2:], ["translate(0px, Npx)", "scale(0)"])
    WebDriverWait(browser, 30).until(lambda _: script("return document.getAnimations().length") == 0)


def links():
    script_before_the_page(CLOCK)
    open_page()
    entries = script("return history.length")

    def follow(link, to):
        script(f"location.replace('#{link}')")
        WebDriverWait(browser, 30).until(lambda _: number() == to)

    same(script("return location.hash"), "")
    press(*[Keys.ARROW_RIGHT] * 3)
    script("pass(1000)")
    same(script("return location.hash"), "#3")
    # Browsers limit changes of the address, so in a fast game it changes only when the game stops.
    press("5", Keys.SPACE)
    script("pass(3000)")
    same(script("return location.hash"), "#3")
    press(Keys.SPACE)
    script("pass(1000)")
    same(script("return location.hash"), "#63")
    follow(7, 7)
    assert not playing()
    is_at(7)
    follow(LAST + 1, LAST)
    script("pass(1000)")
    same(script("return location.hash"), f"#{LAST}")
    follow("start", 0)
    same(script("return history.length"), entries)

    browser.get("about:blank")
    browser.get(f"{PAGE.as_uri()}#42")
    is_at(42)


def fits():
    """The board and the controls are in the window, and the board is not tiny."""
    open_page()
    for size in [(1280, 860), (1280, 720), (844, 390), (667, 375), (390, 844), (390, 664), (320, 568)]:
        resize(*size)
        is_inside("header, #board, #caption, #player input, #player button", *size)
        ((_, board),) = boxes("#board")
        assert max(board["width"], board["height"]) >= 0.4 * min(size), (size, board)


def phone():
    resize(320, 640)
    open_page()
    press(Keys.END)
    is_at(LAST)
    wide = script("return document.documentElement.scrollWidth")
    same(wide, 320)
    fits_fingers()
    sides = {(round(cell["width"]), round(cell["height"])) for _, cell in boxes(".cell")}
    assert len(sides) == 1 and len(set(*sides)) == 1, sides


def tiles():
    # The page does not check the rules, so it shows a board with all tiles.
    every = PAGE.with_name("every.html")
    powers = [2 << power for power in range(16)]
    page = PAGE.read_text("utf-8")
    every.write_text(re.sub(r'"start":\[[\d,]*\]', f'"start":{powers}', page), "utf-8")
    for width in [320, 1000]:
        resize(width, 800)
        for scheme in ["light", "dark"]:
            emulate(("prefers-color-scheme", scheme))
            open_page(every)
            for tile, share in script(WIDTHS):
                assert share < 0.9, (tile, width, share)
            found = script(CONTRASTS)
            assert len(found) > 30, found
            for shown, contrast in found:
                assert contrast >= 4.5, (shown, scheme, contrast)
    dark = find("body").value_of_css_property("background-color")
    emulate(("prefers-color-scheme", "light"))
    assert find("body").value_of_css_property("background-color") != dark


def without_scripts():
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    open_page()
    shown = find("body").text
    assert GAME["code"] in shown and len(shown.splitlines()) == 1, shown

