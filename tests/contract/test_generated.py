"""Generated files are those that the declarations give. Oracle: the generator itself. Grade: identical."""

import pytest
from support import generate

FILES = dict(generate.generated())


@pytest.mark.parametrize("path", FILES)
def test_a_generated_file_is_up_to_date(path):
    assert generate.read(path) == FILES[path], f"{path} is not what Python declares: run {generate.COMMAND}"


@pytest.mark.parametrize("path", [path for path in FILES if path.endswith(".Rd")])
def test_a_page_has_no_open_place_of_its_template(path):
    assert "<<" not in FILES[path]
