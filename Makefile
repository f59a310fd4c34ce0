# Everything happens in .venv, set up from requirements.lock; each target is safe to repeat.
# requirements.lock holds every package but torch with the hashes of all its files. One set of hashes
# cannot hold torch: its CPU and CUDA builds of one version come from different indexes, as different
# files, and only the CUDA builds need further packages. It is installed after the others, so that
# what it needs is there in the locked versions, and those of CUDA are pinned by torch itself.
TORCH := 2.13.0
UV := 0.13.9
PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PAGE := bot/localslack/page

export HF_HUB_OFFLINE ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help setup demo test lint types format bench page licences clean lock

help: ## List the targets.
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

setup: $(STAMP) ## Make the environment (about 2 GB, nearly all of it torch).

$(STAMP): requirements.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or run make PYTHON=/path/to/python3.11"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up .venv (a few minutes the first time)"
	@$(BIN)/python -m pip install --quiet --no-deps --require-hashes -r requirements.lock
	@$(BIN)/python -m pip install --quiet torch==$(TORCH)
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@$(BIN)/python -m pip check
	@touch $@

demo: $(STAMP) ## Answer three questions over the sample handbook, then a local Slack in the browser.
	@$(BIN)/python -m bot demo

test: $(STAMP) ## Run the tests.
	@$(BIN)/python -m pytest

lint: $(STAMP) ## Style, and that imports run one way.
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports --no-cache

types: $(STAMP) ## Strict type checks.
	@$(BIN)/mypy

format: $(STAMP) ## Put the code into its form.
	@$(BIN)/ruff check --fix --quiet . || true
	@$(BIN)/ruff format --quiet .

bench: $(STAMP) ## Measure speed, as ratios.
	@$(BIN)/python -m tests.bench

page: ## Build the local Slack's page anew (needs node 20 or newer).
	@cd $(PAGE) && npm ci --ignore-scripts && npm run types && npm run build

clean: ## Remove the environment and caches; documents and data stay.
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis *.egg-info

licences: $(STAMP) ## Show the licence of each installed package; fail on one that is not permissive.
	@$(BIN)/python .ci/licences.py

# Versions that are locked stay, unless pyproject.toml asks for others; for newer ones, empty the file.
lock: ## Write what pyproject.toml asks for into requirements.lock, with hashes, for all platforms.
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --upgrade --target $(VENV)/lock uv==$(UV)
	@cp requirements.lock $(VENV)/lock/all
	@$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --extra dev \
		--generate-hashes --no-annotate --no-header --output-file $(VENV)/lock/all pyproject.toml
	@awk '/^[a-z]/ { keep = !/^(torch|triton|cuda-|nvidia-)/ } keep' $(VENV)/lock/all > requirements.lock
