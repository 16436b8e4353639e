"""Where the embedded PostgreSQL and the private clusters lie, and the account that runs them.

PostgreSQL refuses to run as root. When root calls, its servers run as `postgres`, else `nobody` (the
client's cluster module has the same rule), and such an account cannot enter a checkout under /root."""

import functools
import hashlib
import os
import pwd
import subprocess
from pathlib import Path

from common import ROOT, TARGET, fail, say

SERVER_ACCOUNTS = ("postgres", "nobody")


def server_account():
    """The account that runs servers for root; None when the caller runs them himself."""
    if os.geteuid() != 0:
        return None
    for name in SERVER_ACCOUNTS:
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    fail("PostgreSQL does not run as root, and there is no account for it: useradd --system postgres")


def can_enter(account, folder):
    """Whether the account can go into the folder."""
    test = subprocess.run(
        ["test", "-x", str(folder)], cwd="/", user=account.pw_uid, group=account.pw_gid, extra_groups=[]
    )
    return test.returncode == 0


@functools.lru_cache(maxsize=None)
def base():
    """The folder for all that the server's account has to reach."""
    TARGET.mkdir(parents=True, exist_ok=True)
    account = server_account()
    if account is None or can_enter(account, TARGET):
        return TARGET
    folder = Path("/var/tmp") / f"pg_tpcc-{hashlib.sha256(str(ROOT).encode()).hexdigest()[:10]}"
    try:
        folder.mkdir(mode=0o755)
    except FileExistsError:
        # Anyone may make a folder there; root must not work in somebody else's.
        if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
            fail(f"{folder} belongs to somebody else: rm -rf {folder}")
    say(f"the account {account.pw_name} cannot enter {TARGET}: PostgreSQL and its clusters go to {folder}")
    return folder


def demo_folder():
    """The folder of the cluster of `make demo`."""
    return base() / "demo"


def test_clusters_folder():
    """The folder for the clusters of the tests."""
    folder = base() / "clusters"
    folder.mkdir(parents=True, exist_ok=True)
    account = server_account()
    if account is not None:
        os.chown(folder, account.pw_uid, account.pw_gid)
    return folder
