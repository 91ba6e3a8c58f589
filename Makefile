# Reverie: everything a newcomer or CI needs. `make` alone lists the targets.
PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.set-up
UV := $(shell command -v uv 2>/dev/null)
CORPUS ?=
PYTEST_JOBS ?= auto

.DEFAULT_GOAL := help
.PHONY: help demo test bench lint docs pictures chaos train clean set-up

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

set-up: $(STAMP)

$(STAMP): pyproject.toml
	@command -v "$(PYTHON)" >/dev/null || { echo "Python 3.11 or newer is needed ($(PYTHON) not found)" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@echo 'setting up $(VENV), once; this takes half a minute' >&2
ifneq ($(UV),)
	uv venv --quiet --allow-existing --python "$(PYTHON)" $(VENV)
	uv pip install --quiet --python $(PY) --editable . --group dev
else
	"$(PYTHON)" -m venv $(VENV)
	$(PY) -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(PY) -m pip install --quiet --disable-pip-version-check --editable . --group dev
endif
	@touch $(STAMP)

demo: $(STAMP) ## the main job end to end, on the bundled sample, in a scratch home
	@$(PY) -m reverie.sample.demo

test: $(STAMP) ## all tests; what needs a browser or another client skips with the reason
	$(PY) -m pytest -n $(PYTEST_JOBS) -q

lint: $(STAMP) ## ruff, formatting, pyright strict
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m pyright

docs: $(STAMP) ## regenerate docs/reference and tests/requirements.toml from the code
	$(PY) -m scripts.reference
	$(PY) -m scripts.requirements

pictures: $(STAMP) ## draw docs/pictures again: terminals and the page, from the sample
	$(PY) -m scripts.pictures
	$(PY) -m scripts.page_pictures

bench: $(STAMP) ## speed, as ratios measured in one run (CORPUS=DIR adds the runs on real logs)
	$(PY) -m bench $(if $(CORPUS),--corpus "$(CORPUS)")

chaos: $(STAMP) ## kill -9 writers, syncs, learn and dream, at random and at named points; nothing is lost
	$(PY) -m bench.chaos
	$(PY) -m bench.chaos_mounts
	$(PY) -m bench.chaos_runs
	$(PY) -m bench.chaos_sync --runs 4 --seed 1 --calm
	$(PY) -m bench.chaos_serve --seconds 20 --seed 1

train: $(STAMP) ## rebuild the detector's data file from labelled sessions (CORPUS=DIR)
	@test -n "$(CORPUS)" || { echo 'make train CORPUS=DIR' >&2; exit 2; }
	$(PY) -m pip install --quiet --disable-pip-version-check --editable '.[train]'
	$(PY) -m bench.train "$(CORPUS)"

clean: ## remove the virtual environment and caches
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis dist build
