#!/bin/sh
# README's "In a shop" with a real systemd: `sh scripts/try-service.sh dist/carrete-*.whl`, as root, where systemd's package is.
# It works on a copy of this machine (an overlay, with a network and processes of its own) and leaves nothing behind.
set -eu
case "${STAGE:-}" in
"")
    group=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)/carrete-try
    mkdir -p "$group"
    trap 'find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true' EXIT
    STAGE=copy WHEEL=$(realpath "$1") GROUP=$group SELF=$(realpath "$0") \
        sh -c 'echo $$ >"$GROUP/cgroup.procs"; exec unshare --mount sh "$SELF"'
    ;;
copy) # a disk of its own, over this machine's
    mount -t tmpfs -o size=3g tmpfs /mnt
    mkdir /mnt/upper /mnt/work /mnt/root
    mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work /mnt/root
    cd /mnt/root
    rm -rf opt/carrete var/lib/carrete
    cp "$WHEEL" "$SELF" opt/
    mount -t proc proc proc
    mount --rbind /dev dev
    chroot . sh -c 'umask 022 && cd /opt && /usr/bin/python3 -m venv carrete && carrete/bin/pip install --quiet carrete-*.whl'
    printf '[Unit]\nRequires=basic.target\nAfter=basic.target\nSuccessAction=exit-force\nFailureAction=exit-force\n[Service]\nType=oneshot
Environment=STAGE=inside\nExecStart=/bin/sh /opt/try-service.sh\nStandardOutput=file:/opt/said\nStandardError=inherit\n' \
        >etc/systemd/system/try.service
    STAGE=machine unshare --net --uts --ipc --pid --cgroup --fork --kill-child sh "$SELF" || true
    cat opt/said
    grep --quiet "the data is still there" opt/said
    ;;
machine) # a network of its own, then systemd as the first process
    hostname taller
    ip link set lo up
    ip link add lan0 type veth peer name far
    ip addr add 192.168.77.2/24 dev lan0
    ip link set far up
    ip link set lan0 up
    ip route add default dev lan0
    cd /mnt/root
    umount proc
    mount -t proc proc proc
    mount -t sysfs sysfs sys
    mount -t cgroup2 cgroup2 sys/fs/cgroup
    mount -t tmpfs -o mode=755 tmpfs run
    mount -t tmpfs tmpfs tmp
    mkdir -p mnt/before
    pivot_root . mnt/before
    umount -l /mnt/before
    exec env -i container=other PATH="$PATH" /lib/systemd/systemd --system --unit=try.service --log-target=null
    ;;
inside) # what README says, and what it promises
    /opt/carrete/bin/carrete service install
    /usr/local/bin/carrete service status
    /usr/local/bin/carrete doctor
    /usr/local/bin/carrete backup
    systemctl kill --signal=KILL carrete
    until /usr/local/bin/carrete service status | grep -q ' 1 restarts'; do sleep 1; done
    /usr/local/bin/carrete service install --port 443 --http-port 80
    test "$(find /var/lib/carrete ! -user carrete | wc -l)" = 0
    systemd-analyze security carrete --no-pager | tail -1
    /usr/local/bin/carrete service uninstall
    test -f /var/lib/carrete/carrete.db
    test ! -e /etc/systemd/system/carrete.service
    echo "The service was installed, killed, changed and removed; the data is still there."
    ;;
esac
