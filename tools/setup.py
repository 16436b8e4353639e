#!/usr/bin/env python3
"""The verbs of the Makefile. Each does the set-up that it needs, and no set-up twice."""

import os
import re
import sys

import extension
import packages
import place
import postgres as pg
from common import TARGET, environment, fail, run, say

# The crates that have no PostgreSQL in them, named in every cargo call so that cargo gives their
# dependencies the same features each time.
CRATES = ["-p", "workload", "-p", "tpcc", "-p", "tests"]
CLIENT = TARGET / "release" / "tpcc"


def deps():
    """Everything up to the first build of our own code."""
    packages.ensure_rust()
    packages.ensure_build_packages()
    postgres = pg.choose()
    extension.prepare(postgres)
    return postgres


def ready():
    """A PostgreSQL with the extension in it."""
    postgres = deps()
    extension.install(postgres)
    return postgres


def build_client():
    run(["cargo", "build", "-q", "--release", "-p", "tpcc"])


def build():
    postgres = deps()
    run(["cargo", "build", "--release", "--lib", "-p", extension.PACKAGE, *extension.features(postgres)],
        env=extension.build_environment(postgres))
    build_client()


def install():
    packages.ensure_rust()
    packages.ensure_build_packages()
    postgres = pg.choose(need_server=False)
    extension.install(postgres)
    say(f"CREATE EXTENSION {extension.PACKAGE} works now in {postgres.version}")


def demo():
    postgres = ready()
    build_client()
    command = [CLIENT, "demo", "--dir", place.demo_folder(), "--pg-config", postgres.pg_config]
    for flag in ("warehouses", "duration", "connections"):
        if value := os.environ.get(flag.upper()):
            command += [f"--{flag}", value]
    run(command)


def clean_demo():
    folder = place.demo_folder()
    if not folder.exists():
        say("there is no demo cluster")
        return
    packages.ensure_rust()
    build_client()
    run([CLIENT, "demo", "--dir", folder, "--remove"])


def lint():
    packages.ensure_rust("fmt", "clippy")
    check_format_and_client()
    check_extension(deps())


def check_format_and_client():
    run(["cargo", "fmt", "--all", "--check"])
    run(["cargo", "clippy", *CRATES, "--all-targets", "--", "-D", "warnings"])


def check_extension(postgres):
    # In the profile of the installed library, so that PostgreSQL's bindings are generated once.
    run(["cargo", "clippy", "--release", "--lib", "-p", extension.PACKAGE, *extension.features(postgres),
         "--", "-D", "warnings"], env=extension.build_environment(postgres))


def test():
    packages.ensure_rust("fmt", "clippy")
    packages.ensure_test_programs()
    check_format_and_client()
    postgres = ready()
    check_extension(postgres)
    run(["cargo", "build", *CRATES, "--bins"])
    run(["cargo", "test", "--no-fail-fast", *CRATES, *sys.argv[2:]], env=test_environment(postgres))


def test_environment(postgres):
    variables = environment(
        PG_TPCC_PG_CONFIG=postgres.pg_config,
        PG_TPCC_CLUSTERS=place.test_clusters_folder(),
    )
    # PGHOST and its like would lead tests, and what they start, elsewhere.
    return {name: value for name, value in variables.items() if not re.match("PG[A-Z]", name)}


def bench():
    packages.ensure_peers()
    postgres = ready()
    run(["cargo", "build", "-q", *CRATES, "--bins"])
    build_client()
    variables = {**test_environment(postgres), "PG_TPCC_CLIENT": str(TARGET / "release" / "tpcc")}
    run([TARGET / "debug" / "bench", *sys.argv[2:]], env=variables)


def package():
    postgres = deps()
    build_client()
    extension.package(postgres)


VERBS = {
    "deps": deps, "build": build, "install": install, "demo": demo, "clean-demo": clean_demo,
    "test": test, "bench": bench, "lint": lint, "package": package,
}


def main():
    verb = sys.argv[1] if len(sys.argv) > 1 else ""
    if sys.version_info < (3, 9):
        fail("Python 3.9 or later is needed: make PYTHON=/path/to/python3")
    if verb not in VERBS:
        fail(f"usage: setup.py {'|'.join(VERBS)}")
    # What root installs here, other accounts have to read.
    os.umask(0o022)
    VERBS[verb]()


if __name__ == "__main__":
    main()
