"""The scripted model server as a process, and the coordinator's configuration that names it as endpoint "scripted"."""

import json
import subprocess

from installation import program_folder, wait_until


class ScriptedModel:
    """Answers request i with text i, and with the last text from then on. Works in `folder`."""

    def __init__(self, folder, texts):
        self.folder = folder
        (folder / "script.json").write_text(json.dumps({"replies": [{"text": text} for text in texts], "repeat_last": True}))
        self.process = subprocess.Popen([program_folder().parent / "tests/bin/scripted-model-server",
                                         "--script", folder / "script.json", "--port-file", folder / "port",
                                         "--request-log", folder / "requests.log"])
        wait_until((folder / "port").exists, 20, "the scripted model server listens")

    @property
    def pid(self):
        return self.process.pid

    def options(self, more=""):
        """For `kernelsmith up`; `more` is added to the coordinator's configuration."""
        address = (self.folder / "port").read_text().strip()
        configuration = self.folder / "coordinator.textproto"
        configuration.write_text(
            f'endpoints {{ name: "scripted" base_url: "http://{address}/v1" model: "scripted" }}\n{more}')
        return ["--coordinator-config", configuration]

    def requests(self):
        log = self.folder / "requests.log"
        return len(log.read_text().splitlines()) if log.exists() else 0

    def stop(self):
        self.process.terminate()
        self.process.wait(20)
