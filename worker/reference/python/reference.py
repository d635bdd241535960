"""Serves one task's reference to the worker: makes inputs, expected outputs and the PyTorch baseline.

Runs in a jail as `python3 reference.py THREADS`. Requests and answers are JSON behind a 4-byte little-endian length on
the Unix socket at descriptor 3; bulk data lies in memfds sent along with a request. Secrets never come here: a seed
belongs to one variant only.
"""

import array
import json
import os
import socket
import struct
import sys
import traceback
import warnings

warnings.filterwarnings("ignore")

import torch  # noqa: E402  (after the filter: importing it warns)

from card_clock import CardClock  # noqa: E402
from kernelbench import KernelBenchTask  # noqa: E402
from native import NativeTask  # noqa: E402
from tensors import DTYPES, Buffer, TaskError  # noqa: E402
from tracing import family, trace  # noqa: E402

_MAX_DESCRIPTORS = 64


class Channel:
    def __init__(self, descriptor):
        self._socket = socket.socket(fileno=descriptor)

    def receive(self):
        """(request, descriptors); ends the process when the worker is gone."""
        size = array.array("i").itemsize
        header, ancillary, _, _ = self._socket.recvmsg(4, socket.CMSG_LEN(_MAX_DESCRIPTORS * size))
        if not header:
            os._exit(0)
        descriptors = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                descriptors.frombytes(data[:len(data) - len(data) % size])
        header += self._exactly(4 - len(header))
        return json.loads(self._exactly(struct.unpack("<I", header)[0])), list(descriptors)

    def _exactly(self, count):
        parts = []
        while count:
            part = self._socket.recv(count)
            if not part:
                os._exit(0)
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def send(self, answer):
        text = json.dumps(answer).encode()
        self._socket.sendall(struct.pack("<I", len(text)) + text)


def _figures(narrow, want):
    """(expected values, their RMS, RMS difference to the reference's own rounded outputs), over finite values.

    Values that overflow the output's type are expected to be infinite, as the reference has them.
    """
    count = max(want.numel(), 1)
    largest = float(torch.linalg.vector_norm(want, float("inf"))) if want.numel() else 0.0
    if largest < torch.finfo(narrow.dtype).max and bool(torch.isfinite(narrow).all()):
        rms = float(torch.linalg.vector_norm(want)) / count**0.5
        return want, rms, float(torch.dist(narrow.to(want.dtype), want)) / count**0.5
    rounded = want.to(narrow.dtype).to(want.dtype)
    want = torch.where(torch.isinf(rounded), rounded, want)
    finite = torch.isfinite(want) & torch.isfinite(narrow)
    exact, own = want[finite].double(), narrow[finite].double()
    count = max(exact.numel(), 1)
    return want, float(exact.norm()) / count**0.5, float(torch.dist(own, exact)) / count**0.5


class Server:
    def __init__(self):
        self.task = None
        self._calls = []
        self._card = None

    def inspect(self, request, _):
        overrides, dtype = request["overrides"], request.get("dtype")
        if request["format"] == "kernelbench":
            self.task = KernelBenchTask(request["source"], request["file_name"], overrides, dtype)
        else:
            self.task = NativeTask(request["files"], overrides, dtype)
        graph = trace(*self.task.traceable())
        return {
            "cases": self.task.cases,
            "graph": graph,
            "family": family(graph),
            "name": getattr(self.task, "name", ""),
            "level": getattr(self.task, "level", ""),
            "tolerance": self.task.tolerance,
            "dropped": self.task.dropped,
            "version": torch.__version__,
            "threads": torch.get_num_threads(),
        }

    def make(self, request, descriptors):
        """Draws a variant into the input buffer."""
        buffer = Buffer(descriptors[0], request["input_bytes"], True)
        drawn = self.task.draw(request["case"], request["seed"])
        for declared, tensor in zip(request["inputs"], drawn):
            if list(tensor.shape) != declared["shape"] or tensor.dtype != DTYPES[declared["dtype"]]:
                raise TaskError(f"input '{declared['name']}' is {tensor.dtype} {list(tensor.shape)} with another seed, "
                                f"declared is {declared['dtype']} {declared['shape']}")
            buffer.view(declared).copy_(tensor)
        return {}

    def run(self, request, descriptors):
        """Expected outputs of exactly the inputs in the first buffer, written to the second.

        The answer has per output: "rms" of the finite expected values and "error", the RMS difference between the
        reference in the task's own precision and the double-precision oracle. Optional third buffer: the reference's
        own outputs in the outputs' types.
        """
        source = Buffer(descriptors[0], request["input_bytes"], False)
        target = Buffer(descriptors[1], request["output_bytes"], True)
        rounded = Buffer(descriptors[2], request["rounded_bytes"], True) if len(descriptors) > 2 else None
        inputs = [source.view(declared).clone() for declared in request["inputs"]]
        case, declared_outputs = request["case"], request["outputs"]
        same = self.task.compute(case, inputs, False)
        oracle, note = same, ""
        if any(DTYPES[output["dtype"]].is_floating_point for output in declared_outputs):
            try:
                oracle = self.task.compute_oracle(case, inputs)
                if [o.shape for o in oracle] != [s.shape for s in same]:
                    raise TaskError("its outputs have other shapes")
            except Exception as error:
                oracle, note = same, f"no double-precision oracle: {error}"
        numbers = []
        for index, output in enumerate(declared_outputs):
            got, want = same[index], oracle[index]
            if list(got.shape) != output["shape"]:
                raise TaskError(f"output '{output['name']}' has shape {list(got.shape)}, declared is {output['shape']}")
            dtype = DTYPES[output["dtype"]]
            if not dtype.is_floating_point:
                target.view(output["want"]).copy_(got)
                numbers.append({"rms": 0.0, "error": 0.0})
                if rounded:
                    rounded.view(output).copy_(got)
                continue
            narrow = got.to(dtype)
            want, rms, error = _figures(narrow, want)
            target.view(output["want"]).copy_(want)
            numbers.append({"rms": rms, "error": error})
            if rounded:
                rounded.view(output).copy_(narrow)
        return {"outputs": numbers, "note": note}

    def baseline_open(self, request, descriptors):
        """Binds one call to each slot of the shared pool, appended to those already open."""
        buffers = [Buffer(descriptor, size, False) for descriptor, size in zip(descriptors, request["sizes"])]
        if request.get("card") and self._card is None:
            self._card = CardClock(request["card"])
        for slot in request["slots"]:
            tensors = [buffers[entry["buffer"]].view(entry) for entry in slot]
            if self._card is not None:
                self._card.bind(self.task, request["case"], tensors)
                continue
            self._calls.append(self.task.call(request["case"], tensors, False))
        return {"slots": len(self._calls if self._card is None else self._card)}

    def baseline_run(self, request, _):
        if self._card is not None:
            return {"card_us": self._card.run(request["slots"])}
        calls = [self._calls[slot] for slot in request["slots"]]
        with torch.inference_mode():
            for call in calls:
                call()
        return {}

    def baseline_empty(self, request, _):
        if self._card is not None:  # nothing of a call's cost on the host is on the card's clock
            return {"card_us": 0}
        empty = [lambda: None] * len(self._calls)
        calls = [empty[slot] for slot in request["slots"]]
        with torch.inference_mode():
            for call in calls:
                call()
        return {}

    def baseline_close(self, _, __):
        self._calls = []
        if self._card is not None:
            self._card.close()
        return {}


def main():
    torch.set_num_threads(int(sys.argv[1]))
    channel, server = Channel(3), Server()
    # Nobody reads the pipes while a request runs: what the task prints must not block it.
    os.dup2(os.open("/dev/null", os.O_WRONLY), 1)
    os.dup2(os.open("stderr.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 2)
    operations = {name: getattr(server, name) for name in (
        "inspect", "make", "run", "baseline_open", "baseline_run", "baseline_empty", "baseline_close")}
    while True:
        request, descriptors = channel.receive()
        try:
            channel.send({"ok": True, **operations[request["op"]](request, descriptors)})
        except TaskError as error:
            channel.send({"ok": False, "kind": "task", "error": str(error)})
        except MemoryError:
            channel.send({"ok": False, "kind": "memory", "error": "the reference ran out of memory"})
        except (Exception, SystemExit, KeyboardInterrupt) as error:  # what the task raises belongs in the report
            frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(sys.path[0])]
            task_frames = [f for f in frames if "/" not in f.filename]
            where = f"{task_frames[-1].filename}:{task_frames[-1].lineno}: " if task_frames else ""
            kind = "memory" if "allocate memory" in str(error) else "task"
            channel.send({"ok": False, "kind": kind, "error": f"{where}{type(error).__name__}: {error}"})


main()
