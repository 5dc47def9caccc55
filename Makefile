# For a teacher: make lesson. For a developer: make check, make test. Each first sees to it that .venv is ready.

PY := .venv/bin/python
ARGS ?=
JOBS ?= 2

# A test file stays on one worker, so that what it renders once is rendered once; the longest files begin.
PYTEST := $(PY) -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup browser lesson gallery lint check test exact layout bench

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## /  make \1	/p' Makefile

setup:  ## install what is missing; done in an instant when nothing is
	@sh tools/setup.sh

browser:  ## install chromium for the tests of the lecture page, where that is allowed
	@sh tools/browser.sh

lesson: setup  ## make the films from lesson.toml; ARGS="--lang en --preset preview" passes options
	@$(PY) render.py $(ARGS)

gallery: setup  ## take the stills of docs/gallery out of the finished films in out/zh
	@$(PY) tools/gallery.py

lint: setup
	@$(PY) -m ruff check
	@$(PY) -m ruff format --check
	@$(PY) -m mypy

check: lint  ## lint, types, import rules and the and the fast tests
	@$(PYTEST) -q -m "not render and not slow and not browser and not layout and not exact"

test: lint browser  ## everything, real renders included; ARGS="-k score" passes options to pytest
	@$(PYTEST) -m "not layout and not exact" $(ARGS)

exact: setup  ## every stage, frame by frame, against manim's own renderer
	@$(PY) -m pytest -n $(JOBS) --dist load -m "exact or render" tests/film/test_exact.py $(ARGS)

layout: setup  ## measure every settled picture of every stage over the whole spread of lessons
	@$(PY) -m pytest -n $(JOBS) --dist load tests/scenes/test_layout.py $(ARGS)

bench: setup  ## measure how fast films are made, against manim itself; hours. ARGS="cold --stages score" for a part
	@$(PY) -m bench $(ARGS)
