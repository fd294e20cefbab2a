"""The rules of the house, read off the import statements: a file imports only from rooms above its own.

Oracle: ROOMS, from ARCHITECTURE.md. Identical: an import is allowed or it is not. Every exception is listed here by
name, and one that is no longer used must go.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest
from support.data import REPOSITORY

pytestmark = pytest.mark.xdist_group("layers")  # the package is parsed once
PACKAGE = REPOSITORY / "pyfcrm"

# From the ground up. Files and folders of one line share a floor and never import each other.
ROOMS = (
    ("errors", "types"),
    ("arguments", "progress"),
    ("plots",),
    ("display",),
    ("engine",),
    ("files",),
    ("rstream",),
    ("data",),
    ("datasets",),
    ("numerics",),
    ("constraints",),
    ("fuzzy", "linkage"),
    ("methods", "measures"),
    ("plans",),
    ("protection",),
    ("evaluation",),
    ("search",),
    ("studies",),
    ("report",),
    ("trust",),
    ("app",),
    ("cli",),
    ("__init__", "__main__"),
)
# A room that is split over several files: these may import each other.
ONE_ROOM = ({"__init__", "__main__"},)
FLOOR = {room: floor for floor, rooms in enumerate(ROOMS) for room in rooms}

# Imports from a room below, inside a function only: (file, room). There are none.
LATE = set()

# Who may name a library, and where: "top" anywhere in the file, "inside" only in functions and for type checkers.
PANDAS_TOP = {"data/native.py"}
PANDAS_INSIDE = {
    "display/",
    "data/",
    "files/",
    "datasets/",
    "evaluation/",
    "search/",
    "report/",
    "trust/",
    "cli/",
    "app/",
}
ONLY = {
    "matplotlib": {"plots/"},
    "polars": {"data/"},
    "pyarrow": {"data/", "files/"},
    "numba": {"rstream/kernels.py", "engine/compile.py"},
    "rpy2": set(),
    "click": {"cli/"},
    "rich": {"cli/"},
    "jinja2": {"report/"},
    "shiny": {"app/"},
    "uvicorn": {"app/"},
    "pyreadstat": {"files/"},
    "dask": {"engine/"},
    "distributed": {"engine/"},
}
R_BRIDGE = {"cli/", "app/"}


@dataclass(frozen=True)
class Import:
    """One imported module: `at` the file that says so; `late` where it only happens inside a function; `typing` where
    only a type checker sees it."""

    at: str
    line: int
    module: str
    late: bool
    typing: bool

    def __str__(self) -> str:
        return f"pyfcrm/{self.at}:{self.line} imports {self.module}"


def room_of(path: str) -> str:
    return path.split("/")[0].removesuffix(".py")


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> tuple[Import, ...]:
    return tuple(one for path in sorted(PACKAGE.rglob("*.py")) for one in imports_of(path))


def imports_of(path: Path) -> list[Import]:
    at = path.relative_to(PACKAGE).as_posix()
    found = []

    def visit(node: ast.AST, late: bool, typing: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend(Import(at, node.lineno, alias.name, late, typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            found.extend(Import(at, node.lineno, name, late, typing) for name in absolute(at, node))
        inside = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        hidden = typing or (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING")
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # nothing is imported in an expression
                visit(child, inside, hidden)

    visit(tree(path), False, False)
    return found


def absolute(at: str, node: ast.ImportFrom) -> list[str]:
    """`from ..fuzzy import fcm` in methods/fcrm.py as pyfcrm.fuzzy; names taken from the package itself one by one."""
    if node.level == 0:
        base = (node.module or "").split(".")
    else:
        here = ["pyfcrm", *at.split("/")[:-1]]
        base = here[: len(here) - (node.level - 1)] + (node.module.split(".") if node.module else [])
    whole, known = ".".join(base), modules()
    named = [f"{whole}.{alias.name}" for alias in node.names]
    return list(dict.fromkeys(name if base == ["pyfcrm"] or name in known else whole for name in named))


@cache
def modules() -> dict[str, str]:
    """Every file of the package as it is imported, and its path."""
    paths = [path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")]
    names = {path: path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".") for path in paths}
    return {f"pyfcrm.{name}".rstrip("."): path for path, name in names.items()}


def inside_the_package() -> list[tuple[Import, str]]:
    """Imports of one room by another, with the room imported. The package's own __version__ is in no room."""
    pairs = [(one, one.module.split(".")[1]) for one in imports() if one.module.startswith("pyfcrm.")]
    return [(one, room) for one, room in pairs if room not in (room_of(one.at), "__version__")]


def permitted(at: str, places: set[str]) -> bool:
    return any(at == place or (place.endswith("/") and at.startswith(place)) for place in places)


def test_every_file_has_a_room():
    unknown = sorted({room_of(p.relative_to(PACKAGE).as_posix()) for p in PACKAGE.rglob("*.py")} - set(FLOOR))
    assert not unknown, f"give these a floor in ROOMS: {unknown}"


@pytest.mark.slow
def test_the_test_sees_imports():
    """Against an empty list that would pass everything: some that are known to be there."""
    seen = {(one.at, one.module, one.late) for one in imports()}
    assert {
        ("methods/fcrm.py", "pyfcrm.fuzzy", False),
        ("search/candidates.py", "pyfcrm.plots", True),
        ("cli/demo.py", "pyfcrm.datasets", False),
        ("data/native.py", "pandas", False),
    } <= seen
    assert len(inside_the_package()) > 100


@pytest.mark.slow
def test_files_import_from_rooms_above_only():
    def above(room: str, mine: str) -> bool:
        return FLOOR.get(room, 99) < FLOOR.get(mine, 99) or any({room, mine} <= shared for shared in ONE_ROOM)

    wrong = [
        str(one)
        for one, room in inside_the_package()
        if not above(room, room_of(one.at)) and not (one.late and (one.at, room) in LATE)
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_imports_itself_by_way_of_others():
    """Late imports and those for type checkers included. A package's face is none: what it hands on is imported from it."""
    known, graph = modules(), dict[str, set[str]]()
    for one in imports():
        if one.module in known and one.module != "pyfcrm":
            graph.setdefault(one.at, set()).add(known[one.module])
    assert sum(map(len, graph.values())) > 1000
    list(TopologicalSorter(graph).static_order())  # CycleError names them


def test_methods_and_measures_never_import_each_other():
    wrong = [str(one) for one, room in inside_the_package() if {room, room_of(one.at)} == {"methods", "measures"}]
    assert not wrong, "\n".join(wrong)


def test_no_exception_has_outlived_its_use():
    used = {(one.at, room) for one, room in inside_the_package() if one.late}
    assert used >= LATE


@pytest.mark.parametrize("library", ONLY)
def test_only_these_files_import(library):
    users = [one for one in imports() if one.module.split(".")[0] == library]
    wrong = [str(one) for one in users if not permitted(one.at, ONLY[library])]
    assert not wrong, "\n".join(wrong)


def test_pandas_is_named_where_frames_are_and_where_results_become_one():
    users = [one for one in imports() if one.module.split(".")[0] == "pandas"]
    wrong = [
        str(one)
        for one in users
        if not permitted(one.at, PANDAS_TOP) and not (permitted(one.at, PANDAS_INSIDE) and (one.late or one.typing))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_r_bridge_is_asked_for_by_the_roof_only():
    users = [one for one in imports() if one.module.split(".")[0] == "r_bridge"]
    assert not [str(one) for one in users if not permitted(one.at, R_BRIDGE)]


HEAVY = (
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "matplotlib",
    "scipy.stats",
    "sklearn",
    "rich",
    "jinja2",
    "click",
    "rpy2",
    "dask",
    "distributed",
    "r_bridge",
)


def test_importing_the_package_loads_nothing_heavy():
    """Oracle: sys.modules of a fresh interpreter."""
    code = f"import sys, pyfcrm; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout.strip() == "[]"


def lengths() -> dict[str, int]:
    return {p.relative_to(PACKAGE).as_posix(): len(p.read_text().splitlines()) for p in PACKAGE.rglob("*.py")}


def test_no_file_is_long():
    """STYLE.md: what tells good from bad is the worst file; hold the maximum, 400 lines."""
    assert not {name: lines for name, lines in lengths().items() if lines > 400}


def sentences() -> dict[str, list[str]]:
    """Texts of six words or more, without markup, and where they are typed; docstrings are none, nor are helps and sources."""
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        nodes = list(ast.walk(tree(path)))
        apart = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        apart |= {id(node.value) for node in nodes if isinstance(node, ast.keyword) and node.arg in ("help", "source")}
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in apart:
                text = node.value.strip(" .,;:()")
                if len(text.split()) >= 6 and not {*"<>"} & {*text}:
                    found.setdefault(text, []).append(f"{path.relative_to(PACKAGE).as_posix()}:{node.lineno}")
    return found


@pytest.mark.slow
def test_no_sentence_is_typed_twice():
    """A sentence has one place, where it is mended. Citations stand with each method that they are of."""
    assert len(sentences()) > 500
    twice = {text: places for text, places in sentences().items() if len(places) > 1}
    assert not {text: places for text, places in twice.items() if "(19" not in text and "(20" not in text}


# Public functions whose parameters by position are promised.
WIDE = {"fuzzy/fcm.py:fcm", "fuzzy/fcrm.py:fcrm"}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function by its file and name. Kernels are left out: compiled code takes nothing by name, and is written out."""
    for path in sorted(file for folder in (PACKAGE, REPOSITORY / "r_bridge") for file in folder.rglob("*.py")):
        folder = PACKAGE if PACKAGE in path.parents else REPOSITORY
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not _is_kernel(node):
                yield f"{path.relative_to(folder).as_posix()}:{node.name}", node


def by_position(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return len([one.arg for one in (*node.args.posonlyargs, *node.args.args) if one.arg not in ("self", "cls")])


def work(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of what a function does, its signature and docstring left out."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one).startswith("compiled") for one in node.decorator_list)


@pytest.mark.slow
def test_no_function_takes_more_than_six_parameters_by_position():
    found = {name: by_position(node) for name, node in functions() if by_position(node) > 6}
    assert set(found) == WIDE, found


@pytest.mark.slow
def test_no_function_is_long():
    """CONTRIBUTING.md: its work stays under 40 lines. The check sees some: of more than 30 there are several."""
    long = {name: work(node) for name, node in functions() if work(node) > 30}
    assert len(long) > 5
    assert not {name: lines for name, lines in long.items() if lines >= 40}


def test_no_signal_handler_garbage_collection_or_thread_exception():
    """Oracle: the import statements and attributes of each file but the studio's."""
    forbidden = {"gc", "ctypes", "faulthandler"}
    for path in sorted(PACKAGE.rglob("*.py")):
        if path.is_relative_to(PACKAGE / "app"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            imported = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert not forbidden & set(imported), path
            assert not (isinstance(node, ast.Attribute) and ast.unparse(node) == "signal.signal"), path


def private_names(tree: ast.Module) -> set[str]:
    """Private names of other libraries: imported, or read from an imported module."""
    modules, private = set[str](), set[str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            private |= {part for part in parts if part.startswith("_") and not part.startswith("__")}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
            root = ast.unparse(node).split(".")[0]
            private |= {ast.unparse(node)} if root in modules else set()
    return private


def test_no_private_names_of_other_libraries():
    """Oracle: the import statements and attributes of each file but the studio's; the check sees a planted one."""
    assert private_names(ast.parse("import numpy as np\nfrom pandas._libs import lib\nnp.core._x()")) == {
        "_libs",
        "np.core._x",
    }
    for path in sorted(PACKAGE.rglob("*.py")):
        if not path.is_relative_to(PACKAGE / "app"):
            assert not private_names(ast.parse(path.read_text())), path
