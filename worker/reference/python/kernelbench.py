"""Tasks in KernelBench format: class Model, get_inputs() and get_init_inputs() in one file."""

import ast
import inspect
import json
import random
import sys
import types

import numpy
import torch

from modules import bind, redraw, state_entries
from overrides import apply_overrides
from tensors import DTYPES, TaskError, compute_dtype, describe, dtype_name, flatten_outputs

_MAX_EFFECT_PROBES = 64  # state entries whose effect is looked for


def seed_everything(seed):
    torch.manual_seed(seed)
    random.seed(seed)
    numpy.random.seed(seed % 2**32)


def _literal(value):
    """JSON of a plain value, or None."""
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return None


def _bound_names(function, values, what):
    """Pairs (name, value) of positional values by the names in the signature of `function`."""
    names = []
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind == parameter.VAR_POSITIONAL:
            names.extend(f"{parameter.name}{i}" for i in range(len(values) - len(names)))
        elif parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            names.append(parameter.name)
    if len(names) < len(values):
        raise TaskError(f"{what} gives {len(values)} values, the signature takes {len(names)}")
    return list(zip(names, values))


class KernelBenchTask:
    def __init__(self, source, file_name, overrides, dtype):
        self._dtype = DTYPES[dtype] if dtype else None
        if self._dtype is not None and not self._dtype.is_floating_point:
            raise TaskError(f"dtype {dtype} is no floating-point type; only those can be overridden")
        try:
            tree = ast.parse(source, file_name)
        except SyntaxError as error:
            raise TaskError(f"{file_name}:{error.lineno}: {error.msg}") from None
        apply_overrides(tree, overrides)
        namespace = types.ModuleType("task")
        sys.modules["task"] = namespace
        exec(compile(tree, file_name, "exec"), namespace.__dict__)
        for name in ("Model", "get_inputs", "get_init_inputs"):
            if not hasattr(namespace, name):
                raise TaskError(f"{file_name} does not define {name}; a KernelBench file needs Model, get_inputs and "
                                "get_init_inputs")
        self._get_inputs = namespace.get_inputs
        seed_everything(0)
        init = namespace.get_init_inputs()
        self.model = namespace.Model(**init) if isinstance(init, dict) else namespace.Model(*init)
        self._init = init
        self._describe(namespace.Model)

    def _describe(self, model_class):
        arguments = self._arguments(1)
        # Arguments in order: None for a tensor, else the constant in a tuple.
        self._template = [None if isinstance(value, torch.Tensor) else (value,) for _, value in arguments]
        attributes = {}
        init = self._init.items() if isinstance(self._init, dict) else _bound_names(
            model_class.__init__, [None, *self._init], "get_init_inputs()")[1:]
        for name, value in [*init, *arguments]:
            literal = None if isinstance(value, torch.Tensor) else _literal(value)
            if literal is not None:
                attributes[name] = literal
            elif not isinstance(value, torch.Tensor) and not callable(value) and (name, value) in arguments:
                raise TaskError(f"argument '{name}' of forward is a {type(value).__name__}; tensors and plain values are "
                                "supported")
        tensors = [(name, value) for name, value in arguments if isinstance(value, torch.Tensor)]
        self.argument_names = [name for name, _ in tensors]
        self._initial = {name: self._cast(tensor.detach()) for name, tensor in state_entries(self.model)}
        self.parameter_names = list(self._initial)
        names = self.argument_names + self.parameter_names
        if len(set(names)) != len(names):
            raise TaskError(f"a parameter has the name of an argument: {', '.join(names)}")
        inputs = self.draw(None, 1)
        before = [tensor.clone() for tensor in inputs]
        outputs = self.compute(None, inputs, False)
        changed = {name for name, old, new in zip(names, before, inputs) if not self._same(old, new)}
        self._drop_parameters_without_effect(before, outputs)
        for name in self.argument_names + self.parameter_names:
            if name in changed:
                raise TaskError(f"the reference changes its input '{name}' in place; return a new tensor instead")
        inputs = inputs[:len(tensors)] + [self._initial[name] for name in self.parameter_names]
        self.cases = [{
            "id": "c0",
            "inputs": [describe(n, t) for n, t in zip(self.argument_names + self.parameter_names, inputs)],
            "outputs": [{"name": "output" if len(outputs) == 1 else f"output{i}",
                         "dtype": dtype_name(self._output_dtype(tensor, inputs), "an output"),
                         "shape": list(tensor.shape)} for i, tensor in enumerate(outputs)],
            "argument_count": len(tensors),
            "attributes": attributes,
            "hidden": False,
            "timed": True,
        }]

    @staticmethod
    def _same(old, new):
        """Equal, NaN included."""
        return torch.equal(old, new) or bool(((old == new) | ((old != old) & (new != new))).all())

    def _drop_parameters_without_effect(self, inputs, outputs):
        """Running statistics in training mode and the like are no inputs of a kernel."""
        self.dropped = []
        if len(self.parameter_names) > _MAX_EFFECT_PROBES:
            return
        first = len(self.argument_names)
        for position, name in enumerate(list(self.parameter_names)):
            changed = [tensor.clone() for tensor in inputs]
            tensor = changed[first + position]
            changed[first + position] = tensor * 1.5 + 0.5 if tensor.is_floating_point() else tensor
            if tensor.is_floating_point() and all(
                    torch.equal(a, b) for a, b in zip(outputs, self.compute(None, changed, False))):
                self.dropped.append(name)
        self.parameter_names = [name for name in self.parameter_names if name not in self.dropped]

    def _cast(self, tensor):
        if self._dtype is not None and tensor.is_floating_point():
            tensor = tensor.to(self._dtype)
        return tensor.contiguous()

    def _output_dtype(self, tensor, inputs):
        """Half inputs are computed in float32, so a float32 output of a half task is rounded to their type."""
        if not tensor.is_floating_point():
            return tensor.dtype
        if self._dtype is not None:
            return self._dtype
        halves = [t.dtype for t in inputs if t.dtype in (torch.float16, torch.bfloat16)]
        return halves[0] if halves and tensor.dtype == torch.float32 else tensor.dtype

    def _arguments(self, seed):
        seed_everything(seed)
        values = self._get_inputs()
        if not isinstance(values, (list, tuple)):
            raise TaskError(f"get_inputs() returned {type(values).__name__}; it must return a list")
        return _bound_names(self.model.forward, list(values), "get_inputs()")

    def draw(self, case, seed):
        """Inputs of one variant: arguments from get_inputs(), then parameters about their initial value."""
        del case
        arguments = [self._cast(value.detach()) for _, value in self._arguments(seed) if isinstance(value, torch.Tensor)]
        generator = torch.Generator().manual_seed(seed ^ 0x5EED)
        return arguments + [redraw(name, self._initial[name], generator) for name in self.parameter_names]

    def call(self, case, tensors, double):
        """A function without arguments that runs forward on exactly these tensors, and nothing else."""
        del case
        state = dict(zip(self.parameter_names, tensors[len(self.argument_names):]))
        model = bind(self.model, state, double)
        queue = list(tensors[:len(self.argument_names)])
        arguments = [queue.pop(0) if constant is None else constant[0] for constant in self._template]
        half = [isinstance(a, torch.Tensor) and a.dtype != compute_dtype(a.dtype, double) for a in arguments]
        if not any(half):
            return lambda: model(*arguments)
        return lambda: model(*[a.to(compute_dtype(a.dtype, double)) if cast else a for a, cast in zip(arguments, half)])

    def compute(self, case, tensors, double):
        """Outputs in the type of the computation."""
        seed_everything(1)
        torch.set_default_dtype(torch.float64 if double else torch.float32)
        try:
            with torch.no_grad():
                return flatten_outputs(self.call(case, tensors, double)())
        finally:
            torch.set_default_dtype(torch.float32)

    def compute_oracle(self, case, tensors):
        return self.compute(case, tensors, True)

    def traceable(self):
        """Module, names of its tensor arguments, and the constant arguments by position."""
        constants = {i: entry[0] for i, entry in enumerate(self._template) if entry is not None}
        return self.model, self.argument_names, constants

    @property
    def tolerance(self):
        return {}
