"""Chromium with a page and a keyboard: functions for trials, and the loop that runs them.

Each line of stdin is a trial as JSON. `trial` is a function of the file `script` in this directory. `page` is the file
to open, and `game` is the expected content. Each line of stdout is the function's result, or a failure as text. For
each trial, the script runs anew in a new tab, with `PAGE` and `GAME` set.
"""

import contextlib
import json
import runpy
import shutil
import sys
import traceback
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

# The file of the trial's page, and the expected content.
PAGE = None
GAME = None

# Timers that advance only when the test calls `pass(milliseconds)`.
CLOCK = """
{
  let now = 0, count = 0;
  const timers = new Map();
  window.setTimeout = (act, delay) => (timers.set(++count, { due: now + delay, act }), count);
  window.clearTimeout = timer => timers.delete(timer);
  window.pass = milliseconds => {
    for (const end = now + milliseconds;;) {
      const [next] = [...timers].sort(([, a], [, b]) => a.due - b.due);
      if (!next || next[1].due > end) { now = end; return; }
      timers.delete(next[0]);
      now = next[1].due;
      next[1].act();
    }
  };
}
"""

# Collect the announcements of the page, in order.
LISTEN = """
window.heard = [];
const said = document.querySelector("[aria-live=polite]");
const hear = changes => changes.forEach(change => heard.push(change.addedNodes[0].data));
new MutationObserver(hear).observe(said, { childList: true });
"""

# The visible texts, with their contrast as WCAG 2 defines it.
CONTRASTS = """
const levels = color => color.match(/[\\d.]+/g).map(Number);
const luminance = color => {
  const [red, green, blue] = levels(color).map(level => level / 255)
    .map(level => level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
};
const background = element => {
  const color = getComputedStyle(element).backgroundColor;
  return levels(color)[3] === 0 ? background(element.parentElement) : color;
};
const texts = [...document.querySelectorAll("main *")].filter(element =>
  element.checkVisibility() && [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim()));
return texts.map(element => {
  const colors = [getComputedStyle(element).color, background(element)];
  const [dark, light] = colors.map(luminance).sort((a, b) => a - b);
  return [element.textContent, (light + 0.05) / (dark + 0.05)];
});
"""

# For each element of a selector: its text or name, and its box.
BOXES = """
return [...document.querySelectorAll(arguments[0])].map(element => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return [element.id || element.ariaLabel || element.textContent, { x, y, width, height }];
});
"""


def start():
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,800"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # Where there is one, a build without windows draws the same pages in two thirds of the time.
    options.binary_location = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    return webdriver.Chrome(options, service)


def open_page(page=None):
    browser.get((page or PAGE).as_uri())


def press(*keys):
    ActionChains(browser).send_keys(*keys).perform()


def script(text):
    return browser.execute_script(text)


def find(selector):
    return browser.find_element(By.CSS_SELECTOR, selector)


def text(selector):
    return find(selector).get_property("textContent")


def focused():
    return browser.switch_to.active_element


def name():
    return focused().accessible_name


def same(found, expected):
    assert found == expected, f"found {found!r}, expected {expected!r}"


def tab_to(wanted):
    for _ in range(30):
        if name() == wanted:
            return
        press(Keys.TAB)
    raise AssertionError(f"Tab never came to {wanted}")


def contrasts():
    for scheme in ["light", "dark"]:
        emulate(("prefers-color-scheme", scheme))
        open_page()
        for shown, contrast in script(CONTRASTS):
            assert contrast >= 4.5, (shown, scheme, contrast)


def resize(width, height):
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def boxes(selector):
    """The names and boxes of the elements that are on the page; one question for each would take long."""
    found = browser.execute_script(BOXES, selector)
    assert found, selector
    return found


def is_inside(selector, width, height):
    """Check that the window has room for all elements and for all that is wide."""
    for part, box in boxes(selector):
        assert box["x"] >= 0 and box["x"] + box["width"] <= width, (width, height, part, box)
        assert box["y"] >= 0 and box["y"] + box["height"] <= height, (width, height, part, box)
    same(*script("const page = document.documentElement; return [page.scrollWidth, page.clientWidth]"))


def fits_fingers():
    for control, box in boxes("button, input"):
        assert box["width"] >= 44 and box["height"] >= 44, (control, box)


def emulate(*features):
    media = {"features": [{"name": name, "value": value} for name, value in features]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


def script_before_the_page(text):
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": text})


def attempt(script, trial, page, game):
    """Run a trial; the browser's log must be empty at its end."""
    global PAGE, GAME
    PAGE, GAME = Path(page), game
    before = browser.current_window_handle
    browser.switch_to.new_window("tab")
    tab = browser.current_window_handle
    browser.switch_to.window(before)
    browser.close()
    browser.switch_to.window(tab)
    # Frames of motion take most of the time.
    emulate(("prefers-reduced-motion", "reduce"))
    result = runpy.run_path(str(Path(__file__).with_name(script)))[trial]()
    same(browser.get_log("browser"), [])
    return result


def serve():
    for line in sys.stdin:
        try:
            answer = {"result": attempt(**json.loads(line))}
        except Exception:
            answer = {"failure": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


browser = start()
if __name__ == "__main__":
    try:
        # The scripts import this module, and must share its browser.
        sys.modules["browser"] = sys.modules["__main__"]
        serve()
    finally:
        # A build without windows outlives its driver.
        with contextlib.suppress(WebDriverException):
            browser.execute_cdp_cmd("Browser.close", {})
        browser.quit()
