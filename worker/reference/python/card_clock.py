"""The PyTorch baseline on an Ascend card: calls bound to tensors of the card, timed by events of its stream.

The boundary is the candidate's: each call lies between two events, inputs are on the card before the first one.
"""

import copy

import torch


class CardClock:
    def __init__(self, device):
        import torch_npu  # noqa: F401  (adds torch.npu)
        self.device = device
        self._npu = torch.npu
        self._npu.set_device(device)
        self._calls = []

    def bind(self, task, case, tensors):
        """One call of the task on copies of these tensors, which Run refreshes."""
        there = [tensor.to(self.device) for tensor in tensors]
        moved = copy.copy(task)
        if getattr(task, "model", None) is not None:
            moved.model = copy.deepcopy(task.model).to(self.device)
        self._calls.append((tensors, there, moved.call(case, there, False)))

    def __len__(self):
        return len(self._calls)

    def run(self, slots):
        """Microseconds of the card, all calls together."""
        for slot in slots:
            here, there, _ = self._calls[slot]
            for tensor, target in zip(here, there):
                target.copy_(tensor)
        events = [self._npu.Event(enable_timing=True) for _ in range(len(slots) + 1)]
        self._npu.synchronize()
        with torch.inference_mode():
            events[0].record()
            for slot, event in zip(slots, events[1:]):
                self._calls[slot][2]()
                event.record()
        self._npu.synchronize()
        return sum(begin.elapsed_time(end) for begin, end in zip(events, events[1:])) * 1000

    def close(self):
        self._calls = []
