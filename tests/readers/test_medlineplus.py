from pathlib import Path

from wellsourced.readers.base import UnreadablePart
from wellsourced.readers.registry import reader_for
from wellsourced.types import Document

TOPICS = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE health-topics SYSTEM "https://medlineplus.gov/xml/mplus_topics.dtd">
<health-topics total="3" date-generated="11/28/2026 02:30:37">
  <health-topic meta-desc="Gout" title="Gout" url="https://medlineplus.gov/gout.html" id="238" language="English"
      date-created="01/13/1999">
    <also-called>Podagra</also-called>
    <full-summary>&lt;h3&gt;What is gout?&lt;/h3&gt;&lt;p&gt;Gout is a common, painful form of
      &lt;a href="https://medlineplus.gov/arthritis.html"&gt;arthritis&lt;/a&gt;. It affects 4 &amp;lt; 5 %.&lt;/p&gt;
      &lt;ul&gt;&lt;li&gt;Rest the joint&lt;/li&gt;&lt;li&gt;Drink water&lt;/li&gt;&lt;/ul&gt;
      &lt;p class="NLMattribution"&gt; NIH: National Institute of Arthritis&lt;/p&gt;</full-summary>
    <group url="https://medlineplus.gov/bones.html" id="2">Bones</group>
    <mesh-heading><descriptor id="D006073">Gout</descriptor></mesh-heading>
    <site title="Gout" url="https://example.org/"><organization>Mayo</organization></site>
  </health-topic>
  <health-topic title="Gota" url="https://medlineplus.gov/spanish/gout.html" id="1754" language="Spanish"
      date-created="08/20/2002"><full-summary>&lt;p&gt;La gota es una artritis.&lt;/p&gt;</full-summary></health-topic>
  <health-topic title="Empty" id="9" language="English"><full-summary/></health-topic>
</health-topics>"""


def test_topics_are_read_in_both_languages(tmp_path: Path) -> None:
    path = tmp_path / "mplus_topics_2026-11-28.xml"
    path.write_text(TOPICS, encoding="utf-8")
    gout, gota, empty = reader_for(path)(path, "consumer")
    assert isinstance(gout, Document) and isinstance(gota, Document) and isinstance(empty, UnreadablePart)
    assert (gout.reference.id, gout.reference.title, gout.reference.published) == (
        "medlineplus:238",
        "Gout",
        "1999-01-13",
    )
    assert gout.reference.mesh == ("Gout",) and gout.reference.organisation == "MedlinePlus"
    [section] = [one for one in gout.sections if one.title == "What is gout?"]
    words = gout.text[section.start : section.end]
    assert "Gout is a common, painful form of arthritis. It affects 4 < 5 %." in words
    assert "\n\n- Rest the joint\n- Drink water" in words and "Also called: Podagra" in gout.text
    assert "Mayo" not in gout.text
    assert gota.text.endswith("La gota es una artritis.")
    assert empty.reason == "it has no summary"
