"""Chromium, with a page in it and somebody at the keys. `trial` runs a trial: a function of the caller's."""

import shutil
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PAGE = Path(sys.argv[2])

# Time that passes only when told to: `pass(milliseconds)`.
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

# All that the page says, each time that it says something else.
LISTEN = """
window.heard = [];
const said = document.querySelector("[aria-live=polite]");
const hear = changes => changes.forEach(change => heard.push(change.addedNodes[0].data));
new MutationObserver(hear).observe(said, { childList: true });
"""

# Texts with their contrast as WCAG 2 defines it.
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


def start():
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1000,800"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    options.binary_location = shutil.which("chromium")
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    return webdriver.Chrome(options, service)


def open_page(page=PAGE):
    browser.get(page.as_uri())


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


def emulate(*features):
    media = {"features": [{"name": name, "value": value} for name, value in features]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)


def script_before_the_page(text):
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": text})


def trial(trials):
    """Run the function that the command line names, and see that the browser has nothing to complain of."""
    try:
        trials[sys.argv[1]]()
        same(browser.get_log("browser"), [])
    finally:
        browser.quit()


browser = start()
