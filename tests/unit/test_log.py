"""The logger `pyfcrm`: a line for each call and each step, none with a value of the file. Oracle: by hand. Grade: identical."""

import logging

import pytest

import pyfcrm as pf

ROLES = pf.Roles(["age"], ["wage", "rent"], ["name"])


def released(frame, **more):
    return pf.protect(frame, pf.IPSO(), ROLES, 1, **more)


def test_a_call_is_one_line_with_its_time(caplog):
    with caplog.at_level(logging.INFO, logger="pyfcrm"):
        released(pf.datasets.survey(100))
    [line] = caplog.messages
    assert line.startswith("protect: ")
    assert line.endswith(" s")


def test_steps_are_logged_and_reported_to_the_caller(caplog):
    seen = []
    with caplog.at_level(logging.DEBUG, logger="pyfcrm"):
        logged = released(pf.datasets.survey(100), progress=lambda *step: seen.append(step[2]))
    steps = [line.split(", from")[0].removeprefix("protect: ") for line in caplog.messages[:-1]]
    assert steps
    assert steps == list(dict.fromkeys(seen))
    assert logged.frame.equals(released(pf.datasets.survey(100)).frame)


def test_a_failure_is_a_line_without_its_text(caplog):
    frame = pf.datasets.survey(100).assign(wage="a secret text")
    with caplog.at_level(logging.INFO, logger="pyfcrm"), pytest.raises(pf.errors.InvalidInput):
        released(frame)
    [line] = caplog.messages
    assert line.startswith("protect: ended by InvalidInput after ")
    assert "secret" not in line


def test_nothing_is_logged_unless_it_is_wanted(caplog):
    released(pf.datasets.survey(100))
    assert not caplog.messages
