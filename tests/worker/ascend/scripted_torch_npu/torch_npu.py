"""A stand-in for torch_npu: no card, no driver. Tensors "on npu:0" are copies on the host, and an event is worth 250
microseconds after the one before it, whatever really happened. It insists on the order of calls that a card needs."""

import torch

__version__ = "scripted, no card"

_EVENT_MS = 0.25


class _Npu:
    def __init__(self):
        self.device = None
        self.recorded = 0
        self.complete = 0

    def set_device(self, device):
        if device != "npu:0":
            raise RuntimeError(f"the stand-in has npu:0, not {device}")
        self.device = device

    def synchronize(self):
        self.complete = self.recorded

    def Event(self, enable_timing=False):  # noqa: N802 (the name is torch's)
        if not enable_timing:
            raise RuntimeError("an event without a time")
        return _Event(self)


class _Event:
    def __init__(self, npu):
        self._npu, self.number = npu, None

    def record(self):
        if self._npu.device is None:
            raise RuntimeError("an event before set_device")
        self._npu.recorded += 1
        self.number = self._npu.recorded

    def elapsed_time(self, end):
        if self.number is None or end.number > self._npu.complete:
            raise RuntimeError("an event is read before the stream was waited for")
        return _EVENT_MS * (end.number - self.number)


torch.npu = _Npu()

_tensor_to, _module_to = torch.Tensor.to, torch.nn.Module.to


def _to(tensor, *arguments, **options):
    if arguments and str(arguments[0]).startswith("npu:"):
        there = tensor.clone()
        there.on_card = True
        return there
    return _tensor_to(tensor, *arguments, **options)


torch.Tensor.to = _to
torch.nn.Module.to = lambda module, device: module if str(device).startswith("npu:") else _module_to(module, device)
