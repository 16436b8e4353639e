"""The system packages that the build and the embedded PostgreSQL need: looked for, and installed by
apt only when something is missing."""

import glob
import os
import re
import shutil
import subprocess
import sys

from common import fail, output, say

LIBCLANG_PLACES = (
    "/usr/lib/llvm-*/lib/libclang*.so*",
    "/usr/lib/*/libclang*.so*",
    "/usr/lib64/libclang*.so*",
    "/usr/local/lib/libclang*.so*",
)
# The shared libraries of the embedded PostgreSQL, as Debian and Ubuntu name their packages.
LIBRARY_PACKAGES = {
    "libcrypto.so.3": "libssl3",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "liblz4.so.1": "liblz4-1",
    "libreadline.so.8": "libreadline8",
    "libssl.so.3": "libssl3",
    "libxml2.so.2": "libxml2",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}


def has_libclang():
    """Whether bindgen will find libclang."""
    own = os.environ.get("LIBCLANG_PATH")
    places = (f"{own}/libclang*.so*",) if own else LIBCLANG_PLACES
    return any(glob.glob(place) for place in places)


def ensure_rust(*components):
    """Rust is the one thing that we do not install: it is the user's own."""
    if not shutil.which("cargo"):
        if "SUDO_USER" in os.environ:
            fail("root has no cargo: call make without sudo; it asks for sudo itself where it must")
        fail("cargo is not on PATH: install Rust, then call make again")
    for component in components:
        if output(["cargo", component, "--version"]) is None:
            name = {"fmt": "rustfmt"}.get(component, component)
            fail(f"cargo {component} is missing: rustup component add {name}")


def ensure_build_packages():
    """A C compiler for the linker, clang and libclang for the bindings to PostgreSQL's headers."""
    missing = []
    if not shutil.which("cc"):
        missing.append("build-essential")
    if not shutil.which("clang"):
        missing.append("clang")
    if not has_libclang():
        missing.append("libclang-dev")
    install(missing, "to build the extension")


def ensure_pip():
    """pip, which fetches the embedded PostgreSQL."""
    if output([sys.executable, "-m", "pip", "--version"]) is None:
        install(["python3-pip"], "to fetch the embedded PostgreSQL")
        if output([sys.executable, "-m", "pip", "--version"]) is None:
            fail(f"{sys.executable} has no pip: {sys.executable} -m ensurepip, or make PYTHON=/usr/bin/python3")


def ensure_peers():
    """sysbench, with which tests and benchmarks compare."""
    if not shutil.which("sysbench"):
        install(["sysbench"], "to compare with it")


def ensure_test_programs():
    """The peers, and PgBouncer, through which the tests connect. Its folder is not on everybody's PATH."""
    ensure_peers()
    places = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin", "/usr/local/sbin"))
    if not shutil.which("pgbouncer", path=places):
        install(["pgbouncer"], "to test connections through it")


def ensure_libraries(programs):
    """The shared libraries of these programs."""
    missing = set()
    for program in programs:
        for library in re.findall(r"^\s*(\S+) => not found", output(["ldd", program]) or "", re.M):
            package = LIBRARY_PACKAGES.get(library)
            if package is None:
                fail(f"{program} needs {library}, which this machine does not have: "
                     "install PostgreSQL with its server headers and call make PG_CONFIG=...")
            missing.add(package)
    install(sorted(missing), "to run the embedded PostgreSQL")


def install(packages, why):
    """Installs Debian packages as root or by sudo."""
    if not packages:
        return
    names = " ".join(packages)
    if not shutil.which("apt-get"):
        fail(f"missing {why}: {names} (as Debian calls them); install them, then call make again")
    rights = []
    if os.geteuid() != 0:
        if not shutil.which("sudo"):
            fail(f"missing {why}: {names}; as root: apt-get install {names}")
        rights = ["sudo"] if sys.stdin.isatty() else ["sudo", "-n"]
    say(f"installing {names} {why}")
    apt = [*rights, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    add = [*apt, "install", "-y", "-qq", "--no-install-recommends", *packages]
    # The lists on the machine may be fresh enough; a fresh machine has none.
    if subprocess.run(add, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                      stderr=subprocess.DEVNULL).returncode != 0:
        subprocess.run([*apt, "update", "-qq"], stdin=subprocess.DEVNULL, stdout=sys.stderr)
        if subprocess.run(add, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode != 0:
            fail(f"could not install {names}; as root: apt-get update && apt-get install {names}")
