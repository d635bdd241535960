"""Element types, shared buffers and casts of the reference process.

A buffer is one memfd of the worker that holds several tensors at byte offsets; tensors here are views of it.
"""

import mmap

import torch

# Names of kernelsmith.v1.DType.
DTYPES = {
    "FP32": torch.float32,
    "FP16": torch.float16,
    "BF16": torch.bfloat16,
    "FP64": torch.float64,
    "INT8": torch.int8,
    "INT16": torch.int16,
    "INT32": torch.int32,
    "INT64": torch.int64,
    "UINT8": torch.uint8,
    "BOOL": torch.bool,
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}


class TaskError(Exception):
    """The task itself is wrong; the message is for its author."""


def dtype_name(dtype, what):
    if dtype not in NAMES:
        raise TaskError(f"{what} has element type {dtype}; supported are {', '.join(DTYPES)}")
    return NAMES[dtype]


def compute_dtype(dtype, double):
    """Type a tensor of `dtype` is computed in: double for the oracle, float32 for half types, else its own."""
    if not dtype.is_floating_point:
        return dtype
    if double:
        return torch.float64
    return torch.float32 if dtype in (torch.float16, torch.bfloat16) else dtype


class Buffer:
    """A mapping of a descriptor received from the worker. Closes the descriptor."""

    def __init__(self, descriptor, size, writable):
        access = mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)
        self._map = mmap.mmap(descriptor, max(size, 1), mmap.MAP_SHARED, access)

    def view(self, tensor):
        """The tensor described by {"dtype", "shape", "offset"}, contiguous, sharing the buffer's memory."""
        dtype = DTYPES[tensor["dtype"]]
        count = 1
        for extent in tensor["shape"]:
            count *= extent
        if count == 0:
            return torch.empty(tensor["shape"], dtype=dtype)
        flat = torch.frombuffer(self._map, dtype=dtype, count=count, offset=tensor["offset"])
        return flat.view(tensor["shape"])


def describe(name, tensor):
    return {"name": name, "dtype": dtype_name(tensor.dtype, f"'{name}'"), "shape": list(tensor.shape)}


def flatten_outputs(result):
    """The tensors of a result in order: a tensor, or a tuple, list or dict of them."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, (tuple, list)) and result:
        outputs = []
        for item in result:
            outputs.extend(flatten_outputs(item))
        return outputs
    raise TaskError(f"the reference returned {type(result).__name__}; it must return a tensor or a tuple of tensors")
