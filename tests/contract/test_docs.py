"""The documentation's sources: a place for every public name, links that lead somewhere, examples that run, and `pyfcrm docs`.

Oracle: pyfcrm.__all__, METHODS and MEASURES; the list of pages. Identical. The pages themselves are built, and every link of
the built pages checked, by `make docs`.
"""

import importlib
import posixpath
import re
import sys

import pytest
from support.cli import pyfcrm
from support.data import REPOSITORY

import pyfcrm as pf
from pyfcrm.cli import pages as cli_pages
from pyfcrm.evaluation.verdict.release_tests import TESTS
from pyfcrm.measures import MEASURES

DOCS = REPOSITORY / "docs"
README = (REPOSITORY / "README.md").read_text(encoding="utf-8")
LINK = re.compile(r"\]\((?!https?:)([^)\s]+)\)")
TREE = re.compile(r"```\{toctree\}\n(.*?)```", re.DOTALL)


def tool(name):
    """A module of docs/, which is no package."""
    sys.path.insert(0, str(DOCS))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(DOCS))


@pytest.fixture(scope="module")
def pages():
    sources = tool("make").sources()
    return sources


def test_every_public_name_method_and_measure_has_its_place(pages):
    reference = tool("reference")
    placed = {name.split(".")[0] for names in reference.topics().values() for name in names}
    methods = {method.__name__ for method in pf.METHODS.values()}
    assert reference.CARDS["method"].keys() == pf.METHODS.keys()
    assert placed | methods | set(reference.PLAIN) == set(pf.__all__)
    every = "\n".join(text for path, text in pages.items() if path.startswith("reference/"))
    for name in placed - {"datasets", "errors"}:
        assert re.search(rf"^\.\. auto(class|function):: pyfcrm\.{name}$", every, re.MULTILINE), name
    for key, method in pf.METHODS.items():
        page = pages[f"reference/methods/{key}.rst"]
        assert all(f"   * - ``{one.name}``" in page for one in method.declared())
    for key in MEASURES:
        assert f".. _measure-{key}:" in pages["reference/measures.rst"]


def test_every_link_of_the_sources_leads_to_a_page(pages):
    wrong = []
    pictures = {path.name for folder in ("knitted", "../vignettes/figures") for path in (DOCS / folder).glob("*.png")}
    for path, text in pages.items():
        prose = re.sub(r"^(`{3,}).*?^\1", "", text, flags=re.DOTALL | re.MULTILINE)
        for target in LINK.findall(prose):
            page = posixpath.normpath(
                posixpath.join(posixpath.dirname(path), target.partition("#")[0] or posixpath.basename(path))
            )
            wrong += [f"{path}: {target}"] if page not in pages and posixpath.basename(page) not in pictures else []
        for tree in TREE.findall(text):
            listed = [line for line in tree.splitlines() if line and not line.startswith(":")]
            wrong += [f"{path}: {one}" for one in listed if not {f"{one}.md", f"{one}.rst"} & set(pages)]
    assert not wrong, "\n".join(wrong)


def test_stored_pages_name_no_folder_of_the_computer_that_made_them():
    """Oracle: the placeholders of docs/knit.py, which stand for the temporary folder and the interpreter. Identical."""
    shown = (tool("cells").PLACE, tool("knit").PYTHON)
    for path in (DOCS / "knitted").glob("*.md"):
        found = re.findall(r"(?<![\w.])/(?:home|root|tmp|usr|opt|work)/\S*", path.read_text(encoding="utf-8"))
        assert all(place.startswith(shown) for place in found), path.name


def test_every_hold_and_every_family_of_the_panel_has_a_next_step():
    """Oracle: the tests of the verdict with their general remedies, and the families of the utility panel. Identical."""
    text = (DOCS / "what-to-do.md").read_text(encoding="utf-8")
    sections = {part.split("`")[1]: part for part in text.split("\n### ")[1:] if part.startswith("`")}
    assert list(sections) == list(TESTS)
    for key, test in TESTS.items():
        plain = re.sub(r"[*`]", "", sections[key])
        assert f"Next step: {test.remedy.words.replace('`', '')}.\n" in plain, key
    table = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("| ")][1:]
    utility = (DOCS / "utility.md").read_text(encoding="utf-8").split("## The estimates")[1].split("\n\n")[1]
    families = [line.split("|")[1].strip() for line in utility.splitlines()][2:]
    assert [name for name in table if name != "---"] == families


def test_every_link_of_the_readme_leads_to_a_file():
    assert not [one for one in LINK.findall(README) if not (REPOSITORY / one.partition("#")[0]).exists()]


@pytest.mark.slow
def test_the_readmes_lines_of_python_run():
    """Without the audit, which takes ten seconds; the group means printed there are those of the release. Statistical."""
    lines, _ = re.findall(r"```python\n(.*?)```", README, re.DOTALL)  # the second one calls an agency's R file
    space = {}
    exec(lines.replace(", audit=True", ""), space)
    report = space["report"]
    assert isinstance(report, pf.Report)
    assert max(abs(mean.difference) for mean in report.groups) < 0.1  # a tenth of what makes the report warn
    assert {test.key for test in report.verdict.tests if test.status == "not examined"} == {"audit", "replicated"}


def test_commands_have_the_options_that_readme_and_docs_write(pages):
    commands = dict(
        re.findall(
            r"^pyfcrm ([\w-]+)\n-+\n(.*?)(?=^pyfcrm |\Z)", pages["reference/commands.rst"], re.DOTALL | re.MULTILINE
        )
    )
    written = re.sub(r"\\\n\s+", "", README + (DOCS / "files.md").read_text(encoding="utf-8"))
    lines = re.findall(r"^    pyfcrm ([\w-]+) ?([^\n#]*)", written, re.MULTILINE)
    assert len(lines) > 15
    for name, rest in lines:
        assert name in commands, name
        assert all(option in commands[name] for option in re.findall(r"--[\w-]+", rest)), (name, rest)


def test_a_cell_that_fails_ends_the_build_and_its_output_is_shown():
    cells = tool("cells")
    with pytest.raises(SystemExit, match="page: a cell fails: ZeroDivisionError"):
        cells.run_cells("```{python}\n1 / 0\n```", "page")
    result = cells.run_cells("# Words\n\n```{python}\nprint('printed')\n6 * 7\n```\n", "page")
    text, _ = cells.as_page(result, "page")
    assert "printed\n42" in text


def test_the_command_opens_the_copy_that_came_with_the_package(tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(cli_pages, "SITE", tmp_path)
    ran = pyfcrm("docs")
    assert (ran.status, ran.out, opened) == (2, "", [])
    assert "make docs" in ran.err
    (tmp_path / "index.html").write_text("<p>")
    address = (tmp_path / "index.html").as_uri()
    assert pyfcrm("docs", "--no-browser").out.strip() == address
    assert not opened
    assert pyfcrm("docs").status == 0
    assert opened == [address]
