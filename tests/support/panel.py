"""The utility panel of a release alone: evaluate() has the verdict too, which takes most of its time."""

from dataclasses import replace

from pyfcrm.data import open_data
from pyfcrm.evaluation.encoded_files import encoded_original, encoded_release
from pyfcrm.evaluation.evaluate_request import release_request
from pyfcrm.evaluation.judged_request import judged_request
from pyfcrm.evaluation.utility.panel.measured_utility import measured_utility
from pyfcrm.evaluation.verdict.examined_release import ExaminedRelease
from pyfcrm.protection.protected import open_release


def panel_of(original, released, roles=None, **options):
    """The panel of a frame in the original's order, or of a result of protect()."""
    request = release_request(released, roles, measures=["pil"])
    if roles is not None:
        request = replace(request, paired=True)
    before = encoded_original("evaluate", open_data("evaluate", original), request.variables)
    after = encoded_release(before, open_release("evaluate", released))
    request = judged_request(before, after, replace(request, **options))
    return measured_utility(ExaminedRelease(request=request, original=before, protected=after))
