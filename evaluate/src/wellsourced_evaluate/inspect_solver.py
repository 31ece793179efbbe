"""This system as a solver of inspect_ai, so that any task of it, such as those of inspect_evals, can be put to it.

inspect_ai finds it by the entry point of this package: `inspect eval TASK --solver wellsourced_evaluate/wellsourced`.
"""

from typing import Any

from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.solver import Generate, Solver, TaskState, solver

from wellsourced import config
from wellsourced.api import ask
from wellsourced.types import Question, Turn
from wellsourced_evaluate.questions.answer_marks import join_texts


@solver  # type: ignore[untyped-decorator, unused-ignore]
def wellsourced(**settings: Any) -> Solver:
    """Answer the last message of a sample as its reader meets it: what to do in an emergency, what is said, or why not.

    settings   of this system, with "__" for each dot: `-S preset=words -S policy__passages=20`

    A sample with choices has them as options, and the letter of the chosen one as its output. Raises WellsourcedError,
    which inspect_ai records as the error of the sample.
    """
    loaded = config.load({name.replace("__", "."): value for name, value in settings.items()})

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001  as inspect_ai calls it
        *before, last = [message for message in state.messages if message.role in ("user", "assistant")]
        turns = tuple(Turn(role="user" if one.role == "user" else "assistant", text=one.text) for one in before)
        options = {"ABCDEFGHIJKLMNOPQRSTUVWXYZ"[place]: one.value for place, one in enumerate(state.choices)}
        async with config.open_context(loaded) as context:
            given = await ask(Question(text=last.text, history=turns, options=options), context)
        advice = given.emergency.advice if given.emergency else ""
        said = "\n".join(filter(None, (advice, join_texts(given.statements) or given.reason)))
        if given.choice:
            said += f"\nANSWER: {given.choice}"
            for place, label in enumerate(options):
                state.choices.mark_choice(place, label == given.choice)
        state.messages.append(ChatMessageAssistant(content=said))
        state.output = ModelOutput.from_content("wellsourced", said)
        return state

    return solve
