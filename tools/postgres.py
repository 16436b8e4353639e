"""Which PostgreSQL: the one that the user names, else one on the machine with server headers, else the
embedded default, which is fetched and checked against pgrx.toml."""

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from common import TARGET, fail, output, pgrx_toml, remove_tree, run, say, sha256
from packages import ensure_libraries, ensure_pip
from place import base, server_account

STAMP = ".pg_tpcc-sha256"


@dataclass
class Postgres:
    """One installation."""

    pg_config: Path
    origin: str  # "PG_CONFIG", "found" or "embedded"

    def ask(self, flag):
        """What its pg_config says."""
        return output([self.pg_config, flag])

    @property
    def version(self):
        """For example "PostgreSQL 18.6"."""
        return self.ask("--version") or ""

    @property
    def major(self):
        """The major version, 0 when this is no PostgreSQL."""
        words = self.version.split()
        digits = "".join(c for c in (words[1] if len(words) > 1 else "").split(".")[0][:2] if c.isdigit())
        return int(digits or 0)

    @property
    def feature(self):
        """The extension's cargo feature for it."""
        return f"pg{self.major}"

    def problem(self):
        """Why the extension cannot be built for it; None when it can."""
        if self.major == 0:
            return f"{self.pg_config} is not a pg_config that works"
        majors = pgrx_toml()["postgresql"]["majors"]
        if self.major not in majors:
            return f"{self.version} ({self.pg_config}) is not one of the supported majors {majors}"
        if not Path(self.ask("--includedir-server"), "postgres.h").exists():
            return (f"{self.version} ({self.pg_config}) has no server headers: "
                    f"apt-get install postgresql-server-dev-{self.major}")
        return None

    def install_folders(self):
        """Where an extension goes: its library and its control and SQL files."""
        return Path(self.ask("--pkglibdir")), Path(self.ask("--sharedir"), "extension")

    def is_writable(self):
        """Whether we may install an extension."""
        return all(os.access(folder, os.W_OK) for folder in self.install_folders())

    def has_server(self):
        """Whether it can run a cluster, and not only compile extensions."""
        return Path(self.ask("--bindir"), "initdb").exists()


def choose(need_server=True):
    """The PostgreSQL of this call of make. `need_server`: a cluster of it will be started."""
    pg_config, major = os.environ.get("PG_CONFIG"), os.environ.get("PG")
    if pg_config:
        found = shutil.which(pg_config)
        if not found:
            fail(f"PG_CONFIG={pg_config} does not exist or is not executable")
        postgres = Postgres(Path(found).absolute(), "PG_CONFIG")
        if problem := postgres.problem():
            fail(problem)
        if need_server and not postgres.has_server():
            fail(f"{found} has no server programs: apt-get install postgresql-{postgres.major}")
    elif major:
        postgres = embedded(major)
    else:
        postgres = search(need_server) or embedded(str(pgrx_toml()["embedded"]["default"]))
    say(f"{postgres.version} ({postgres.pg_config})")
    return postgres


def search(need_server):
    """The first usable PostgreSQL on the machine."""
    config = pgrx_toml()["postgresql"]
    for place in config["search"]:
        for major in sorted(config["majors"], reverse=True) if "{major}" in place else [0]:
            found = shutil.which(place.format(major=major))
            if not found:
                continue
            postgres = Postgres(Path(found).absolute(), "found")
            if postgres.problem() or (need_server and not postgres.has_server()):
                continue
            if not postgres.is_writable() and need_server:
                say(f"{postgres.version} ({found}) is not yours to install into: taking the embedded "
                    f"PostgreSQL instead (make install PG_CONFIG={found} installs there by sudo)")
                continue
            return postgres
    return None


def embedded(major):
    """The embedded PostgreSQL of this major, unpacked where its server's account can go."""
    config = pgrx_toml()["embedded"]
    if not isinstance(config.get(major), dict):
        majors = [name for name in config if name.isdigit()]
        fail(f"PG={major} is not one of the embedded majors: {', '.join(majors)}")
    version, hashes = config[major]["version"], config[major]["sha256"]
    folder = base() / "postgresql" / version
    stamp = folder / STAMP
    if not (stamp.exists() and stamp.read_text().strip() in hashes):
        wheel = fetch(config["package"], version, hashes)
        unpack(wheel, folder)
        stamp.write_text(sha256(wheel) + "\n")
    postgres = Postgres(folder / "bin" / "pg_config", "embedded")
    ensure_libraries([folder / "bin" / "postgres", folder / "bin" / "psql"])
    account = server_account()
    switch = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}
    probe = [folder / "bin" / "postgres", "--version"]
    if subprocess.run(probe, cwd="/", stdout=subprocess.DEVNULL, **switch).returncode != 0:
        fail(f"the embedded PostgreSQL does not run here ({probe[0]}): install PostgreSQL with its "
             "server headers and call make PG_CONFIG=...")
    return postgres


def fetch(package, version, hashes):
    """The wheel, from an earlier call or from pip."""
    folder = TARGET / "downloads"
    folder.mkdir(parents=True, exist_ok=True)
    pattern = f"{package.replace('-', '_')}-{version}-*.whl"
    for wheel in folder.glob(pattern):
        if sha256(wheel) in hashes:
            return wheel
        wheel.unlink()
    ensure_pip()
    say(f"fetching {package} {version}")
    # The package asks for a newer Python than it needs: it is a folder of programs.
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:",
           "--python-version", "3.12", "-d", folder, f"{package}=={version}"]
    run(pip, stdout=sys.stderr)
    for wheel in folder.glob(pattern):
        found = sha256(wheel)
        if found in hashes:
            return wheel
        wheel.unlink()
        fail(f"{wheel.name} has sha256 {found}, which pgrx.toml does not know: it is thrown away; "
             f"on another platform than Linux on x86_64 or aarch64 use make PG_CONFIG=...")
    fail(f"pip brought no {pattern} for this machine: use make PG_CONFIG=...")


def unpack(wheel, folder):
    """Unpacks the archive inside the wheel into the folder, in one step as seen from outside."""
    say(f"unpacking it into {folder}")
    unfinished = folder.with_name(folder.name + ".unfinished")
    remove_tree(unfinished)
    remove_tree(folder)
    unfinished.mkdir(parents=True)
    with zipfile.ZipFile(wheel) as archive:
        inner = next(name for name in archive.namelist() if name.endswith(".tar.gz"))
        with archive.open(inner) as stream, tarfile.open(fileobj=stream, mode="r|gz") as tar:
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            tar.extractall(unfinished, **safe)
    (top,) = unfinished.iterdir()
    top.rename(folder)
    unfinished.rmdir()
