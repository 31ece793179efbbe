"""The telling words of questions."""

from wellsourced.question.word_rarity import list_telling_words


def test_a_short_question_is_known_by_the_words_it_is_understood_as() -> None:
    wordings = ["Who can't have Antabuse?", "contraindications to disulfiram?"]
    assert list_telling_words(wordings)[-1] == {"contra", "disulf"}


def test_a_closing_question_that_tells_nothing_does_not_stand_for_the_whole() -> None:
    told = list_telling_words(["Tall man, spontaneous pneumothorax, breathless.", "What are the steps?"])
    assert len(told) == 1


def test_nothing_is_told_by_no_words() -> None:
    assert list_telling_words(["What should be given?"]) == []
