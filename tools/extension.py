"""cargo-pgrx, and the extension: built and installed only when something that counts has changed."""

import hashlib
import json
import os
import platform
import shutil

from common import ROOT, TARGET, environment, fail, load_toml, locked_version, output, remove_tree, run
from common import say, sha256, write_if_changed

PACKAGE = "pg_tpcc"
SOURCES = ("Cargo.toml", "Cargo.lock", "extension", "workload", "sql")
TOOLS = TARGET / "tools"


def ensure_cargo_pgrx():
    """cargo-pgrx of the version that pgrx has in Cargo.lock, in a folder of our own."""
    version = locked_version("pgrx")
    program = TOOLS / "bin" / "cargo-pgrx"
    if output([program, "pgrx", "--version"]) != f"cargo-pgrx {version}":
        say(f"building cargo-pgrx {version} into {TOOLS}: this takes some minutes, once")
        build = TARGET / "tools-build"
        # Its TLS is for downloads that we do not need, and would want OpenSSL's headers.
        run(["cargo", "install", "cargo-pgrx", "--version", f"={version}", "--locked", "--debug",
             "--no-default-features", "--force", "--root", TOOLS, "--target-dir", build],
            env=environment(CARGO_PROFILE_DEV_DEBUG="0"), cwd="/")
        remove_tree(build)
    return program


def pgrx_home(postgres):
    """The folder whose file tells pgrx about this PostgreSQL. One for each major: cargo builds anew
    what depends on such a file when it changes, and calls for several majors take turns."""
    return TARGET / "pgrx-home" / postgres.feature


def build_environment(postgres):
    """What cargo and cargo-pgrx need to know to build the extension."""
    # cargo-pgrx would add a linker flag for the library by way of RUSTFLAGS, and so make cargo build
    # everything twice; extension/build.rs gives the flag to the library alone.
    return environment(PGRX_HOME=pgrx_home(postgres), CARGO_PGRX_DISABLE_GC_SECTIONS_WORKAROUND="1")


def describe_to_pgrx(postgres):
    """Writes the file. The version in its comment makes cargo look again at the headers when a
    package was upgraded in place."""
    entry = f"{postgres.feature} = {json.dumps(str(postgres.pg_config))} # {postgres.version}"
    write_if_changed(pgrx_home(postgres) / "config.toml", f"[configs]\n{entry}\n")


def features(postgres):
    """The flags that build for this PostgreSQL alone."""
    return ["--no-default-features", "--features", postgres.feature]


def prepare(postgres):
    """Everything that cargo needs before it can build the extension."""
    program = ensure_cargo_pgrx()
    describe_to_pgrx(postgres)
    return program


def install(postgres):
    """Builds the extension and installs it into this PostgreSQL, unless that was done."""
    program = prepare(postgres)
    key = hashlib.sha256(str(postgres.pg_config).encode()).hexdigest()[:12]
    stamp = TARGET / "stamps" / f"install-{postgres.feature}-{key}.json"
    wanted = fingerprint(postgres)
    if stamp.exists():
        done = json.loads(stamp.read_text())
        if done["fingerprint"] == wanted and installed(postgres) == done["files"]:
            return
    if postgres.is_writable():
        run([program, "pgrx", "install", "--release", "--package", PACKAGE, "--pg-config",
             postgres.pg_config, *features(postgres)], env=build_environment(postgres))
    elif shutil.which("sudo"):
        install_by_sudo(postgres, program)
    else:
        fail(f"{postgres.version} ({postgres.pg_config}) is not yours to install into: as root: "
             f"make install PG_CONFIG={postgres.pg_config}; or take an embedded one: make PG=18 ...")
    write_if_changed(stamp, json.dumps({"fingerprint": wanted, "files": installed(postgres)}, indent=1))
    library, scripts = postgres.install_folders()
    say(f"installed the extension into {library} and {scripts}")


def install_by_sudo(postgres, program):
    """Builds as the caller, then puts the files in place as root. `install` makes new files where a
    plain copy would write into the library that running servers have in their memory."""
    library, scripts = postgres.install_folders()
    files = build_files(postgres, program)
    say("sudo puts the files into folders that are not yours")
    run(["sudo", "install", "-m", "755", *files["lib"], library])
    run(["sudo", "install", "-m", "644", *files["share/extension"], scripts])


def build_files(postgres, program):
    """Builds the extension and returns the paths of its files by the folder that they belong into."""
    stage = TARGET / "package" / "stage"
    remove_tree(stage)
    run([program, "pgrx", "package", "--package", PACKAGE, "--pg-config", postgres.pg_config,
         "--out-dir", stage, *features(postgres)], env=build_environment(postgres))
    # cargo-pgrx lays them out as on this machine; elsewhere another pg_config tells where they go.
    files = {"lib": [], "share/extension": []}
    for file in stage.rglob(f"{PACKAGE}*"):
        files["share/extension" if file.suffix in (".control", ".sql") else "lib"].append(file)
    return files


def installed(postgres):
    """The extension's files in this PostgreSQL, with their hashes."""
    library, scripts = postgres.install_folders()
    files = [*library.glob(f"{PACKAGE}.*"), *scripts.glob(f"{PACKAGE}.control"), *scripts.glob(f"{PACKAGE}--*")]
    return {str(file): sha256(file) for file in sorted(files)}


def fingerprint(postgres):
    """A hash of all that the built extension depends on."""
    digest = hashlib.sha256()
    facts = [str(postgres.pg_config), postgres.version, platform.machine(), output(["rustc", "-vV"]),
             os.environ.get("RUSTFLAGS"), os.environ.get("CARGO_ENCODED_RUSTFLAGS")]
    digest.update(repr(facts).encode())
    for name in SOURCES:
        path = ROOT / name
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(f"{file.relative_to(ROOT)} {sha256(file)}\n".encode())
    return digest.hexdigest()


def package(postgres):
    """An archive of the extension's files for this PostgreSQL and of the client."""
    program = prepare(postgres)
    version = load_toml(ROOT / "Cargo.toml")["workspace"]["package"]["version"]
    name = f"{PACKAGE}-{version}-{postgres.feature}-{platform.system().lower()}-{platform.machine()}"
    folder = TARGET / "package" / name
    remove_tree(folder)
    for part, files in build_files(postgres, program).items():
        (folder / part).mkdir(parents=True)
        for file in files:
            shutil.copy2(file, folder / part)
    (folder / "bin").mkdir()
    shutil.copy2(TARGET / "release" / "tpcc", folder / "bin" / "tpcc")
    shutil.copy2(ROOT / "LICENSE", folder)
    archive = shutil.make_archive(str(folder), "gztar", root_dir=folder.parent, base_dir=name)
    say(f"packed {archive}")
