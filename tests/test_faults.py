"""The faults that `make faults` plants have their places in the package, so that no refactoring loses one unseen."""

from pathlib import Path

from tests.tables import each_row
from tools import plant_faults

ROOT = Path(__file__).parents[1]
FAULTS = plant_faults.read_faults()


def test_every_fault_has_its_place() -> None:
    lost = [one for one in FAULTS if not plant_faults.has_place(one, ROOT)]
    assert lost == [], "python tools/plant_faults.py --move"


def test_every_fault_has_tests_that_are_there() -> None:
    named = [name for one in FAULTS for name in one.tests.split()]
    assert [name for name in named if not (ROOT / plant_faults.find_tests(name)).exists()] == []


@each_row("new", ["new.py", "evaluate/new.py"])
def test_a_fault_whose_file_was_renamed_is_found_again(new: str, tmp_path: Path) -> None:
    fault = plant_faults.Fault("old.py", "x > 1", "x >= 1", "x")
    path = tmp_path / plant_faults.find_file(new)
    path.parent.mkdir(parents=True)
    path.write_text("y = x > 1\n", encoding="utf-8")
    (tmp_path / "tools").mkdir()
    table = tmp_path / "tools" / "faults.toml"
    table.write_text(f'[[fault]]\nfile = "{fault.file}"\nright = "{fault.right}"\nwrong = "x >= 1"\ntests = "x"\n')
    plant_faults.move_places(tmp_path)
    assert plant_faults.read_faults(table) == [fault._replace(file=new)]


def test_the_laboratory_has_its_own_files_and_tests() -> None:
    assert plant_faults.find_file("evaluate/beir.py") == plant_faults.LABORATORY_PACKAGE / "beir.py"
    assert plant_faults.find_file("judges/layers.py") == plant_faults.PACKAGE / "judges" / "layers.py"
    assert plant_faults.find_tests("evaluate") == Path("evaluate", "tests")
    assert plant_faults.find_tests("evaluate/test_beir.py") == Path("evaluate", "tests", "test_beir.py")
    assert plant_faults.find_tests("judges") == Path("tests", "judges")
