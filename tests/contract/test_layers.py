"""Rules of the source: which modules a file may import, parameters by position, private names of libraries.

Oracle: the layers of tests/support/layers.py, and the rules of CONTRIBUTING.md. Identical: an import is allowed or it is not.
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
from support.layers import CONTRIBUTING, LAYERS, with_module_list

import pyfcrm as pf

pytestmark = pytest.mark.xdist_group("layers")  # the package is parsed once
PACKAGE = REPOSITORY / "pyfcrm"

LEVEL = {module: level for level, modules in enumerate(LAYERS) for module in modules}

# Where pandas may be imported: "top" anywhere in the file, "inside" only in functions and for type checkers.
PANDAS_TOP = {"data/native.py"}
PANDAS_INSIDE = {
    f"{module}/"
    for module in (
        "display",
        "data",
        "files",
        "datasets",
        "studies",
        "evaluation",
        "search",
        "report",
        "trust",
        "cli",
        "app",
    )
}
ONLY = {
    "matplotlib": {"plots/"},
    "polars": {"data/"},
    "pyarrow": {"data/", "files/"},
    "numba": {"rstream/kernels.py", "engine/compile.py"},
    "rpy2": set(),
    "click": {"cli/"},
    "rich": {"cli/"},
    "jinja2": {"plots/"},
    "starlette": {"app/"},
    "uvicorn": {"app/"},
    "pyreadstat": {"files/"},
    "dask": {"engine/"},
    "distributed": {"engine/"},
}
R_BRIDGE = {"cli/", "app/"}


@dataclass(frozen=True)
class Import:
    """One imported module: `at` the importing file; `late` where it only happens inside a function; `typing` where
    only a type checker sees it."""

    at: str
    line: int
    module: str
    late: bool
    typing: bool

    def __str__(self) -> str:
        return f"pyfcrm/{self.at}:{self.line} imports {self.module}"


def module_of(path: str) -> str:
    return path.split("/")[0].removesuffix(".py")


@cache
def files() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports() -> tuple[Import, ...]:
    return tuple(one for path in files() for one in imports_of(path))


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
        local = ["pyfcrm", *at.split("/")[:-1]]
        base = local[: len(local) - (node.level - 1)] + (node.module.split(".") if node.module else [])
    whole, known = ".".join(base), modules()
    named = [f"{whole}.{alias.name}" for alias in node.names]
    return list(dict.fromkeys(name if base == ["pyfcrm"] or name in known else whole for name in named))


@cache
def modules() -> dict[str, str]:
    """Every file of the package as it is imported, and its path."""
    paths = [path.relative_to(PACKAGE).as_posix() for path in files()]
    names = {path: path.removesuffix(".py").removesuffix("__init__").rstrip("/").replace("/", ".") for path in paths}
    return {f"pyfcrm.{name}".rstrip("."): path for path, name in names.items()}


def inside_the_package() -> list[tuple[Import, str]]:
    """Imports of one module by another, with the imported module. The package's own __version__ is in none."""
    pairs = [(one, one.module.split(".")[1]) for one in imports() if one.module.startswith("pyfcrm.")]
    return [(one, module) for one, module in pairs if module not in (module_of(one.at), "__version__")]


def permitted(at: str, places: set[str]) -> bool:
    return any(at == place or (place.endswith("/") and at.startswith(place)) for place in places)


def test_every_file_has_a_layer():
    assert {module_of(path.relative_to(PACKAGE).as_posix()) for path in files()} <= set(LEVEL)


def test_the_list_of_modules_in_contributing_is_that_of_the_layers():
    """Written by `python tests/support/layers.py`."""
    text = CONTRIBUTING.read_text(encoding="utf-8")
    assert text == with_module_list(text)


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


def test_files_import_from_lower_layers_only():
    top = set(LAYERS[-1])
    wrong = [
        str(one)
        for one, module in inside_the_package()
        if LEVEL.get(module, 99) >= LEVEL[module_of(one.at)] and not {module, module_of(one.at)} <= top
    ]
    assert not wrong, "\n".join(wrong)


def test_no_file_imports_itself_by_way_of_others():
    """Late imports and those for type checkers included."""
    known, graph = modules(), dict[str, set[str]]()
    for one in imports():
        if one.module in known and one.module != "pyfcrm":
            graph.setdefault(one.at, set()).add(known[one.module])
    assert sum(map(len, graph.values())) > 1000
    list(TopologicalSorter(graph).static_order())  # CycleError names them


EVALUATION = ("verdict", "auditing", "utility", "risk")  # the packages behind the public functions of evaluation


def test_the_packages_of_evaluation_open_no_data():
    """What a user gives is opened by the file of the public function, one for each; the packages take opened frames and arrays."""
    public = {
        "analyse",
        "audit",
        "combine",
        "dependence_test",
        "evaluate",
        "key_risk",
        "records_at_risk",
        "variable_changes",
    }
    found = []
    for one in imports():
        if one.at.startswith(tuple(f"evaluation/{package}/" for package in EVALUATION)):
            parts = one.module.split(".")
            if one.module == "pyfcrm.evaluation" or (parts[:2] == ["pyfcrm", "evaluation"] and parts[2] in public):
                found.append(str(one))
    for package in EVALUATION:
        for path in sorted((PACKAGE / "evaluation" / package).glob("*.py")):
            names = {node.id for node in ast.walk(tree(path)) if isinstance(node, ast.Name)}
            found += [f"{package}/{path.name}: {name}" for name in names & {"open_data", "open_release"}]
    assert not found
    assert public <= {*pf.__all__}
    assert not {*EVALUATION} & {*pf.__all__}


@pytest.mark.parametrize("library", ONLY)
def test_only_these_files_import(library):
    users = [one for one in imports() if one.module.split(".")[0] == library]
    wrong = [str(one) for one in users if not permitted(one.at, ONLY[library])]
    assert not wrong, "\n".join(wrong)


def test_pandas_is_imported_at_interfaces_only():
    users = [one for one in imports() if one.module.split(".")[0] == "pandas"]
    wrong = [
        str(one)
        for one in users
        if not permitted(one.at, PANDAS_TOP) and not (permitted(one.at, PANDAS_INSIDE) and (one.late or one.typing))
    ]
    assert not wrong, "\n".join(wrong)


def test_the_r_bridge_is_imported_by_the_top_only():
    users = [one for one in imports() if one.module.split(".")[0] == "r_bridge"]
    assert not [str(one) for one in users if not permitted(one.at, R_BRIDGE)]


HEAVY = [
    *("numba", "pandas", "polars", "pyarrow", "matplotlib", "scipy.stats", "sklearn"),
    *("rich", "jinja2", "click", "rpy2", "dask", "distributed", "r_bridge"),
]


@pytest.mark.process
def test_the_public_names_load_nothing_heavy():
    """Oracle: sys.modules of a fresh interpreter that has used each name."""
    code = (
        "import sys, pyfcrm as pf; [getattr(pf, name) for name in pf.__all__];"
        f"print([name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    assert done.stdout.strip() == "[]"


def sentences() -> dict[str, list[str]]:
    """Texts of six words or more, without markup, and their places; no docstrings, help texts or sources."""
    found: dict[str, list[str]] = {}
    for path in files():
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
    """A sentence has one place, where it is corrected. Citations may repeat."""
    assert len(sentences()) > 500
    twice = {text: places for text, places in sentences().items() if len(places) > 1}
    assert not {text: places for text, places in twice.items() if "(19" not in text and "(20" not in text}


# Public functions whose parameters by position are promised.
WIDE = {"fuzzy/fcm.py:fcm", "fuzzy/fcrm.py:fcrm"}


def functions() -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Every function by its file and name, without those that others cannot call by name: kernels, as compiled code takes
    nothing by name, and what R calls, as R's values arrive in their order."""
    for path in sorted(file for folder in (PACKAGE, REPOSITORY / "r_bridge") for file in folder.rglob("*.py")):
        folder = PACKAGE if PACKAGE in path.parents else REPOSITORY
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not (_is_kernel(node) or _is_for_r(node)):
                yield f"{path.relative_to(folder).as_posix()}:{node.name}", node


def by_position(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return len([one.arg for one in (*node.args.posonlyargs, *node.args.args) if one.arg not in ("self", "cls")])


def _is_kernel(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one).startswith("compiled") for one in node.decorator_list)


MOST_BY_POSITION = 5


def _is_for_r(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(one) == "errors_as_data" for one in node.decorator_list)


@pytest.mark.slow
def test_no_function_takes_more_than_five_parameters_by_position():
    found = {name: by_position(node) for name, node in functions() if by_position(node) > MOST_BY_POSITION}
    assert set(found) == WIDE, found


def calls_by_position(tree: ast.Module, any_number: set[str]) -> list[str]:
    """Calls of more than five positional arguments, by line and name; those of `any_number` take any number of one kind."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and len(node.args) > MOST_BY_POSITION:
            name = ast.unparse(node.func)
            if name.rpartition(".")[2] not in any_number:
                found.append(f"{node.lineno}: {name}")
    return found


@pytest.mark.slow
def test_no_call_has_more_than_five_positional_arguments():
    """Results of many fields are built by name. Kernels take nothing by name; functions with `*args` take equal things."""
    planted = ast.parse("Row(1, 2, 3, 4, 5, 6)\nRow(1, 2, 3, 4, 5)\nmax(1, 2, 3, 4, 5, 6)")
    assert calls_by_position(planted, {"max"}) == ["1: Row"]
    paths = [path for folder in (PACKAGE, REPOSITORY / "r_bridge") for path in sorted(folder.rglob("*.py"))]
    nodes = [node for path in paths for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef)]
    any_number = {"max", "min"} | {node.name for node in nodes if _is_kernel(node) or node.args.vararg is not None}
    calls = {path.relative_to(REPOSITORY).as_posix(): calls_by_position(tree(path), any_number) for path in paths}
    assert not {path: lines for path, lines in calls.items() if lines}


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
            private |= {ast.unparse(node)} if ast.unparse(node).split(".")[0] in modules else set()
    return private


def recovery_machinery(tree: ast.Module) -> set[str]:
    """Signal handlers, garbage collection and thread exceptions."""
    nodes = list(ast.walk(tree))
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    read = {ast.unparse(node) for node in nodes if isinstance(node, ast.Attribute)}
    return imported & {"gc", "ctypes", "faulthandler"} | read & {"signal.signal"}


@cache
def outside_the_studio() -> dict[str, ast.Module]:
    return {str(path): tree(path) for path in files() if not path.is_relative_to(PACKAGE / "app")}


@pytest.mark.slow
def test_no_private_names_signal_handlers_or_garbage_collection():
    """Oracle: the import statements and attributes of each file; the checks see planted ones."""
    planted = ast.parse("import gc, signal, numpy as np\nfrom pandas._libs import lib\nnp.core._x(signal.signal)")
    assert private_names(planted) == {"_libs", "np.core._x"}
    assert recovery_machinery(planted) == {"gc", "signal.signal"}
    assert not {path: found for path, tree in outside_the_studio().items() if (found := private_names(tree))}
    assert not {path: found for path, tree in outside_the_studio().items() if (found := recovery_machinery(tree))}
