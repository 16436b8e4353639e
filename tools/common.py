"""What all parts of the set-up share: paths, messages, running programs, pgrx.toml and Cargo.lock."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").absolute()


def say(text):
    """One line on what happens, on standard error: standard output belongs to the programs we run."""
    print(f"pg_tpcc: {text}", file=sys.stderr, flush=True)


def fail(text):
    """Ends the set-up with one line that names what is missing and the command that mends it."""
    say(text)
    sys.exit(2)


def run(command, **options):
    """Runs a program; where it fails, so do we, with its status: it has said why."""
    command = [str(part) for part in command]
    sys.stdout.flush()
    try:
        status = subprocess.run(command, **{"cwd": ROOT, "env": environment(), **options}).returncode
    except FileNotFoundError:
        fail(f"{command[0]} is not installed, or not on PATH")
    except KeyboardInterrupt:
        sys.exit(130)
    if status != 0:
        say(f"failed: {' '.join(command)}")
        sys.exit(status if status > 0 else 1)


def output(command):
    """What a program prints, without the line's end; None where it fails or does not exist."""
    try:
        done = subprocess.run(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def environment(**extra):
    """The environment of what we run: one target folder, and what the caller adds."""
    return {
        **os.environ,
        "CARGO_TARGET_DIR": str(TARGET),
        **{name: str(value) for name, value in extra.items()},
    }


def load_toml(path):
    """A TOML file as a dictionary. Python has a reader since 3.11; before, pip brings one."""
    text = path.read_text(encoding="utf-8")
    for module in ("tomllib", "tomli", "pip._vendor.tomli", "pip._vendor.toml"):
        try:
            return __import__(module, fromlist=["loads"]).loads(text)
        except ImportError:
            continue
    fail("python3 has no TOML reader: apt-get install python3-pip (or take Python 3.11)")


def pgrx_toml():
    """What pgrx.toml says."""
    return load_toml(ROOT / "pgrx.toml")


def locked_version(package):
    """The version of a crate in Cargo.lock, which owns all versions."""
    for entry in load_toml(ROOT / "Cargo.lock")["package"]:
        if entry["name"] == package:
            return entry["version"]
    fail(f"Cargo.lock has no package {package}")


def sha256(path):
    """A file's hash in hexadecimal digits."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            digest.update(block)
    return digest.hexdigest()


def write_if_changed(path, text):
    """Writes a text file, and leaves its time stamp alone where it has the text already."""
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def remove_tree(path):
    """Removes a folder with all that is in it, if it is there."""
    if path.exists():
        shutil.rmtree(path)
