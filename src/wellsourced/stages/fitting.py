"""Fitting: what is shown to a model is cut to its window before it is asked, and what does not fit is known by name."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from wellsourced.models.base import Model, Prompt

T = TypeVar("T")


class FittedItems(NamedTuple):
    """What fits into one prompt, in its order, and what was left out, from the end."""

    kept: tuple[Any, ...]
    left_out: tuple[Any, ...]


def fit_items(
    model: Model, prompt_of: Callable[[Sequence[T]], Prompt[Any]], items: Sequence[T], spare: int = 0
) -> FittedItems:
    """As many of the first items as the model has room for; none when not even the first one fits.

    spare   tokens that are kept free for something else
    """
    low, high = 0, len(items)
    while low < high:
        middle = (low + high + 1) // 2
        if model.room(prompt_of(items[:middle])) >= spare:
            low = middle
        else:
            high = middle - 1
    return FittedItems(tuple(items[:low]), tuple(items[low:]))


def make_batches(
    model: Model, prompt_of: Callable[[Sequence[T]], Prompt[Any]], items: Sequence[T], size: int
) -> list[tuple[T, ...]]:
    """The items in batches of at most `size` that each fit; an item that fits nowhere stands alone, and is Overlong."""
    left, made = list(items), []
    while left:
        kept = fit_items(model, prompt_of, left[:size]).kept or tuple(left[:1])
        made.append(kept)
        left = left[len(kept) :]
    return made
