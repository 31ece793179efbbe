"""What chat front ends ask about a chat, and nobody typed: a title, tags, questions to ask next.

They send it as a message like any other. As a medical question it would cost an answer, and come to nonsense.
"""

import json
import re
from textwrap import shorten

HISTORY = re.compile(r"<chat_history>\s*(?P<history>.*?)\s*</chat_history>", re.DOTALL)
"""The chat as Open WebUI quotes it, in all of its prompts and in those that its administrators write after them."""

REPLY_KEY = re.compile(r"""\{\s*["'](?P<key>title|tags|follow_ups|queries|text|prompt)["']\s*:""")
"""The one key of the JSON object that such a prompt asks for."""

FIRST_WORDS = re.compile(r"^USER:\s*(?P<words>.*?)\s*(?=^[A-Z]+:|\Z)", re.DOTALL | re.MULTILINE)

TITLE_LENGTH, DEFAULT_TITLE, TAG = 60, "Medical question", "Health"


def answer_front_end_task(text: str) -> str:
    """Return the JSON that a front end expects about a chat; "" where the text is a question.

    A title is what was asked first, shortened. What a language model would have to invent is left empty: front ends
    then show nothing.
    """
    history = HISTORY.search(text)
    # What is asked for stands around the chat, which itself may hold anything.
    key = REPLY_KEY.search(text[: history.start()] + text[history.end() :]) if history else None
    if history is None or key is None:
        return ""
    asked = FIRST_WORDS.search(history["history"])
    title = shorten(asked["words"], TITLE_LENGTH, placeholder=" …") if asked else ""
    values = {"title": title or DEFAULT_TITLE, "tags": [TAG], "follow_ups": [], "queries": [], "text": "", "prompt": ""}
    return json.dumps({key["key"]: values[key["key"]]}, ensure_ascii=False)
