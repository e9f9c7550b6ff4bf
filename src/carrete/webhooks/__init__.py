"""Sends registered addresses what happens in the shop: at least once, and the events of a spool in their order.

The conflict webhook of the settings (`carrete.webhook`) is older, simpler and apart from this.

    kinds            the kinds of messages, and which events they come from
    message          one message: its facts and its sentence
    formats          the body that a receiver of each format understands
    registry         the addresses: add, change, enable, disable, delete
    notices          messages that are no event of a spool, written with what they are about
    overdue_notices  spools that became overdue
    qualification_notices  qualifications that end soon
    deliveries       messages that wait, are tried again or are parked
    network          which IP addresses a name leads to, and whether they are public
    signature, sender   Standard Webhooks; one POST
    timings          waits and bounds
    lease            one process of several delivers
    address_turn     what is sent to one address now
    delivery         the background work of a process
    checks           what `carrete doctor` says
"""
