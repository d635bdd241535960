"""A real Prometheus scrapes every process of a running installation, loads the alert rules, and finds the metrics that the
dashboard and the alerts ask for."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

from installation import ROOT, Installation, wait_until
from scripted_model import ScriptedModel

CONFIGURATION = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: ["{root}/deploy/prometheus/alerts.yml"]
scrape_configs:
  - job_name: kernelsmith
    file_sd_configs: [{{files: ["{targets}"]}}]
"""


class Prometheus:
    """A Prometheus on a free port, in a folder of its own."""

    def __init__(self, folder, targets):
        configuration = folder / "prometheus.yml"
        configuration.write_text(CONFIGURATION.format(root=ROOT, targets=targets))
        self.log = folder / "prometheus.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                ["prometheus", f"--config.file={configuration}", f"--storage.tsdb.path={folder}/tsdb",
                 "--web.listen-address=127.0.0.1:0"], stdout=subprocess.DEVNULL, stderr=log)
        self.address = wait_until(self._bound, 30, "Prometheus listens")
        wait_until(self._ready, 30, "Prometheus is ready; until then it answers 503")

    def _bound(self):
        found = re.search(r'"Listening on" address=(\S+)', self.log.read_text())
        return found and found.group(1)

    def _ready(self):
        try:
            with urllib.request.urlopen(f"http://{self.address}/-/ready", timeout=10) as answer:
                return answer.status == 200
        except urllib.error.URLError:
            return False

    def ask(self, path, **parameters):
        url = f"http://{self.address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)["data"]

    def stop(self):
        self.process.terminate()
        self.process.wait(30)


def metric_names(text):
    """Names of the form kernelsmith_... in rules or a dashboard."""
    return set(re.findall(r"\bkernelsmith_[a-z0-9_]+", text))


class PrometheusScrape(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        path = pathlib.Path(cls.folder.name)
        cls.model = ScriptedModel(path, ["no code in here"])
        cls.installation = Installation(path / "data", options=cls.model.options())
        cls.installation.__enter__()
        cls.installation.finish(cls.installation.submit("configs/tasks/relu.py", "--rounds", 2, "--set", "ROWS=256"))
        chat = cls.installation.submit("configs/tasks/relu.py", "--rounds", 1, "--set", "ROWS=256",
                                       "--proposer", "chat", "--endpoint", "scripted")
        cls.installation.finish(chat)
        cls.prometheus = Prometheus(pathlib.Path(cls.folder.name), cls.installation.folder / "prometheus-targets.json")

    @classmethod
    def tearDownClass(cls):
        cls.prometheus.stop()
        cls.installation.stop()
        cls.model.stop()
        cls.folder.cleanup()

    def test_every_process_is_up(self):
        def healthy():
            targets = self.prometheus.ask("targets")["activeTargets"]
            return [t for t in targets if t["health"] == "up"] if len(targets) == 4 else []
        up = wait_until(lambda: len(healthy()) == 4 and healthy(), 30, "four targets are up")
        self.assertEqual({t["labels"]["daemon"] for t in up}, {"memory", "coordinator", "worker-0", "worker-1"})

    def test_the_rules_are_loaded_and_evaluate(self):
        def evaluated():
            groups = self.prometheus.ask("rules")["groups"]
            rules = [rule for group in groups for rule in group["rules"]]
            return rules if rules and all(rule["health"] == "ok" for rule in rules) else None
        self.assertGreaterEqual(len(wait_until(evaluated, 30, "all rules evaluate")), 8)

    def test_what_dashboard_and_alerts_ask_for_exists(self):
        wanted = metric_names((ROOT / "deploy/prometheus/alerts.yml").read_text())
        wanted |= metric_names((ROOT / "deploy/grafana/kernelsmith.json").read_text())
        self.assertGreater(len(wanted), 15)
        missing = lambda: wanted - set(self.prometheus.ask("label/__name__/values"))  # noqa: E731
        try:
            wait_until(lambda: not missing(), 20, "all metrics")
        except TimeoutError:
            self.fail(f"metrics that no process serves: {sorted(missing())}")


if __name__ == "__main__":
    unittest.main()
