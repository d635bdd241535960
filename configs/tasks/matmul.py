import torch
import torch.nn as nn

M = 512
K = 512
N = 512


class Model(nn.Module):
    """Product of two matrices."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)


def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N)]


def get_init_inputs():
    return []
