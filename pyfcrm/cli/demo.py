"""pyfcrm demo: the main work on files simulated here: a sweep, a release, and the verdict on it."""

from .. import datasets
from ..data import Roles
from ..engine import Engine, Local
from ..interface import audit, evaluate, protect, sweep
from ..methods import FCRM, IPSO, Calibrated, Method
from .options import Request, check_folder
from .search import SWEEP, save
from .show import print_lines, progress, result

CLUSTERS = (2, 8)
CENSUS_RECORDS, SURVEY_RECORDS = 300, 1000
LIMIT = 15.0
PREDICTORS, CONFIDENTIAL = ("age", "hours", "size"), ("wage", "rent", "tax")
NOT_RELEASED = ("name", "stratum", "weight")
KEPT_AMOUNTS = (
    "The demo has amounts as predictors, as the thesis does: they are released unchanged. Do not release so: "
    "protect them too, or keep only what many records share (pf.datasets.survey is such a file)."
)


def run(request: Request) -> None:
    """The main workflow on simulated files: protect, evaluate, choose, and a verdict on a release."""
    from ..studies.thesis import S1_CASE

    engine, folder = Local(request.threads), check_folder(request.output, SWEEP)
    seed = request.seed
    frame = datasets.census_like(CENSUS_RECORDS, seed)
    print_lines(
        f"A file like the Census reference file, simulated here: {len(frame)} records, {frame.shape[1]} columns.",
        f"kept:      {', '.join(S1_CASE.independent)}",
        f"protected: {', '.join(S1_CASE.dependent)}",
        "",
    )
    methods: list[Method] = [*(FCRM(c=c) for c in CLUSTERS), *(IPSO(kind) for kind in "AC")]
    with progress("protecting and judging") as advance:
        frontier = sweep(frame, S1_CASE, methods, seed, engine=engine, progress=advance)
    result(frontier)
    few, many, best = *frontier.candidates[: len(CLUSTERS)], frontier.best(max_dr=LIMIT)
    print_lines(
        "",
        "PIL: change of means, variances, covariances, correlations and quantiles. DBRL, PRL: records that an intruder links to "
        "their originals. ID: values disclosed within 1 to 10 % of a standard deviation. DR and SCORE summarise them.",
        f"More clusters lose less (PIL {few['pil']:.0f} at c={CLUSTERS[0]}, {many['pil']:.0f} at c={CLUSTERS[1]}) and disclose more "
        f"(DBRL {few['dbrl']:.0f}, {many['dbrl']:.0f}). FCRM chooses a record's cluster by its own dependent values, so its "
        "release lies near the original. Examine record linkage before releasing an FCRM file.",
        f"Least information loss with DR at most {LIMIT:g}: {'none' if best is None else best.method}.",
        KEPT_AMOUNTS,
        "",
        f"files: {', '.join(map(str, save(folder, SWEEP, frontier)))}",
        "",
    )
    _release(engine, seed)


def _release(engine: Engine, seed: int) -> None:
    """A release of the survey, and the verdict on it."""
    frame = datasets.survey(SURVEY_RECORDS, seed=seed)
    frame["age"], frame["hours"] = frame["age"] // 20 * 20, frame["hours"] // 10 * 10
    roles = Roles(independent=PREDICTORS, dependent=CONFIDENTIAL, identifiers=NOT_RELEASED)
    method = Calibrated()
    print_lines(
        f"A release of a household survey, simulated here too: {len(frame)} records, protected by {method}.",
        f"protected: {', '.join(CONFIDENTIAL)}",
        f"released unchanged: region, {', '.join(PREDICTORS)}; age in bands of 20 years, hours in bands of 10, so that many "
        f"records share each combination. Not released: {', '.join(NOT_RELEASED)}.",
        "It starts from fresh entropy, as a release that leaves you should: its values differ from demo to demo.",
    )
    with progress("protecting, auditing and judging") as advance:
        released = protect(frame, method, roles, engine=engine, progress=advance)
        attacks = audit(frame, method, roles, seed=None, repeats=1, engine=engine, progress=advance)
        report = evaluate(frame, released, audit=attacks, engine=engine)
    print_lines(*report.lines())
