"""HTTP: what the caller sends, checked strictly; what the rules answer, in the contract's words.

app         puts the routes together             problems   every refusal with its status (the one table)
actions     the strict, fast route of an action  schemas    bodies and answers
by_joint    INICIAR, FINALIZAR, joints           metrics    for Prometheus
occupation  TOMAR, PAUSAR, COMPLETAR, CANCELAR   spools     lists, cards, people, history
quality     inspection, the supervisor's hand    reports    who holds what, stages, inches, first-pass yield
health      alive, ready, Redis                  web        the built web app at /
origin      whose requests are refused           hosts      which names are ours
proxies     who is believed about the client     junk       what is no request, counted
refusal_log who was refused what, from where     live       the stream of events
"""
