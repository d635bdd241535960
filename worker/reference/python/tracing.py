"""Op graph of a reference through torch.fx, with canonical operation names, and the family it belongs to."""

import inspect
import json
import operator
import re

import torch
import torch.fx
import torch.nn.functional

# Spellings that mean the same operation.
_CANONICAL = {
    "iadd": "add", "radd": "add", "isub": "sub", "imul": "mul", "rmul": "mul", "itruediv": "div", "truediv": "div",
    "subtract": "sub", "multiply": "mul", "divide": "div", "true_divide": "div", "mm": "matmul", "bmm": "matmul",
    "imatmul": "matmul", "negative": "neg", "absolute": "abs", "max_pool2d_with_indices": "max_pool2d",
    "batch_norm1d": "batch_norm", "batch_norm2d": "batch_norm", "batch_norm3d": "batch_norm", "re_lu": "relu",
    "re_lu6": "relu6", "leaky_re_lu": "leaky_relu", "si_lu": "silu", "ge_lu": "gelu", "se_lu": "selu", "ce_lu": "celu",
    "p_re_lu": "prelu", "elu": "elu", "log_soft_max": "log_softmax", "arccos": "acos", "special_expit": "sigmoid",
    "softmax2d": "softmax",
}

# Names of positional arguments after the tensor operands, where the function itself does not tell.
_POSITIONAL = {
    "softmax": ["dim", "dtype"], "log_softmax": ["dim", "dtype"], "sum": ["dim", "keepdim"], "mean": ["dim", "keepdim"],
    "amax": ["dim", "keepdim"], "amin": ["dim", "keepdim"], "max": ["dim", "keepdim"], "min": ["dim", "keepdim"],
    "prod": ["dim", "keepdim"], "argmax": ["dim", "keepdim"], "argmin": ["dim", "keepdim"], "cumsum": ["dim"],
    "cumprod": ["dim"], "var": ["dim", "unbiased", "keepdim"], "std": ["dim", "unbiased", "keepdim"],
    "norm": ["p", "dim", "keepdim"], "logsumexp": ["dim", "keepdim"], "transpose": ["dim0", "dim1"],
    "permute": ["dims"], "view": ["shape"], "reshape": ["shape"], "unsqueeze": ["dim"], "squeeze": ["dim"],
    "clamp": ["min", "max"], "pow": ["exponent"], "flatten": ["start_dim", "end_dim"], "cat": ["dim"], "stack": ["dim"],
    "layer_norm": ["normalized_shape", "weight", "bias", "eps"], "add": ["other"], "sub": ["other"], "mul": ["other"],
    "div": ["other"],
}

# Attributes of modules worth telling.
_MODULE_ATTRIBUTES = ("dim", "eps", "approximate", "normalized_shape", "negative_slope", "alpha", "beta", "threshold",
                      "min_val", "max_val", "num_groups", "num_features", "in_features", "out_features", "kernel_size",
                      "stride", "padding", "dilation", "groups", "in_channels", "out_channels", "p", "inplace", "momentum")

_ELEMENTWISE = {
    "add", "sub", "mul", "div", "neg", "abs", "exp", "log", "log2", "log1p", "expm1", "sqrt", "rsqrt", "pow", "square",
    "reciprocal", "relu", "relu6", "leaky_relu", "gelu", "silu", "sigmoid", "tanh", "elu", "selu", "celu", "softplus",
    "softsign", "hardtanh", "hardswish", "hardsigmoid", "mish", "clamp", "clamp_min", "clamp_max", "erf", "sin", "cos",
    "maximum", "minimum", "where", "logsigmoid", "sign", "floor", "ceil", "round", "eq", "ne", "lt", "le", "gt", "ge",
    "logical_and", "logical_or", "logical_not", "bitwise_and", "bitwise_or", "bitwise_xor", "fmod", "remainder", "lerp",
    "addcmul", "addcdiv", "prelu", "dropout", "identity", "to", "float", "double", "contiguous", "floordiv", "and", "or",
    "xor", "invert", "pos", "tan", "atan", "log_sigmoid",
}
_ROW = {
    "softmax", "log_softmax", "softmin", "layer_norm", "rms_norm", "sum", "mean", "amax", "amin", "max", "min", "prod", "var", "std",
    "norm", "logsumexp", "argmax", "argmin", "cumsum", "cumprod", "normalize", "var_mean", "std_mean", "all", "any",
    "vector_norm", "linalg_vector_norm",
}
_MATMUL = {"matmul", "linear", "addmm", "baddbmm", "addbmm", "mv", "dot"}
_NEUTRAL = {"input", "parameter", "constant", "output", "getitem", "view", "reshape", "unsqueeze", "squeeze", "flatten",
            "expand", "size", "getattr", "shape", "transpose", "t", "permute"}


def canonical(name):
    """Snake-case name of an operation as PyTorch's functional interface spells it."""
    name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"(?<=[A-Z])(?=[A-Z][a-z])", "_", name)).lower().strip("_")
    return _CANONICAL.get(name, name)


def _literal(value):
    if isinstance(value, torch.Size):
        value = list(value)
    if isinstance(value, torch.dtype):
        value = str(value).replace("torch.", "")
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        value = "inf" if value > 0 else "-inf"
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return None


def _signature_names(function):
    try:
        return [p.name for p in inspect.signature(function).parameters.values()
                if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return None


class _Wrapper(torch.nn.Module):
    """Gives forward the names of the tensor arguments and fixes the others."""

    def __init__(self, model, names, constants):
        super().__init__()
        self.model = model
        count = len(names) + len(constants)
        tensors = iter(names)
        values = ", ".join(f"_constants[{i}]" if i in constants else next(tensors) for i in range(count))
        scope = {"_constants": constants, "_model": model}
        exec(f"def forward(self, {', '.join(names)}):\n    return self.model({values})\n", scope)
        self._forward = scope["forward"]
        self.__class__ = type("Wrapped", (_Wrapper,), {"forward": scope["forward"]})


def _operation(node, module):
    """(canonical name, function for argument names) of a node."""
    if node.op == "call_module":
        return canonical(type(module).__name__), None
    if node.op == "call_method":
        return canonical(node.target), None
    return canonical(getattr(node.target, "__name__", str(node.target))), node.target


def trace(model, names, constants):
    """List of {"name", "op", "inputs", "attributes"} in evaluation order; empty when the reference cannot be traced."""
    try:
        graph_module = torch.fx.symbolic_trace(_Wrapper(model, names, constants))
    except Exception:  # control flow over values and the like: any exception type, of the user's code too
        return []
    modules = dict(graph_module.named_modules())
    state = {name for name, _ in [*model.named_parameters(), *model.named_buffers()]}
    graph, renamed = [], {}

    def leaf(path):
        name = path[len("model."):] if path.startswith("model.") else path
        if all(node["name"] != name for node in graph):
            graph.append({"name": name, "op": "parameter" if name in state else "constant", "inputs": [],
                          "attributes": {}})
        return name

    for node in graph_module.graph.nodes:
        if node.op == "placeholder":
            renamed[node] = str(node.target)
            graph.append({"name": str(node.target), "op": "input", "inputs": [], "attributes": {}})
            continue
        if node.op == "get_attr":
            renamed[node] = leaf(str(node.target))
            continue
        inputs, attributes = [], {}
        module = modules.get(str(node.target)) if node.op == "call_module" else None
        if node.op == "output":
            op, function = "output", None
        else:
            op, function = _operation(node, module)
        positional = (_signature_names(function) if function is not None else None) or []
        tail = _POSITIONAL.get(op)

        def add(key, value):
            if isinstance(value, torch.fx.Node):
                inputs.append(renamed[value])
            elif isinstance(value, (tuple, list)) and any(isinstance(v, torch.fx.Node) for v in value):
                for item in value:
                    add(key, item)
            elif value is not None:
                literal = _literal(value)
                if literal is not None:
                    attributes[key] = literal

        for index, value in enumerate(node.args):
            if node.op == "call_method" and op in ("view", "reshape", "permute", "expand") and index > 0:
                rest = list(node.args[1:])
                add("shape" if op != "permute" else "dims", rest[0] if isinstance(rest[0], (tuple, list)) else rest)
                break
            if tail and index >= 1 and index - 1 < len(tail):
                key = tail[index - 1]
            elif index < len(positional) and function not in vars(operator).values():
                key = positional[index]
            else:
                key = "other" if op in _ELEMENTWISE else f"arg{index}"
            if op in ("sub", "div", "pow", "truediv") and index == 0:
                key = "self"  # a constant on the left, as in 1 / x
            add(key, value)
        for key, value in node.kwargs.items():
            add("dim" if key == "axis" else key, value)
        if module is not None:
            for key in _MODULE_ATTRIBUTES:
                value = getattr(module, key, None)
                literal = None if value is None or callable(value) else _literal(value)
                if literal is not None:
                    attributes[key] = literal
            for key, tensor in [*module._parameters.items(), *module._buffers.items()]:
                if tensor is not None and key != "num_batches_tracked":
                    inputs.append(leaf(f"{node.target}.{key}"))
        for dropped in ("_stacklevel", "inplace"):
            attributes.pop(dropped, None)
        renamed[node] = node.name
        graph.append({"name": node.name, "op": op, "inputs": inputs, "attributes": attributes})
    return graph


def family(graph):
    """elementwise, row_reduction, matmul or other."""
    operations = {node["op"] for node in graph} - _NEUTRAL
    if not operations:
        return "other"
    if operations <= _ELEMENTWISE:
        return "elementwise"
    if operations & _MATMUL and operations <= _ELEMENTWISE | _MATMUL:
        return "matmul"
    if operations & _ROW and operations <= _ELEMENTWISE | _ROW:
        return "row_reduction"
    return "other"
