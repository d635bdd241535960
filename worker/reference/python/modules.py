"""Binds the parameters and buffers of a torch module to given tensors."""

import copy
import itertools

import torch

from tensors import compute_dtype


def state_entries(model):
    """(name, tensor) of parameters and floating or integer buffers by state_dict name, each tensor once."""
    seen = set()
    for name, tensor in model.state_dict(keep_vars=True).items():
        if not isinstance(tensor, torch.Tensor) or id(tensor) in seen or name.endswith("num_batches_tracked"):
            continue
        seen.add(id(tensor))
        yield name, tensor


def _cast_module(module, double):
    """Casts what is not a kernel input: remaining buffers (copied, forward may update them) and plain attributes."""
    for owner in module.modules():
        for table in (owner._parameters, owner._buffers):
            for key, tensor in table.items():
                if tensor is not None:
                    cast = tensor.detach().clone().to(compute_dtype(tensor.dtype, double))
                    is_parameter = table is owner._parameters
                    table[key] = torch.nn.Parameter(cast, requires_grad=False) if is_parameter else cast
        for key, value in list(owner.__dict__.items()):
            if isinstance(value, torch.Tensor):
                owner.__dict__[key] = value.detach().to(compute_dtype(value.dtype, double))


def bind(model, tensors, double):
    """A copy of `model` whose state entries named in `tensors` are these tensors, in the type of the computation."""
    shared = {id(tensor): tensor for tensor in itertools.chain(model.parameters(), model.buffers())}
    original = {id(tensor): name for name, tensor in state_entries(model)}
    bound = copy.deepcopy(model, dict(shared))
    places = []  # every place a named tensor is used at, ties included
    for owner in bound.modules():
        for table in (owner._parameters, owner._buffers):
            for key, tensor in table.items():
                name = original.get(id(tensor)) if tensor is not None else None
                if name in tensors:
                    places.append((owner, table, key, name))
                    table[key] = None
    _cast_module(bound, double)
    made = {}
    for owner, table, key, name in places:
        if name not in made:
            cast = tensors[name].to(compute_dtype(tensors[name].dtype, double))
            is_parameter = table is owner._parameters
            made[name] = torch.nn.Parameter(cast, requires_grad=False) if is_parameter else cast
        table[key] = made[name]
    return bound


def redraw(name, initial, generator):
    """A parameter near its initial value, far enough that a kernel which ignores it fails.

    Multiplicative and additive noise; what starts positive everywhere (variances, scales) stays positive; integers keep
    their values.
    """
    if not initial.is_floating_point():
        return initial.clone()
    value = initial.to(torch.float64)
    noise = torch.randn(value.shape, generator=generator, dtype=torch.float64)
    shift = torch.randn(value.shape, generator=generator, dtype=torch.float64)
    if value.numel() and bool((value > 0).all()):
        drawn = value * torch.exp(0.25 * noise)
    else:
        scale = float(value.square().mean().sqrt()) if value.numel() else 0.0
        drawn = value * (1 + 0.25 * noise) + 0.05 * (scale if scale > 0 else 2.0) * shift
    return drawn.to(initial.dtype)
