"""What chat front ends ask about a chat, and nobody typed: a title, tags, an emoji, tools to call, what to search.

They send it as a message like any other. As a medical question it would cost an answer, and come to nonsense.
"""

import json
import re
from textwrap import shorten

HISTORY = re.compile(r"<chat_history>\s*(?P<history>.*?)\s*</chat_history>", re.DOTALL)
"""The chat as Open WebUI quotes it, in all of its prompts and in those that its administrators write after them."""

REPLY_KEY = re.compile(r"""\{\s*["'](?P<key>title|tags|follow_ups|queries|text|prompt|tool_calls)["']\s*:""")
"""The one key of the JSON object that such a prompt asks for; what tools to call is asked in the system message."""

FIRST_WORDS = re.compile(r"^USER:\s*(?P<words>.*?)\s*(?=^[A-Z]+:|\Z)", re.DOTALL | re.MULTILINE)

TITLE_LENGTH, DEFAULT_TITLE, TAG = 60, "Medical question", "Health"


def answer_front_end_task(text: str, system: str = "") -> str | None:
    """Return what a front end expects about a chat; None where the text is a question.

    A title is what was asked first, shortened. What a language model would have to invent is left empty: front ends
    then show nothing, and call no tool.

    system   the system messages of the chat
    """
    history = HISTORY.search(text)
    # What is asked for stands around the chat, which itself may hold anything.
    key = REPLY_KEY.search(text[: history.start()] + text[history.end() :] if history else system)
    if key is None or not (history or key["key"] == "tool_calls"):
        # The one prompt that asks for no JSON: a face for a quoted message.
        task, _, message = text.partition("\nMessage:")
        is_emoji = task.startswith("Your task is") and "emoji" in task
        return "" if is_emoji and message.lstrip().startswith(("```", '"""')) else None
    asked = FIRST_WORDS.search(history["history"]) if history else None
    title = shorten(asked["words"], TITLE_LENGTH, placeholder=" …") if asked else ""
    values = {"title": title or DEFAULT_TITLE, "tags": [TAG], "text": "", "prompt": ""}
    return json.dumps({key["key"]: values.get(key["key"], [])}, ensure_ascii=False)


def strip_documents(text: str) -> str:
    """Return the question of a message before which a front end wrote the documents that it found itself."""
    documents, _, asked = text.rpartition("</context>")
    asked = asked.replace("<user_query>", "").replace("</user_query>", "").strip()
    return asked if documents.startswith("### Task:") and asked else text
