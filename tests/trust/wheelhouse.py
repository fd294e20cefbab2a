"""All that an installation without a network needs, in one folder: python tests/trust/wheelhouse.py FOLDER

The wheel of this checkout, the wheels of requirements.lock for this Python and platform, each held to its hash, a
requirements.txt that names them all, and SHA256SUMS. On the other machine, in the folder:

    sha256sum --check SHA256SUMS
    pip install --no-index --find-links . --require-hashes -r requirements.txt
    pyfcrm qualify --html qualification.html
"""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
LOCK = REPOSITORY / "requirements.lock"


def build_wheelhouse(folder):
    """The folder, made new. Raises CalledProcessError where a wheel cannot be built or had."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=REPOSITORY, env={**os.environ, "SOURCE_DATE_EPOCH": epoch()}, check=True)
    get = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--only-binary", ":all:"]
    subprocess.run([*get, "--require-hashes", "-r", str(LOCK), "-d", str(folder)], check=True)
    [own] = folder.glob("pyfcrm-*.whl")
    version = own.name.split("-")[1]
    line = f"pyfcrm=={version} --hash=sha256:{sha256(own)}\n"
    (folder / "requirements.txt").write_text(LOCK.read_text(encoding="utf-8") + line, encoding="utf-8")
    files = sorted(path for path in folder.iterdir())
    sums = "".join(f"{sha256(path)}  {path.name}\n" for path in files)
    (folder / "SHA256SUMS").write_text(sums, encoding="utf-8")
    return folder


def epoch():
    """The time of the last commit, so that who builds it again gets the same bytes; given, or fixed, where there is none."""
    options = ["git", "log", "-1", "--format=%ct"]
    done = subprocess.run(options, cwd=REPOSITORY, capture_output=True, text=True, check=False)
    return os.environ.get("SOURCE_DATE_EPOCH") or done.stdout.strip() or "1767225600"


def sha256(path):
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


if __name__ == "__main__":
    print(f"{build_wheelhouse(Path(sys.argv[1]))}: {len(list(Path(sys.argv[1]).iterdir()))} files")
