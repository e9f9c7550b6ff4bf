"""Carrete as a service of this machine: a systemd unit runs it as a user of its own, who can only write its data.

plan          what is to be installed, and what must hold for it
access        what another user of this machine can read
unit          the text of the unit, and of the command that runs Carrete as the service's user
systemd       commands to systemd, and its answers
installing    install and uninstall; the data always stays
state         whether it runs, since when and where
"""
