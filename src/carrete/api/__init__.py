"""The HTTP API: checks requests strictly, runs actions and reads, and turns outcomes into JSON.

app         puts the routes together             problems   refusals as problem documents, with their status
actions     the fast route of an action          schemas/   bodies and answers, by resource
occupation  TOMAR, PAUSAR, COMPLETAR, CANCELAR   by_joint   INICIAR, FINALIZAR, joints, workflow of a spool
chains      steps tapped without a connection    reclamos   refused work: claimed, decided, told; reclamo_views: as JSON
relevos     handing a spool over to another worker
quality     inspection, a supervisor's commands  spools     lists, cards, people
history     sessions and events of a spool       reports    the board, stages, inches, first-pass yield
live        the stream of events                 sync       the Google workbook: status, freezes, parked rows
health      alive, ready, Redis                  metrics    for Prometheus
responses   JSON answers                         server/    everything below the routes
"""
