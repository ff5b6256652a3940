# Each target makes the environment it needs, and a second run reuses it: Python 3.11 to 3.13 and make are enough.
#   make demo     a tendon-driven hand: authored, checked, simulated, verified; results in demo/
#   make test     everything a change must pass
#   make release  the wheel, built twice to the same bytes, its bill of materials, and the tests against it; in dist/
#   make sweep    long comparisons, with real PhysX and SAPIEN where they can be installed
#   make fuzz     100,000 hostile inputs and 2,000 commands with options and stages by chance: what went wrong
#   make fingerprint  digests of programs, motions, sessions and texts: which of them changed
#   make docs     the documentation as a site, in site/
#   make validators  NVIDIA's validators, each with this package in an environment of its own
#   make tutorials  the guides for other engines, on Python 3.12 with the USD of Isaac Lab 3, Newton and MuJoCo
#   make isaac-lab  the files of two releases of Isaac Lab, which tests compare the reading of configurations with
#   make compat   the quick tests of what touches USD, on every USD that is supported, each in an environment of its own
PYTHON ?= python3
WORKERS ?= 2
ORACLE_PACKAGES = "ovphysx>=0.7,<0.8" "physx-usd-schemas==25.11.2.*" "newton-usd-schemas>=0.6,<0.7" "usd-core==26.11" "numpy>=2.0,<3"

# What the checks need of this package's dependencies, in an environment with one of NVIDIA's validators.
CHECK_PACKAGES = "usd-core==26.11" "numpy>=2.0,<3" "click>=8.1,<9"

VENV := .venv
ORACLE_VENV := .venv-oracle
INSTALL := -m pip install --quiet --disable-pip-version-check

# Compiled kernels are shared by the test workers and by later runs.
export PHYSX_RUNTIME_CACHE := $(CURDIR)/.cache/kernels

# Reference cases and the driver of real PhysX, where they lie beside the checkout.
SHARED := $(wildcard ../shared)
ifneq ($(SHARED),)
export PHYSX_SCHEMA_SHARED ?= $(abspath $(SHARED))
export PHYSX_ORACLE ?= $(abspath $(SHARED))/oracle
endif

# NVIDIA's validators, each in an environment of its own.
export USD_VALIDATION_PYTHON ?= $(CURDIR)/.venv-usd-validation/bin/python
export ASSET_VALIDATOR_PYTHON ?= $(CURDIR)/.venv-asset-validator/bin/python
export SIMREADY_PYTHON ?= $(CURDIR)/.venv-simready/bin/python

# Where the guides' code runs beside other engines, and the files of Isaac Lab.
export TUTORIALS_PYTHON ?= $(CURDIR)/.venv-tutorials/bin/python
export ISAAC_LAB_SOURCES ?= $(CURDIR)/.isaac-lab

.PHONY: demo test sweep fuzz fingerprint compat docs oracle validators tutorials isaac-lab release
.DELETE_ON_ERROR:

demo: $(VENV)/.ready-demo
	$(VENV)/bin/physx-schema demo --out demo

test: $(VENV)/.ready-dev
	$(VENV)/bin/python -m pytest -n $(WORKERS) -m "not sweep"

fuzz: $(VENV)/.ready-dev
	PYTHONPATH=tests nice -n 19 $(VENV)/bin/python -m support.fuzzing.campaign
	PYTHONPATH=tests nice -n 19 $(VENV)/bin/python -m support.command_runs

# Digests of programs, motions, sessions and texts, and which of them a change of code has changed.
fingerprint: $(VENV)/.ready-dev
	PYTHONPATH=tests $(VENV)/bin/python -m support.fingerprint

docs: $(VENV)/.ready-docs
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/python -m mkdocs build --strict

release:
	bash .ci/release

# An interpreter named by ORACLE_PYTHON is used as it is; otherwise one is set up.
sweep: $(VENV)/.ready-dev
	@$(MAKE) --no-print-directory $(VENV)/.ready-sapien || \
		echo "sweep: SAPIEN could not be installed here; scenes of components are not stepped beside it" >&2
	@$(MAKE) --no-print-directory $(VENV)/.ready-fleet || \
		echo "sweep: Ray could not be installed here; nothing is spread over a cluster" >&2
	@$(MAKE) --no-print-directory $(VENV)/.ready-docs || \
		echo "sweep: what builds the documentation could not be installed here; it is not built" >&2
	@$(MAKE) --no-print-directory $(VENV)/.ready-fuzz || \
		echo "sweep: atheris could not be installed here; no input is looked for that reaches new lines" >&2
	@$(MAKE) --no-print-directory -k validators || \
		echo "sweep: not every asset validator could be installed here; what is missing is skipped" >&2
	@$(MAKE) --no-print-directory -k tutorials isaac-lab || \
		echo "sweep: other engines or Isaac Lab's files could not be fetched here; their tests are skipped" >&2
ifdef ORACLE_PYTHON
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal -m sweep
else
	@$(MAKE) --no-print-directory oracle || \
		echo "sweep: real PhysX (ovphysx) could not be installed here; every comparison with it is skipped" >&2
	@if [ -f $(ORACLE_VENV)/.ready ]; then export ORACLE_PYTHON=$(CURDIR)/$(ORACLE_VENV)/bin/python; fi; \
		$(VENV)/bin/python -m pytest -n $(WORKERS) --dist worksteal -m sweep
endif

$(VENV)/.ready-sapien $(VENV)/.ready-docs $(VENV)/.ready-fuzz $(VENV)/.ready-fleet: $(VENV)/.ready-%: pyproject.toml | $(VENV)/.ready-dev
	$(VENV)/bin/python $(INSTALL) -e ".[$*]"
	@touch $@

# Real PhysX has an environment of its own: ovphysx brings its USD and refuses a process with another one. It steps on
# the thread that asks, with the same results: workers spin between steps, which took half of its processor time. With
# PHYSX_WORKERS set it keeps them: what a step reports then does not fail the call that steps.
oracle: $(ORACLE_VENV)/.ready

WITHOUT_WORKERS := import os, ovphysx, ovphysx.types as t; \
	"PHYSX_WORKERS" in os.environ or ovphysx.set_global_config(t.GlobalConfigKey.NUM_THREADS, 0)

$(ORACLE_VENV)/.ready: Makefile
	$(PYTHON) -m venv $(ORACLE_VENV)
	$(ORACLE_VENV)/bin/python $(INSTALL) $(ORACLE_PACKAGES)
	@echo '$(WITHOUT_WORKERS)' > \
		"$$($(ORACLE_VENV)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/without_workers.pth"
	@touch $@

# The oldest USD that is declared, the newest, and the one that Isaac Lab 3 pins, which is for Python 3.12 alone there.
COMPAT := oldest newest exchange
COMPAT_PYTHON ?= $(shell python3.12 -c "" 2> /dev/null && echo python3.12 || echo $(PYTHON))
COMPAT_PACKAGES = "pytest>=8.3,<10" "pytest-xdist>=3.6,<4" "newton-usd-schemas==0.6.*"
COMPAT_TESTS = tests/codegen tests/schema tests/generated tests/physx_schema \
	$(patsubst %,tests/runtime/test_%.py,commands program pytest_plugin) \
	$(addprefix tests/runtime/,components demonstration packing session verification viewing)

# All three run, and the target fails where one did.
compat:
	@$(MAKE) --no-print-directory -k $(addprefix compat-,$(COMPAT))

compat-%: .venv-usd-%/.ready
	@$(<D)/bin/python -c 'from physx_schema.installed_usd import folder, installed_beside as on; print("$@:", on(folder()))'
	$(<D)/bin/python -m pytest -n $(WORKERS) -m "not sweep" $(COMPAT_TESTS)

.venv-usd-oldest/.ready: USD = "usd-core==25.11.*"
.venv-usd-newest/.ready: USD = "usd-core<27"
.venv-usd-exchange/.ready: USD = "usd-exchange==3.0.1"
$(COMPAT:%=.venv-usd-%/.ready): pyproject.toml Makefile
	$(COMPAT_PYTHON) -m venv $(@D)
	$(@D)/bin/python $(INSTALL) $(USD) $(COMPAT_PACKAGES) -e ".[report]"
	@touch $@

# The guides' code on the USD of Isaac Lab 3, which is for Python 3.12 alone there, beside Newton and MuJoCo.
TUTORIAL_PACKAGES = "usd-exchange==3.0.1" "newton==1.8.*" "newton-usd-schemas==0.6.*" "mujoco>=3.3,<4" "pytest>=8.3,<10"
tutorials: .venv-tutorials/.ready

.venv-tutorials/.ready: pyproject.toml Makefile
	$(COMPAT_PYTHON) -m venv $(@D)
	$(@D)/bin/python $(INSTALL) $(TUTORIAL_PACKAGES) -e ".[report]"
	@touch $@

# The files of Isaac Lab 2 and 3, without what they need to run: tests read them.
ISAAC_LAB_OPTIONS = --no-deps --ignore-requires-python --only-binary=:all: --implementation cp \
	--platform manylinux_2_35_x86_64 --platform any
isaac-lab: .isaac-lab/.ready

.isaac-lab/.ready: Makefile
	$(PYTHON) $(INSTALL) $(ISAAC_LAB_OPTIONS) --python-version 3.11 --target $(@D)/2.3.2 "isaaclab==2.3.2.post1"
	$(PYTHON) $(INSTALL) $(ISAAC_LAB_OPTIONS) --python-version 3.12 --target $(@D)/3.0.0 "isaaclab==3.0.0"
	@touch $@

VALIDATORS := usd-validation asset-validator simready
validators: $(VALIDATORS:%=.venv-%/.ready)

.venv-usd-validation/.ready: VALIDATOR = "usd-validation-nvidia==1.22.*"
.venv-asset-validator/.ready: VALIDATOR = "omniverse-asset-validator==1.18.*"
.venv-simready/.ready: VALIDATOR = "simready-validate==2026.8.*" "simready-foundation-tier-core==2026.8.*"
$(VALIDATORS:%=.venv-%/.ready): pyproject.toml Makefile
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(INSTALL) $(CHECK_PACKAGES) $(VALIDATOR)
	$(@D)/bin/python $(INSTALL) --no-deps -e .
	@touch $@

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo "physx-schema needs Python 3.11 to 3.13; choose one with: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.ready-demo: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python $(INSTALL) -e ".[usd,report]"
	@touch $@

$(VENV)/.ready-dev: pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python $(INSTALL) -e ".[dev]"
	@touch $@ $(VENV)/.ready-demo
