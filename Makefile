# The verbs; tools/setup.py does the work and what it needs first. `make help` lists them.

PYTHON ?= python3
SETUP := $(PYTHON) tools/setup.py

# Given on the command line or in the environment, these reach the helper.
export PG PG_CONFIG WAREHOUSES DURATION CONNECTIONS
export PYTHONDONTWRITEBYTECODE := 1

.PHONY: help deps build install demo clean-demo test lint bench package

help:
	@echo "make demo        private PostgreSQL: load, four modes side by side, probe, check [WAREHOUSES=2 DURATION=5s CONNECTIONS=8]"
	@echo "make clean-demo  stop and remove the private PostgreSQL of the demo"
	@echo "make test        formatting, lints, unit tests, tests against a throw-away cluster [ARGS='--test smoke']"
	@echo "make install     build and install the extension into PG_CONFIG=/path/to/pg_config"
	@echo "make build       build the extension and the client"
	@echo "make lint        formatting and lints alone"
	@echo "make bench       measure, and write docs/benchmarks.md [ARGS='--list' ARGS=load ARGS='--quick steady' ARGS='--update load']"
	@echo "make package     an archive of the extension and the client"
	@echo "make deps        only what the others need first"
	@echo
	@echo "Which PostgreSQL: PG_CONFIG=/path/to/pg_config, or PG=14..18 for an embedded one;"
	@echo "else one on this machine that has server headers, else the embedded default."

deps build install demo clean-demo lint package:
	@$(SETUP) $@

test bench:
	@$(SETUP) $@ $(ARGS)
