"""The versions of all software that a cross-check uses."""

import platform
from importlib.metadata import version

from pyfcrm.files import manifest

from .session import session


def versions() -> dict[str, str]:
    """Versions by name: this package, Python and its libraries, R, sdcMicro, and the linear algebra libraries of both."""
    return {**manifest.versions(), "system": platform.platform(), "rpy2": version("rpy2"), **_r_versions()}


def package_version(name: str) -> str | None:
    """The version of an installed R package; None if it is not installed."""
    call = session().call
    if not call("system.file", {"package": name}).value[0]:
        return None
    return str(call("packageDescription", {"pkg": name, "fields": "Version"}).value[0])


def _r_versions() -> dict[str, str]:
    """The versions of R, of its linear algebra libraries, and of sdcMicro."""
    call = session().call
    libraries = call("extSoftVersion").value  # the last is the path of BLAS, empty if R does not know it
    return {
        "R": call("R.Version").value["version.string"][0].removeprefix("R version "),
        "BLAS of R": next((text for text in libraries if "blas" in text.lower()), "unknown"),
        "LAPACK of R": call("La_library").value[0] or "unknown",
        "sdcMicro": package_version("sdcMicro") or "not installed",
    }
