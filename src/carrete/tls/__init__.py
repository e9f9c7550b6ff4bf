"""HTTPS without a certificate of one's own: a local authority, and the certificate that it signs for this machine.

names      this machine's names and addresses      files          private files, written whole, under one lock
authority  the local certificate authority         certificate    the server's certificate: made, read, renewed
keeper     renews it when names or time change     reload         the running server takes a new one up
served     how `carrete serve` serves just now     multicast_dns  carrete.local
status     the certificate, for the page           checks         what `carrete doctor` says about it
"""
