# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium for tests of pages, with real clicks and keys (WebDriver)."""
import json
import shutil
import socket
import subprocess
import time
import urllib.request

BROWSER = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")


class Browser:
    """A session of chromedriver (W3C WebDriver)."""

    def __init__(self, folder):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.process = subprocess.Popen([DRIVER, f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        self.wait_until_ready()
        options = {"binary": BROWSER, "args": [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--window-size=1200,900", f"--user-data-dir={folder}"]}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.base += "/session/" + session["sessionId"]

    def wait_until_ready(self):
        for _ in range(600):
            try:
                if self.call("GET", "/status")["ready"]:
                    return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        return self.call("POST", "/execute/sync", {"script": script, "args": []})

    def text(self, selector):
        return self.run(f"return document.querySelector({json.dumps(selector)}).textContent")

    def element(self, selector):
        return next(iter(self.call("POST", "/element", {"using": "css selector", "value": selector}).values()))

    def click(self, selector):
        self.call("POST", f"/element/{self.element(selector)}/click", {})

    def keys(self, text, canvas='#timeline canvas'):
        self.call("POST", f"/element/{self.element(canvas)}/value", {"text": text})

    def on_canvas(self, x, y, canvas="#timeline canvas"):
        """(x, y) from the upper left corner of a canvas, in pixels, as a place in the window."""
        box = self.run(f"const c = document.querySelector('{canvas}'); c.scrollIntoView({{block: 'center'}});"
                       "const b = c.getBoundingClientRect(); return [b.left, b.top]")
        return {"x": round(box[0] + x), "y": round(box[1] + y)}

    def act(self, actions, key=None):
        """Of the mouse, or the wheel, while a key is held."""
        kind = "wheel" if actions[0]["type"] == "scroll" else "pointer"
        held = [{"type": "keyDown", "value": key}, *[{"type": "pause"}] * len(actions), {"type": "keyUp", "value": key}]
        moved = {"type": kind, "id": "the " + kind, "actions": [{"type": "pause"}, *actions] if key else actions}
        self.call("POST", "/actions", {"actions": [moved, *([{"type": "key", "id": "keys", "actions": held}] if key else [])]})

    def point_at(self, x, y):
        self.act([{"type": "pointerMove", **self.on_canvas(x, y)}])

    def click_canvas(self, x, y):
        self.act([{"type": "pointerMove", **self.on_canvas(x, y)}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])

    def drag(self, begin, end, key=None, canvas="#timeline canvas"):
        self.act([{"type": "pointerMove", **self.on_canvas(*begin, canvas)}, {"type": "pointerDown", "button": 0}, {"type": "pointerMove", **self.on_canvas(*end, canvas)},
                  {"type": "pointerUp", "button": 0}], key)

    def rest(self):
        """Waits until the page scrolls no more, and what it draws then is drawn."""
        self.run("let last = -1, n = 0; return new Promise((done) => { const look = () => { n = scrollY === last ? n + 1 : 0; last = scrollY; "
                 "n < 5 ? requestAnimationFrame(look) : done(true); }; look(); })")

    def wheel(self, delta, key=None):
        """In the middle of the timeline."""
        middle = self.run("const c = document.querySelector('#timeline canvas'); return [c.clientWidth / 2, c.clientHeight / 2]")
        self.act([{"type": "scroll", **self.on_canvas(*middle), "deltaX": 0, "deltaY": delta}], key)

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
