"""Whether another user of this machine can read a path, by the modes of its folders; and where no service can look."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# ProtectHome= and PrivateTmp= hide these from a service, whatever their modes are.
HIDDEN = ("/home", "/root", "/run/user", "/tmp", "/var/tmp")


@dataclass(frozen=True, slots=True)
class SystemUser:
    """A user, and the groups that the user is in; without ids for a user who does not exist yet."""

    name: str
    uid: int | None = None
    gids: frozenset[int] = frozenset()


def system_user(name: str) -> SystemUser:
    try:
        found = pwd.getpwnam(name)
    except KeyError:
        return SystemUser(name)
    return SystemUser(name, found.pw_uid, frozenset(os.getgrouplist(name, found.pw_gid)))


def is_hidden(path: Path) -> bool:
    resolved = str(path.resolve())
    return any(resolved == folder or resolved.startswith(f"{folder}/") for folder in HIDDEN)


def unreadable(path: Path, user: SystemUser) -> Path | None:
    """The first folder on the way, or the path itself, that the user cannot enter or read; None when all is well."""
    for each in _way(path):
        try:
            found = each.stat()
        except OSError:
            return each
        wanted = stat.S_IROTH | (stat.S_IXOTH if each == path and stat.S_ISDIR(found.st_mode) else 0)
        if not _allows(found, user, wanted if each == path else stat.S_IXOTH):
            return each
    return None


def _way(path: Path) -> Iterator[Path]:
    """Its folders from the root on, then the path; where links lead too."""
    for each in dict.fromkeys((path.absolute(), path.resolve())):
        yield from reversed(each.parents)
    yield path


def _allows(found: os.stat_result, user: SystemUser, wanted: int) -> bool:
    """`wanted` in the bits for others; an owner or a group has bits of its own."""
    if found.st_uid == user.uid:
        wanted <<= 6
    elif found.st_gid in user.gids:
        wanted <<= 3
    return found.st_mode & wanted == wanted
