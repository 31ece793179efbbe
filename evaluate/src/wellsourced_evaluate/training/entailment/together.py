"""Several processes that train one model, each on its share of every batch.

On a processor that others use too, processes of one thread each wait for one another once a step; threads of one
process wait at every operation, and came to half the speed. Start each with --rank R --of N and the same --meet FILE.
"""

from collections.abc import Iterable
from pathlib import Path

import torch
import torch.distributed as dist
from torch import Tensor, nn


def join(rank: int, number: int, meet: Path | None) -> None:
    """Meet the others at a file that does not exist yet; alone, nothing happens."""
    if number > 1:
        if meet is None:
            raise ValueError("Several processes need --meet, a file where they find each other.")
        dist.init_process_group("gloo", init_method=f"file://{meet.resolve()}", rank=rank, world_size=number)


def place() -> tuple[int, int]:
    """The rank of this process and how many there are."""
    return (dist.get_rank(), dist.get_world_size()) if dist.is_initialized() else (0, 1)


def agreed(value: float) -> float:
    """The value of the first process, so that all stop at the same step."""
    if not dist.is_initialized():
        return value
    told = torch.tensor([value], dtype=torch.float64)
    dist.broadcast(told, 0)
    return float(told)


def average(parameters: Iterable[nn.Parameter]) -> None:
    """Give every gradient its mean over the processes."""
    if not dist.is_initialized():
        return
    gradients: list[Tensor] = [p.grad for p in parameters if p.grad is not None]
    flat = torch.cat([g.flatten() for g in gradients])
    dist.all_reduce(flat)
    flat /= dist.get_world_size()
    start = 0
    for gradient in gradients:
        gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
        start += gradient.numel()
