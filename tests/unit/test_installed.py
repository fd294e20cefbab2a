"""Installed files against their record. Oracle: a tree made here, changed by one byte. Identical."""

import hashlib
from base64 import urlsafe_b64encode

import pytest

from pyfcrm.trust.installed import installed

FILES = {
    "pyfcrm/__init__.py": b"version = 1\n",
    "pyfcrm/deep/data.json": b"{}",
    "r_bridge/r_scripts/ipso.R": b"x <- 1\n",
}
FILES["pyfcrm/a, b.txt"] = b"a comma in a name"


def record():
    """As pip writes it: what was compiled, and the record itself, have no digest."""
    digests = {
        name: urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for name, data in FILES.items()
    }
    rows = [f'"{name}",sha256={digest},{len(FILES[name])}' for name, digest in digests.items()]
    rows += [
        "pyfcrm-1.dist-info/RECORD,,",
        "pyfcrm/__pycache__/__init__.cpython-311.pyc,,",
        "../../bin/pyfcrm,sha256=x,1",
    ]
    return "\n".join(rows) + "\n"


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "site"
    for name, data in {**FILES, "pyfcrm/__pycache__/x.pyc": b"", "other/x.py": b""}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / "pyfcrm-1.dist-info").mkdir()
    (folder / "pyfcrm-1.dist-info" / "RECORD").write_text(record())
    return folder


def test_as_recorded(place):
    found = installed(folder=place)
    assert (found.known, found.wrong) == (len(FILES), {})
    assert len(found.digest) == 64


def test_a_byte_a_file_too_few_and_one_too_many(place):
    (place / "pyfcrm/__init__.py").write_bytes(b"version = 2\n")
    (place / "pyfcrm/deep/data.json").unlink()
    (place / "r_bridge/planted.py").write_bytes(b"")
    found = installed(folder=place)
    assert found.wrong == {
        "pyfcrm/__init__.py": "changed",
        "pyfcrm/deep/data.json": "missing",
        "r_bridge/planted.py": "not of the wheel",
    }


def test_a_checkout_has_no_record(tmp_path, place):
    assert installed().known is None
    assert installed(folder=tmp_path).known is None
    (place / "pyfcrm-1.dist-info/RECORD").write_text("_pyfcrm.pth,sha256=x,1\n")  # an editable install
    assert installed(folder=place).known is None
