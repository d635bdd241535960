"""Native tasks: task.yaml declares axes, inputs, outputs, attributes and cases; reference.py computes them.

docs/tasks.md describes the format.
"""

import ast
import inspect
import json
import sys
import types

import torch
import yaml

from kernelbench import seed_everything
from overrides import parse_literal
from tensors import DTYPES, TaskError, compute_dtype, flatten_outputs

_TOP = {"name", "axes", "inputs", "outputs", "attributes", "cases", "tolerance", "dtype", "level"}
_INPUT = {"name", "shape", "dtype", "distribution"}
_OUTPUT = {"name", "shape", "dtype"}
_CASE = {"id", "axes", "dtype", "attributes", "hidden", "timed"}
_DISTRIBUTIONS = {
    "normal": {"mean": 0.0, "std": 1.0},
    "uniform": {"low": 0.0, "high": 1.0},
    "integers": {"low": 0, "high": 2},
}


def _fields(value, allowed, where):
    if not isinstance(value, dict):
        raise TaskError(f"task.yaml: {where} must be a mapping")
    for key in value:
        if key not in allowed:
            raise TaskError(f"task.yaml: {where} has unknown field '{key}'; known are: {', '.join(sorted(allowed))}")
    return value


def _dtype(value, where):
    name = str(value).upper()
    if name not in DTYPES:
        raise TaskError(f"task.yaml: {where}: unknown dtype '{value}'; known are: {', '.join(n.lower() for n in DTYPES)}")
    return name


class NativeTask:
    def __init__(self, files, overrides, dtype):
        for name in ("task.yaml", "reference.py"):
            if name not in files:
                raise TaskError(f"the task folder has no {name}")
        try:
            document = yaml.safe_load(files["task.yaml"])
        except yaml.YAMLError as error:
            raise TaskError(f"task.yaml: {error}") from None
        document = _fields(document, _TOP, "the document")
        for field in ("name", "inputs", "outputs"):
            if not document.get(field):
                raise TaskError(f"task.yaml: field '{field}' is missing")
        self.name = str(document["name"])
        self.level = str(document.get("level", ""))
        self.tolerance = _fields(document.get("tolerance") or {}, {"rtol", "oracle_multiple", "require_bitwise"},
                                 "tolerance")
        axes = dict(document.get("axes") or {})
        for name, text in overrides.items():
            if name not in axes:
                raise TaskError(f"override '{name}' names no axis of task.yaml; known are: {', '.join(axes) or 'none'}")
            axes[name] = ast.literal_eval(parse_literal(name, text))
        self._override = dtype
        self._document = document
        self._inputs = [_fields(i, _INPUT, f"inputs[{n}]") for n, i in enumerate(document["inputs"])]
        self._outputs = [_fields(o, _OUTPUT, f"outputs[{n}]") for n, o in enumerate(document["outputs"])]
        self._load(files["reference.py"])
        self.argument_names = [str(i["name"]) for i in self._inputs]
        self.parameter_names = []
        self.dropped = []
        self.cases = []
        for number, case in enumerate(document.get("cases") or [{}]):
            self.cases.append(self._case(number, _fields(case, _CASE, f"cases[{number}]"), axes))
        self._by_id = {case["id"]: case for case in self.cases}
        if len(self._by_id) != len(self.cases):
            raise TaskError("task.yaml: two cases have the same id")
        for case in self.cases:
            self._check_outputs(case)

    def _load(self, source):
        try:
            tree = ast.parse(source, "reference.py")
        except SyntaxError as error:
            raise TaskError(f"reference.py:{error.lineno}: {error.msg}") from None
        namespace = types.ModuleType("task")
        sys.modules["task"] = namespace
        exec(compile(tree, "reference.py", "exec"), namespace.__dict__)
        if not callable(getattr(namespace, "reference", None)):
            raise TaskError("reference.py does not define reference(...)")
        self.reference = namespace.reference
        self._oracle = getattr(namespace, "oracle", None)
        self.model = None
        parameters = list(inspect.signature(self.reference).parameters)
        expected = [str(i["name"]) for i in self._inputs]
        if parameters[:len(expected)] != expected:
            raise TaskError(f"reference({', '.join(parameters)}) must take the inputs first, in order: "
                            f"{', '.join(expected)}")

    def _case(self, number, case, axes):
        bound = {**axes, **(case.get("axes") or {})}
        name = str(case.get("id", f"c{number}"))
        base = _dtype(case.get("dtype", self._document.get("dtype", "fp32")), f"case {name}")
        if self._override:
            base = self._override

        def shape(entry, where):
            extents = []
            for extent in entry.get("shape") or []:
                value = bound.get(extent, extent) if isinstance(extent, str) else extent
                if isinstance(value, str):
                    value = self._expression(value, bound, where)
                if not isinstance(value, int) or value < 0:
                    raise TaskError(f"task.yaml: {where}: '{extent}' is no axis and no size; axes are: "
                                    f"{', '.join(bound) or 'none'}")
                extents.append(value)
            return extents

        def tensor(entry, where):
            dtype = _dtype(entry["dtype"], where) if entry.get("dtype") else base
            if self._override and DTYPES[dtype].is_floating_point:
                dtype = self._override
            return {"name": str(entry["name"]), "dtype": dtype, "shape": shape(entry, where)}

        attributes = {**(self._document.get("attributes") or {}), **(case.get("attributes") or {})}
        return {
            "id": name,
            "inputs": [tensor(i, f"inputs '{i.get('name')}'") for i in self._inputs],
            "outputs": [tensor(o, f"outputs '{o.get('name')}'") for o in self._outputs],
            "argument_count": len(self._inputs),
            "attributes": {key: json.dumps(value) for key, value in attributes.items()},
            "hidden": bool(case.get("hidden", False)),
            "timed": bool(case.get("timed", number == 0)),
        }

    @staticmethod
    def _expression(text, axes, where):
        """An integer expression over axes, for example "B*H" or "N+1"."""
        tree = ast.parse(text, mode="eval")
        allowed = (ast.Expression, ast.BinOp, ast.Name, ast.Load, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)
        for node in ast.walk(tree):
            if not isinstance(node, allowed) or (isinstance(node, ast.Name) and node.id not in axes):
                raise TaskError(f"task.yaml: {where}: '{text}' is no expression over the axes {', '.join(axes)}")
        return eval(compile(tree, "task.yaml", "eval"), {"__builtins__": {}}, dict(axes))

    def _check_outputs(self, case):
        got = self.compute(case["id"], self.draw(case["id"], 1), False)
        if len(got) != len(case["outputs"]):
            raise TaskError(f"reference returned {len(got)} tensors, task.yaml declares {len(case['outputs'])} outputs")
        for declared, tensor in zip(case["outputs"], got):
            if list(tensor.shape) != declared["shape"]:
                raise TaskError(f"case {case['id']}: output '{declared['name']}' has shape {list(tensor.shape)}, "
                                f"task.yaml declares {declared['shape']}")
            if tensor.is_floating_point() != DTYPES[declared["dtype"]].is_floating_point:
                raise TaskError(f"case {case['id']}: output '{declared['name']}' is {tensor.dtype}, task.yaml declares "
                                f"{declared['dtype'].lower()}")

    def draw(self, case, seed):
        seed_everything(seed)
        tensors = []
        for declared, entry in zip(self._by_id_or_first(case)["inputs"], self._inputs):
            dtype, extents = DTYPES[declared["dtype"]], declared["shape"]
            where = f"inputs '{declared['name']}'"
            distribution = dict(entry.get("distribution") or {})
            kind = distribution.pop("kind", "normal" if dtype.is_floating_point else "integers")
            if kind not in _DISTRIBUTIONS:
                raise TaskError(f"task.yaml: {where}: unknown distribution '{kind}'; known are: "
                                f"{', '.join(_DISTRIBUTIONS)}")
            values = {**_DISTRIBUTIONS[kind], **_fields(distribution, _DISTRIBUTIONS[kind], f"{where} distribution")}
            if kind == "normal":
                tensor = torch.randn(extents) * values["std"] + values["mean"]
            elif kind == "uniform":
                tensor = torch.rand(extents) * (values["high"] - values["low"]) + values["low"]
            else:
                tensor = torch.randint(int(values["low"]), int(values["high"]), extents)
            tensors.append(tensor.to(dtype))
        return tensors

    def _by_id_or_first(self, case):
        for entry in self.cases:
            if entry["id"] == case:
                return entry
        raise TaskError(f"the task has no case '{case}'")

    def _attributes(self, case):
        return {key: json.loads(value) for key, value in self._by_id_or_first(case)["attributes"].items()}

    def call(self, case, tensors, double, function=None):
        """A function without arguments that runs the reference on exactly these tensors, and nothing else."""
        function = function or self.reference
        attributes = self._attributes(case)
        if all(t.dtype == compute_dtype(t.dtype, double) for t in tensors):
            return lambda: function(*tensors, **attributes)
        return lambda: function(*[t.to(compute_dtype(t.dtype, double)) for t in tensors], **attributes)

    def compute(self, case, tensors, double, function=None):
        seed_everything(1)
        torch.set_default_dtype(torch.float64 if double else torch.float32)
        try:
            with torch.no_grad():
                return flatten_outputs(self.call(case, tensors, double, function)())
        finally:
            torch.set_default_dtype(torch.float32)

    def compute_oracle(self, case, tensors):
        return self.compute(case, tensors, True, self._oracle)

    def traceable(self):
        """A module around the reference; attributes of the first case are its constants."""
        task = self

        class Native(torch.nn.Module):
            def forward(self, *tensors):
                return task.reference(*tensors, **task._attributes(task.cases[0]["id"]))

        return Native(), self.argument_names, {}
