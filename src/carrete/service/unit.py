"""The text of the systemd unit, and of the command that runs Carrete as the service's user."""

from __future__ import annotations

from carrete.service.plan import ServicePlan

MARK = "# Written by `carrete service install`."
_HEAD = f"""\
{MARK} `carrete service uninstall` removes it and leaves the data.
[Unit]
Description=Carrete: who has which spool right now
Wants=network-online.target
After=network-online.target time-sync.target postgresql.service redis-server.service
StartLimitIntervalSec=0

[Service]
Type=exec
"""
# Its user can write nothing but its folders, get no new rights, see no other user's process or file, and make no
# system call that a network server does not need. MemoryDenyWriteExecute is left out: libffi may need such memory.
_HARDENED = """\
UMask=0077
KillMode=mixed
TimeoutStopSec=10
Restart=always
RestartSec=1
LimitNOFILE=65536
NoNewPrivileges=yes
ProtectSystem=strict
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
PrivateMounts=yes
ProtectProc=invisible
ProtectClock=yes
ProtectHostname=yes
ProtectKernelTunables=yes
ProtectKernelModules=yes
ProtectKernelLogs=yes
ProtectControlGroups=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged
SystemCallErrorNumber=EPERM
"""
_INSTALL = """
[Install]
WantedBy=multi-user.target
"""


def unit_text(plan: ServicePlan) -> str:
    writable = " ".join(str(path) for path in (plan.data, plan.backups) if path)
    capability = "CAP_NET_BIND_SERVICE" if plan.needs_low_port else ""
    lines = [
        f"ExecStart={' '.join(plan.command)}",
        f"User={plan.user}",
        *(f"Environment={name}={value}" for name, value in plan.environment.items()),
        f"WorkingDirectory={plan.data}",
        f"ReadWritePaths={writable}",
        f"CapabilityBoundingSet={capability}",
        f"AmbientCapabilities={capability}",
    ]
    return _HEAD + "\n".join(lines) + "\n" + _HARDENED + _INSTALL


def command_text(plan: ServicePlan) -> str:
    """`sudo carrete doctor` from any folder: the same user, data and settings as the service."""
    given = " ".join(f"{name}={value}" for name, value in plan.environment.items())
    return f"""\
#!/bin/sh
{MARK} Runs Carrete as the service's user, on the service's data.
if [ "$(id -u)" != 0 ]; then
    echo "carrete: use sudo; the data belongs to the user {plan.user}." >&2
    exit 1
fi
if [ "$1" = service ]; then
    exec {plan.program.command} "$@"
fi
cd {plan.data} || exit 1
exec runuser -u {plan.user} -- env {given} {plan.program.command} "$@"
"""
