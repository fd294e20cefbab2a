# The project's own commands. Each does all of its own set-up, and is quick when repeated.
#   make demo    the main job, start to end, on data simulated here
#   make test    every check: style, types, tests, with R (installed from Debian if it is missing)
#   make lint    style, types, and the words that are not used
#   make quick   unit and contract tests in under a minute while working: no R, browser, studio or other process, nothing slow
#   make docs    the documentation into pyfcrm/site, every example run, every link checked; a wheel built after it carries it
#   make bench   timings side by side with what else there is, as ratios (twenty minutes)
#   make studies  the package's own studies: every family on six files, 200 analyses of four, what users lose, the guarantee, planted leaks, the
#                calibration of dependence (CENSUS=path)
#   make generate  what repeats the declarations: pyfcrm/interface.py; R's constructors, options, exports, help pages
#   make golden  the values that R makes and the tests compare with, made again
#   make wheelhouse  the wheel and all it asks for, with hashes, for a machine without a network; SHA256SUMS
#   make trust   what takes too long for `make test`: an offline installation, kill -9 at 100 moments, full disks,
#                50 visits, the large fuzz, the study's goals on the Census file
#   make fuzz    files, frames, parameters and commands at random (FUZZ_CASES=5000); 200 random examples of each property
#   make compat  the quick tests with the oldest and the newest versions of what pyfcrm needs, on Python 3.11 to 3.14
#   make lock    requirements.lock, made again from the package index

PYTHON ?= python3
VENV   := .venv
RUN    := $(VENV)/bin
PIP    := $(RUN)/python -m pip --disable-pip-version-check

# Kernels and BLAS share two cores badly: one BLAS thread is faster and makes runs comparable.
export OPENBLAS_NUM_THREADS ?= 1
export OMP_NUM_THREADS ?= 1
# Compiled tests and modules are kept: to read them anew is a tenth of `make quick`.
unexport PYTHONDONTWRITEBYTECODE

WORKERS ?= 2
# A file goes to one worker, in the order of tests/conftest.py.
PYTEST := $(RUN)/python -m pytest -n $(WORKERS) --dist loadgroup --no-loadscope-reorder

.PHONY: demo test quick lint style types words suite r generate golden docs bench studies peers wheelhouse trust fuzz compat lock clean
.DEFAULT_GOAL := demo

# A stamp holds the seconds that its making took; what is installed for the tests is installed for the demo too.
demo: $(VENV)/demo.stamp
	@begun=$$(date +%s); $(RUN)/pyfcrm demo || exit; ended=$$(date +%s); \
	made=$$(cat $(VENV)/python.stamp); needed=$$(cat $(VENV)/demo.stamp); \
	echo "time:   $$((ended - begun)) s for the demo; installing took $$(($${made:-0} + $${needed:-0})) s, once"

# Types are read while the tests run, which leave a processor free now and then.
test: $(VENV)/dev.stamp style
	@$(MAKE) --no-print-directory -j2 types suite

suite: $(VENV)/dev.stamp
	@echo "== tests"
	$(PYTEST)

quick: $(VENV)/quick.stamp
	@$(RUN)/ruff check
	@$(PYTEST) tests/unit tests/contract --ignore-glob='*/test_studio_*' -m "not (slow or r or browser or process)"

lint: style types words

style: $(VENV)/dev.stamp
	@echo "== style"
	$(RUN)/ruff check
	$(RUN)/ruff format --check

types: $(VENV)/dev.stamp
	@echo "== types"
	$(RUN)/mypy

words: $(VENV)/dev.stamp
	@echo "== words that are not used"
	$(RUN)/python -m pytest -q -n0 tests/contract/test_words.py

r:
	@.ci/install-r

$(VENV)/python.stamp:
	@echo "== making a virtual environment in $(VENV) (once)"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "pyfcrm needs Python 3.11 or newer; this is $$($(PYTHON) --version). Try: make PYTHON=python3.11"; exit 1; }
	@begun=$$(date +%s); $(PYTHON) -m venv $(VENV) || { echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; rm -rf $(VENV); exit 1; }; \
	echo $$(($$(date +%s) - begun)) > $@

$(VENV)/demo.stamp: $(VENV)/python.stamp pyproject.toml
	@echo "== installing pyfcrm and what it needs (once)"
	@begun=$$(date +%s); $(PIP) install -qq --editable . && echo $$(($$(date +%s) - begun)) > $@

$(VENV)/quick.stamp: $(VENV)/python.stamp pyproject.toml
	@echo "== installing pyfcrm and what its quick tests need (once)"
	@$(PIP) install -qq --editable '.[dev]'
	@touch $@

# R comes first: rpy2 is built against it. Where there is no R, its tests say so and skip.
$(VENV)/dev.stamp: $(VENV)/python.stamp pyproject.toml | r
	@echo "== installing pyfcrm and what its tests need (once)"
	@begun=$$(date +%s); $(PIP) install -qq --editable '.[dev]' || exit; \
	if command -v R >/dev/null 2>&1; then $(PIP) install -qq --editable '.[r]' || echo "== rpy2 could not be installed: tests that call R from Python will be skipped"; fi; \
	echo $$(($$(date +%s) - begun)) > $@; if test -s $(VENV)/demo.stamp; then touch $(VENV)/demo.stamp; else cp $@ $(VENV)/demo.stamp; fi

docs: $(VENV)/docs.stamp
	@$(RUN)/python docs/make.py

$(VENV)/docs.stamp: $(VENV)/python.stamp pyproject.toml
	@echo "== installing what the documentation is built with (once)"
	@$(PIP) install -qq --editable '.[docs]'
	@touch $@

BENCHES := fcm fcrm ipso dbrl prl masking calibrated cluster csv_files public_file suppression

bench: $(VENV)/bench.stamp
	@for name in $(BENCHES); do echo "== $$name"; $(RUN)/python benchmarks/$$name.py || echo "   (a goal is missed)"; done

$(VENV)/bench.stamp: $(VENV)/dev.stamp
	@echo "== installing what the benchmarks run against (once)"
	@$(PIP) install -qq scikit-fuzzy networkx packaging
	@touch $@

# Each ends with status 1 where a goal is missed; the other is run all the same.
studies: $(VENV)/demo.stamp
	@for name in families answers recommended usefulness; do $(RUN)/python benchmarks/studies/$$name.py $(if $(CENSUS),--census $(CENSUS)) || failed=1; done; \
	for name in guarantee leaks dependence designs; do $(RUN)/python benchmarks/studies/$$name.py || failed=1; done; \
	$(RUN)/pyfcrm reproduce dependence || failed=1; exit $${failed:-0}

# Figures that others published, beside ours; status 1 where one differs without a reason.
peers: $(VENV)/demo.stamp
	@$(RUN)/python benchmarks/peers/compare.py

generate: $(VENV)/demo.stamp
	@$(RUN)/python tests/support/generate.py

golden: r
	Rscript tests/golden/make.R
	Rscript tests/golden/make_streams.R

wheelhouse: $(VENV)/dev.stamp
	@$(RUN)/python tests/trust/wheelhouse.py wheelhouse

# Their files are no test_*.py, so that pytest finds them by name alone.
trust: wheelhouse fuzz
	WHEELHOUSE=wheelhouse $(RUN)/python -m pytest -rs tests/trust/check_*.py

FUZZ_CASES ?= 5000

fuzz: $(VENV)/dev.stamp
	PYFCRM_FUZZ_CASES=$(FUZZ_CASES) $(RUN)/python -m pytest tests/property --hypothesis-profile=searching

compat: $(VENV)/dev.stamp
	@$(PIP) install -qq uv
	@.ci/compat

lock: $(VENV)/dev.stamp
	@$(PIP) install -qq uv
	$(RUN)/uv pip compile pyproject.toml --extra dask --extra app --extra docs --universal \
	  --generate-hashes --no-header --no-annotate --upgrade -q -o requirements.lock

clean:
	rm -rf $(VENV) .compat dist build pyfcrm/site .pytest_cache .mypy_cache .ruff_cache
