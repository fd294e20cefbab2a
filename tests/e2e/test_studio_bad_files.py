"""Bad files dropped on the studio: each gets a sentence, and the page goes on.

Oracle: the sentence of read_table for the same bytes. Grade: identical.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from support.browser import Tab, studio_process, upload_limit

pytest.importorskip("shiny", reason="needs the extra app")

from pyfcrm.errors import PyfcrmError
from pyfcrm.files import read_table

pytestmark = pytest.mark.browser


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
    return buffer.getvalue()


BAD = {
    "empty.csv": b"",
    "ragged.csv": b"a,b\n1,2\n3\n",
    "binary.csv": bytes(range(256)) * 8,
    "cut.parquet": b"PAR1" + b"\0" * 40,
    "words.sav": b"$FL2 but no more",
    "sheet.xlsx": zipped(),
    "pickle.pkl": b"\x80\x04cposix\nsystem\n(S'touch /tmp/pwned'\ntR.",
}


def test_bad_files_each_get_a_sentence_and_a_good_one_still_goes_in(tab: Tab, tmp_path: Path) -> None:
    for name, content in BAD.items():
        path = tmp_path / name
        path.write_bytes(content)
        with pytest.raises(PyfcrmError) as caught:
            read_table(path)
        expected = str(caught.value).replace(f"{tmp_path}/", "")
        tab.page.get_by_label("Drop a file here, or browse").set_input_files(path)
        tab.page.get_by_role("alert").get_by_text(expected[:60]).wait_for()
        said = tab.page.get_by_role("alert").inner_text()
        assert said == " ".join(expected.split())
        assert "Traceback" not in tab.page.content()
        assert tab.page.locator("table.columns").count() == 0
    assert not Path("/tmp/pwned").exists()
    upload = tab.page.get_by_label("Drop a file here, or browse")
    (tmp_path / "good.csv").write_text("a,b\n1,2.5\n3,4\n5,1\n")
    upload.set_input_files(tmp_path / "good.csv")
    tab.page.get_by_role("status").get_by_text("good.csv: 3 records").wait_for()
    assert tab.page.get_by_role("alert").count() == 0
    # A bad file after it leaves the good one.
    upload.set_input_files(tmp_path / "ragged.csv")
    tab.page.get_by_role("alert").get_by_text("every line must have as many cells").wait_for()
    assert tab.page.get_by_role("status").get_by_text("good.csv: 3 records").count() == 1
    # Hostile names are text and nothing else.
    name = "<img src=x onerror=document.title='pwned'>"
    (tmp_path / "x.csv").write_text(f'"{name}",b\n1,2.5\n3,4\n5,1\n')
    upload.set_input_files(tmp_path / "x.csv")
    tab.page.get_by_role("rowheader", name=name).wait_for()
    assert tab.page.title() == "pyfcrm studio"
    assert tab.page.locator("table.columns img").count() == 0


def test_a_file_above_the_limit_gets_a_sentence_and_a_small_one_goes_in(browser: Any, tmp_path: Path) -> None:
    (tmp_path / "large.csv").write_text("a,b\n" + "1.5,2.5\n" * 200_000)
    (tmp_path / "small.csv").write_text("a,b\n1,2.5\n3,4\n5,1\n")
    with studio_process(before=upload_limit(1)) as address:
        tab = Tab(browser, address)
        upload = tab.page.get_by_label("Drop a file here, or browse")
        upload.set_input_files(tmp_path / "large.csv")
        tab.page.get_by_text("A file may have 1 MB at most.").wait_for()
        upload.set_input_files(tmp_path / "small.csv")
        tab.page.get_by_role("status").get_by_text("small.csv: 3 records").wait_for()
        assert [error for error in tab.errors if "413" not in error] == []
        tab.errors.clear()  # the browser's own word for a refusal
        tab.close()
