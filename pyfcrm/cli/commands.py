"""Every command with its options; the work is in the file of the command's name."""

from __future__ import annotations

from typing import Annotated

import typer

from ..methods import METHODS
from .options import real, separator, whole

app = typer.Typer(
    name="pyfcrm",
    help="Protect numerical microdata, and judge the release: information loss against disclosure risk.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

Independent = Annotated[
    str,
    typer.Option(help='columns kept, which explain the others: a,b (a name with a comma in double quotes: "a, b",c)'),
]
Dependent = Annotated[str, typer.Option(help="columns to protect: c,d")]
Identifiers = Annotated[str | None, typer.Option(help="columns dropped from the release")]
Seed = Annotated[
    int | None,
    typer.Option(
        parser=whole,
        metavar="INTEGER",
        help="to show that a result repeats; leave it out for what goes out: it can be guessed",
    ),
]
Constraints = Annotated[
    str | None,
    typer.Option(help="what every release must keep, such as 'A == B + C; D >= 0'; odd names in double quotes or `"),
]
Threads = Annotated[
    int | None,
    typer.Option(parser=whole, metavar="INTEGER", help="how many to use; the result does not depend on it"),
]
Missing = Annotated[str, typer.Option(help="refuse, or complete: leave records with missing values as they are")]
Strata = Annotated[
    str | None,
    typer.Option(help="columns whose every combination of values is taken by itself: e,f"),
]
ByBlocks = Annotated[
    bool, typer.Option("--by-blocks", help="Parquet larger than memory: read, work and write some records at a time")
]
Separator = Annotated[
    str | None,
    typer.Option(parser=separator, metavar="TEXT", help="of a CSV file, tab for a tab; detected if not given"),
]
Decimal = Annotated[str | None, typer.Option(help="decimal mark of a CSV file, . or ,; detected if not given")]
Json = Annotated[bool, typer.Option("--json", help="one JSON document on standard output")]


def show_version(wanted: bool) -> None:
    """Print the version and stop."""
    if wanted:
        from .. import __version__

        typer.echo(f"pyfcrm {__version__}")
        raise typer.Exit


@app.callback()
def about(
    version: Annotated[
        bool, typer.Option("--version", callback=show_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Protect numerical microdata, and judge the release: information loss against disclosure risk."""


@app.command()
def demo(
    folder: Annotated[str, typer.Option("--output", "-o", help="where the table and the figures go")] = "pyfcrm-demo",
    seed: Annotated[int, typer.Option(parser=whole, metavar="INTEGER", help="of the data and of the methods")] = 1,
    threads: Threads = None,
) -> None:
    """The main job, start to end, on a file simulated here: protect, judge, choose."""
    from .demo import run

    run(folder, seed, threads)


@app.command()
def protect(
    source: Annotated[str, typer.Argument(metavar="IN", help="a CSV, Parquet, SPSS, Stata or SAS file")],
    output: Annotated[str, typer.Option("--output", "-o", help="the protected file")],
    method: Annotated[str, typer.Option(help="one of " + ", ".join(METHODS))],
    dependent: Dependent,
    independent: Independent = "",
    settings: Annotated[list[str] | None, typer.Option("--set", help="a parameter: c=8 (may be repeated)")] = None,
    identifiers: Identifiers = None,
    seed: Seed = None,
    constraints: Constraints = None,
    missing: Missing = "refuse",
    threads: Threads = None,
    manifest: Annotated[
        str | None, typer.Option(help="a private record of random state and settings, for you alone")
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    strata: Strata = None,
    by_blocks: ByBlocks = False,
    state: Annotated[
        str | None,
        typer.Option(metavar="MANIFEST", help="start where the release of this record did: the same file again"),
    ] = None,
) -> None:
    """Protect the dependent columns of a file."""
    from .protect import Request, run

    files = (source, output, manifest)
    run(
        Request(
            *files,
            method,
            tuple(settings or ()),
            independent,
            dependent,
            identifiers,
            seed,
            missing,
            separator,
            decimal,
            constraints,
            threads,
            strata,
            by_blocks,
            state,
        )
    )


@app.command()
def evaluate(
    original: Annotated[str, typer.Argument(metavar="ORIGINAL")],
    protected: Annotated[str, typer.Argument(metavar="PROTECTED")],
    columns: Annotated[
        str | None, typer.Option(help="the columns to judge: c,d; all numeric ones both have if not given")
    ] = None,
    measures: Annotated[str | None, typer.Option(help="keys: pil,dbrl,...; the six of the score if not given")] = None,
    keys: Annotated[
        str | None, typer.Option(help="the key attributes that the measures uniques and k_anonymity are about: e,f")
    ] = None,
    missing: Missing = "refuse",
    separator: Separator = None,
    decimal: Decimal = None,
    as_json: Json = False,
    independent: Annotated[
        str | None,
        typer.Option(help="columns that explain the judged ones, for the inference baseline of each risk: a,b"),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="starts the draws of the inference baseline")
    ] = None,
    strata: Strata = None,
    threads: Threads = None,
    by_blocks: ByBlocks = False,
) -> None:
    """Judge a protected file against its original."""
    from .evaluate import Request, run

    words = (original, protected, columns, measures, keys, missing, separator, decimal)
    run(Request(*words, as_json, independent, seed, strata, threads, by_blocks))


@app.command()
def sweep(
    source: Annotated[str, typer.Argument(metavar="IN", help="a CSV, Parquet, SPSS, Stata or SAS file")],
    folder: Annotated[str, typer.Option("--output", "-o", help="where the table and the map go")],
    dependent: Dependent,
    candidates: Annotated[str, typer.Option(help='such as "fcrm:c=2..15,ipso:kind=A|B|C"')],
    independent: Independent = "",
    seed: Seed = None,
    constraints: Constraints = None,
    missing: Missing = "refuse",
    max_dr: Annotated[
        float | None,
        typer.Option(parser=real, metavar="FLOAT", help="name the least information loss within this disclosure risk"),
    ] = None,
    separator: Separator = None,
    decimal: Decimal = None,
    threads: Threads = None,
    by_blocks: ByBlocks = False,
) -> None:
    """Judge many methods on one file: the risk-utility map."""
    from .sweep import Request, run

    words = (source, folder, independent, dependent, candidates, missing, separator, decimal, constraints)
    run(Request(*words, seed, max_dr, threads, by_blocks))


@app.command()
def report(
    original: Annotated[str, typer.Argument(metavar="ORIGINAL")],
    protected: Annotated[str, typer.Argument(metavar="PROTECTED")],
    output: Annotated[str, typer.Option("--output", "-o", help="the page, .html")],
    columns: Annotated[
        str | None, typer.Option(help="the columns to judge: c,d; all numeric ones both have if not given")
    ] = None,
    measures: Annotated[str | None, typer.Option(help="keys: pil,dbrl,...; the six of the score if not given")] = None,
    independent: Annotated[
        str | None, typer.Option(help="the columns that explain the judged ones: adds the inference baseline")
    ] = None,
    form: Annotated[
        str, typer.Option(help="internal: everything; external: nothing that helps an intruder")
    ] = "internal",
    manifest: Annotated[
        str | None, typer.Option(help="the record that protect --manifest wrote, of how it was made")
    ] = None,
    title: Annotated[str, typer.Option(help="of the page")] = "A protected file, judged",
    missing: Missing = "refuse",
    separator: Separator = None,
    decimal: Decimal = None,
    seed: Seed = None,
) -> None:
    """One self-contained HTML page on a protected file and its original."""
    from .report import Request, run

    words = (original, protected, output, columns, measures, independent, form, manifest, title, missing)
    run(Request(*words, separator, decimal, seed))


@app.command()
def reproduce(
    study: Annotated[str, typer.Argument(help="example, s1, s2, s3, permutation, linkage or beyond")],
    census: Annotated[str | None, typer.Option(help="the Census file, where sdcMicro is not installed")] = None,
    folder: Annotated[str | None, typer.Option("--output", "-o", help="where the table and the figure go")] = None,
    seeds: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="how many seeds to average over, 1, 2, ...")
    ] = None,
    as_json: Json = False,
) -> None:
    """Run an experiment of the literature; printed and measured values side by side."""
    from .reproduce import run

    run(study, census, folder, seeds, as_json)


@app.command()
def studio(
    port: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="8765, or the next that is free, if not given")
    ] = None,
    host: Annotated[str, typer.Option(help="the address to listen on; this machine alone if not given")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open it in a browser")] = True,
    upload_mb: Annotated[
        int, typer.Option("--upload-mb", parser=whole, metavar="INTEGER", help="the largest file that may be dropped")
    ] = 200,
) -> None:
    """See what protecting does, in a browser, while it runs."""
    from .studio import run

    run(port, host, browser, upload_mb)


@app.command()
def doctor(as_json: Json = False) -> None:
    """What is installed, what is missing, and the command that mends it."""
    from .doctor import run

    run(as_json)


@app.command()
def crosscheck(
    sdcmicro: Annotated[bool, typer.Option("--sdcmicro", help="compare with sdcMicro's routines too")] = False,
    ipso_r: Annotated[
        str | None, typer.Option("--ipso-r", help="an agency's own copy of the IPSO R code, run instead of ours")
    ] = None,
    as_json: Json = False,
    html: Annotated[str | None, typer.Option(help="a page to file away")] = None,
    source: Annotated[
        str | None, typer.Option("--input", help="a CSV or Parquet file; if not given, data simulated here")
    ] = None,
    independent: Annotated[str | None, typer.Option(help="its columns that explain the others: a,b")] = None,
    dependent: Annotated[str | None, typer.Option(help="its columns to protect: c,d")] = None,
    seed: Annotated[int, typer.Option(parser=whole, metavar="INTEGER", help="of both sides")] = 1,
) -> None:
    """Compare this package with R, number by number; exit status 1 where they differ."""
    from .crosscheck import Request, run

    run(Request(sdcmicro, ipso_r, as_json, html, source, independent, dependent, seed))


@app.command()
def recommend(
    source: Annotated[str, typer.Argument(metavar="IN", help="a CSV, Parquet, SPSS, Stata or SAS file")],
    dependent: Dependent,
    max_dr: Annotated[
        float, typer.Option(parser=real, metavar="FLOAT", help="the most disclosure risk (DR) allowed, per cent")
    ],
    independent: Independent = "",
    seed: Seed = None,
    seconds: Annotated[
        float, typer.Option(parser=real, metavar="FLOAT", help="when to stop looking for better, about")
    ] = 60.0,
    seeds: Annotated[
        int, typer.Option(parser=whole, metavar="INTEGER", help="how many releases the best are judged by")
    ] = 3,
    candidates: Annotated[
        str | None,
        typer.Option(help='where to start, such as "fcrm:c=2..15,ipso:kind=A|B|C"; all families if not given'),
    ] = None,
    folder: Annotated[str | None, typer.Option("--output", "-o", help="where the table and the map go")] = None,
    missing: Missing = "refuse",
    separator: Separator = None,
    decimal: Decimal = None,
    constraints: Constraints = None,
    as_json: Json = False,
    threads: Threads = None,
) -> None:
    """Search for the method of least information loss within a risk limit, and say why."""
    from .recommend import Request, run

    words = (source, independent, dependent, candidates, constraints, missing, separator, decimal, folder)
    run(Request(*words, max_dr, seed, seconds, seeds, as_json, threads))
