"""In place of Ray where it is not installed: actors that live in this process, can die, and are asked at once."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any


class RayError(Exception):
    """What Ray raises for whatever happens to a worker."""


class Ray:
    """As much of the module `ray` as is used. `dying` says of a call, by its actor's number and name, if it kills."""

    exceptions = SimpleNamespace(RayError=RayError)

    def __init__(self, cpus: int = 2, dying: Callable[[int, str], bool] = lambda _, __: False) -> None:
        self.cpus, self.dying = cpus, dying
        self.started: list[Actor] = []

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": self.cpus}

    def remote(self, kind: type[Any]) -> Any:
        def start(*given: Any) -> Actor:
            self.started.append(Actor(self, len(self.started), kind(*given)))
            return self.started[-1]

        return SimpleNamespace(options=lambda **_: SimpleNamespace(remote=start))

    def get(self, answers: Any) -> Any:
        if isinstance(answers, list):
            return [self.get(answer) for answer in answers]
        if isinstance(answers.value, Exception):
            raise answers.value
        return answers.value

    def wait(self, answers: Sequence[Any], num_returns: int, timeout: float = 0) -> tuple[list[Any], list[Any]]:
        return list(answers[:num_returns]), list(answers[num_returns:])

    def kill(self, actor: "Actor") -> None:
        actor.die()


class Actor:
    """A worker."""

    def __init__(self, ray: Ray, number: int, held: Any) -> None:
        self._ray, self._number, self._held, self.is_dead = ray, number, held, False

    def die(self) -> None:
        """It ends, and the process in which it has files read with it."""
        self.is_dead = True
        if worker := getattr(self._held, "_worker", None):
            worker.kill()

    def __getattr__(self, name: str) -> Any:
        def ask(*given: Any) -> Any:
            if self._ray.dying(self._number, name):
                self.die()
            value = RayError("it died") if self.is_dead else getattr(self._held, name)(*given)
            return type("Answer", (), {"value": value})()

        return SimpleNamespace(remote=ask)
