"""Runs the steps of an interop program and prints what came of them as one line of JSON."""

import importlib.metadata
import json
import time

STEP_LIMIT_SECONDS = 40


class Report:
    """Collects the outcomes of one client, which is the installed package of that name."""

    def __init__(self, client, package):
        self.report = {"client": client, "version": importlib.metadata.version(package), "outcomes": []}

    def step(self, name, run):
        """Runs one step; a failed one does not keep later ones from running."""
        outcome = {"step": name, "passed": True}
        try:
            run()
        except Exception as error:  # whatever goes wrong is what we are here to tell
            outcome = {"step": name, "passed": False, "message": f"{type(error).__name__}: {error}"}
        self.report["outcomes"].append(outcome)

    def print(self):
        print(json.dumps(self.report), flush=True)


def expect(is_so, message):
    if not is_so:
        raise AssertionError(message)


def eventually(ask):
    """Asks until the answer is no exception, and fails with the last one when the time is up."""
    end = time.monotonic() + STEP_LIMIT_SECONDS
    while True:
        try:
            return ask()
        except Exception:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
