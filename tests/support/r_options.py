"""What R's package fcrm repeats of the options of protect(), protect_file() and evaluate(): arguments, usage, items of the help."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pyfcrm.evaluation.options import AuditOptions, EvaluateOptions
from pyfcrm.protection.declaration import Option
from pyfcrm.protection.options import Options
from r_bridge.from_r.words import literal_in_r

from .option_text import in_r
from .r_text import CODE_WIDTH, USAGE_WIDTH, filled_call, filled_template, rd_item

COLUMNS = ("independent", "dependent", "identifiers", "unknown")
MORE_ROLES = (
    "weight", "household", "unit", "time", "psu", "sampling_stratum", "replicate_weights", "replicate_type", "replicate_scale",
    "replicate_rscales", "product",
)  # fmt: skip
ROLES = [f"{name} = NULL" for name in ("independent", "dependent", "identifiers", "seed", "unknown", *MORE_ROLES)]
FILE = {
    "separator": "NULL", "decimal": "NULL", "thousands": "NULL", "encoding": "NULL", "missing_marks": "NULL", "sheet": "NULL",
    "disarm": "FALSE", "overwrite": "FALSE",
}  # fmt: skip
FRAME_USAGE = r"\method{protect}{data.frame}("
EVALUATE_USAGE = r"\method{evaluate}{data.frame}("


@dataclass(frozen=True)
class Search:
    """A function of R that releases a file to measure the release."""

    verb: str
    """The function in Python."""

    first: tuple[str, ...]
    """Its formal arguments after the data, up to those that all have."""

    body: str
    """The function that does the work."""

    passed: tuple[str, ...]
    """What that function gets after data, columns and options."""


SEARCHES = {
    "audit": Search(
        verb="audit",
        first=("method", "independent = NULL", "dependent = NULL", "seed = 1"),
        body="audit_frame",
        passed=("method", "seed"),
    ),
    "sweep_methods": Search(
        verb="sweep",
        first=("methods", "independent = NULL", "dependent = NULL", "seed = NULL"),
        body="sweep_frame",
        passed=("methods", "seed"),
    ),
    "recommend": Search(
        verb="recommend",
        first=(
            "independent = NULL", "dependent = NULL", "limits = NULL", "max_dr = NULL", "constraints = NULL", "seed = NULL",
            "candidates = NULL",
        ),
        body="recommend_frame",
        passed=("limits", "max_dr", "seed", "candidates"),
    ),
}  # fmt: skip


def code() -> str:
    """The kinds of options, and the functions with their formal arguments; what these do is in protect.R, protect_file.R and evaluate.R."""
    kinds = {
        each.name: each.kind for each in (*Options.declared(), *EvaluateOptions.declared(), *AuditOptions.declared())
    }
    audited = [f'"{each.name}"' for each in Options.of_verb("audit")]
    return "\n\n".join(
        [
            "# The kind of each option, which decides how its value is converted.\n"
            + filled_call(
                "OPTION_KINDS <- c(", [f'{name} = "{kind}"' for name, kind in kinds.items()], ")", CODE_WIDTH
            ),
            "# The options that an audit of the release has too.\n"
            + filled_call("AUDITED_OPTIONS <- c(", audited, ")", CODE_WIDTH),
            _function("protect.data.frame", _frame_formals(), _frame_body()),
            _function("protect_file", _file_formals(), _file_body()),
            _function("evaluate.data.frame", _evaluate_formals(), _evaluate_body()),
            *(_function(name, _search_formals(name), _search_body(name)) for name in SEARCHES),
        ]
    )


def protect_page(template: str) -> str:
    """The page protect.Rd."""
    items = "\n".join(rd_item([each.name], in_r(each.text)) for each in Options.of_verb("protect"))
    usage = filled_call(FRAME_USAGE, _frame_formals(), ")", USAGE_WIDTH)
    return filled_template(template, {"usage": usage, "options": items})


def protect_file_page(template: str) -> str:
    """The page protect_file.Rd."""
    names = [*COLUMNS, *MORE_ROLES, "seed", *(each.name for each in Options.of_verb("protect_file")), "ledger"]
    usage = filled_call("protect_file(", _file_formals(), ")", USAGE_WIDTH)
    return filled_template(template, {"usage": usage, "options": rd_item(names, r"as in \code{\link{protect}}.")})


def evaluate_page(template: str) -> str:
    """The page evaluate.Rd."""
    usage = filled_call(EVALUATE_USAGE, _evaluate_formals(), ")", USAGE_WIDTH)
    items = "\n".join(rd_item([each.name], in_r(each.text)) for each in EvaluateOptions.of_verb("evaluate"))
    return filled_template(template, {"usage": usage, "options": items})


def search_page(name: str) -> Callable[[str], str]:
    """What fills the page of audit(), sweep_methods() or recommend()."""

    def page(template: str) -> str:
        usage = filled_call(f"{name}(", _search_formals(name), ")", USAGE_WIDTH)
        shared = [*COLUMNS, "product", *(each.name for each in Options.of_verb(SEARCHES[name].verb))]
        items = [rd_item(shared, r"see \code{\link{protect}}.")]
        if name == "audit":
            items += [rd_item([each.name], in_r(each.text)) for each in AuditOptions.declared()]
        return filled_template(template, {"usage": usage, "options": "\n".join(items)})

    return page


def _search_options(name: str) -> tuple[Option, ...]:
    own = AuditOptions.declared() if name == "audit" else ()
    return (*own, *Options.of_verb(SEARCHES[name].verb))


def _search_formals(name: str) -> list[str]:
    first = SEARCHES[name].first
    options = [formal for formal in _formals(_search_options(name)) if formal not in first]
    return ["df", *first, "identifiers = NULL", "unknown = NULL", "product = NULL", *options]


def _search_body(name: str) -> list[str]:
    arguments = ", ".join(SEARCHES[name].passed)
    return [
        _list("columns", [*COLUMNS, "product"]),
        _list("options", [each.name for each in _search_options(name)]),
        f"{SEARCHES[name].body}(df, columns, options, {arguments})",
    ]


def _formals(options: Iterable[Option]) -> list[str]:
    return [f"{each.name} = {each.r_default or literal_in_r(each.default)}" for each in options]


def _frame_formals() -> list[str]:
    return ["df", "method", *ROLES, *_formals(Options.of_verb("protect")), "ledger = NULL", "..."]


def _file_formals() -> list[str]:
    marks = [f"{name} = {default}" for name, default in FILE.items()]
    options = _formals(Options.of_verb("protect_file"))
    return ["input", "output", "method", *ROLES, *marks, *options, "manifest = NULL", "ledger = NULL"]


def _evaluate_formals() -> list[str]:
    options = _formals(EvaluateOptions.of_verb("evaluate"))
    return ["df", "released", *options, "unknown = NULL", "method = NULL", "audit = NULL", "..."]


def _function(name: str, formals: Iterable[str], lines: Iterable[str]) -> str:
    head = filled_call(f"{name} <- function(", formals, ") {", CODE_WIDTH)
    return "\n".join([head, *(f"  {line}" for text in lines for line in text.split("\n")), "}"])


def _list(target: str, names: Iterable[str]) -> str:
    return filled_call(f"{target} <- list(", [f"{name} = {name}" for name in names], ")", CODE_WIDTH - 2)


def _frame_body() -> list[str]:
    return [
        'refuse_further("protect", ...)',
        _list("columns", COLUMNS),
        _list("more", MORE_ROLES),
        _list("options", [each.name for each in Options.of_verb("protect")]),
        "protect_frame(df, method, columns, more, seed, options, ledger)",
    ]


def _evaluate_body() -> list[str]:
    return [
        'refuse_further("evaluate", ...)',
        _list("options", [each.name for each in EvaluateOptions.of_verb("evaluate")]),
        "evaluate_frame(df, released, options, unknown, method, audit)",
    ]


def _file_body() -> list[str]:
    return [
        _list("columns", COLUMNS),
        _list("more", MORE_ROLES),
        _list("options", [*FILE, *(each.name for each in Options.of_verb("protect_file"))]),
        "protect_path(input, output, method, columns, more, seed, options, manifest, ledger)",
    ]
