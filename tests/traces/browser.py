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

    def click_canvas(self, x, y):
        """At (x, y) from the upper left corner of the timeline, in pixels."""
        box = self.run("const c = document.querySelector('#timeline canvas'); c.scrollIntoView({block: 'center'});"
                       "const b = c.getBoundingClientRect(); return [b.left, b.top]")
        moves = [{"type": "pointerMove", "x": round(box[0] + x), "y": round(box[1] + y)}, {"type": "pointerDown", "button": 0},
                 {"type": "pointerUp", "button": 0}]
        self.call("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": moves}]})

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait()
