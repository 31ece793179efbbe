from typing import NamedTuple
class FigureClash(NamedTuple):
    a:int
def find_figure_clash(claim,sentence): return None
