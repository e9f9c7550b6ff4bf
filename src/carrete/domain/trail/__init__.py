"""The chain of hashes over the trail, and how a trail is examined with its witnesses. Standard library only.

`docs/verify.py` is made of these modules, so that an auditor needs nothing else of ours: see `scripts/verify_file.py`.

    printable     what strangers wrote, as a terminal can show it
    canonical     the bytes of an event, and its hash
    ed25519       checks a signature of the shop's key
    witness       what an outside copy of the chain's head says
    localise      which events fail against their neighbours, and what was done to them
    seen          what one reading of the trail notes, for its witnesses
    compared      which witnesses agree with the trail and which deny it, and what their times tell
    deeds         which of them deny one deed, and which a later one
    denied        what witnesses tell that the trail does not have
    lost          acknowledged actions that it does not have
    compare       the trail against its head and its witnesses
    copies        the trail against a whole copy of it
    sentences     what was found, in plain words
"""
