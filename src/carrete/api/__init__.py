"""The HTTP API: checks requests strictly, runs actions and reads, and turns outcomes into JSON.

app         puts the routes together             problems   refusals as problem documents, with their status
actions     the fast route of an action          schemas/   bodies and answers, by resource
occupation  TOMAR, PAUSAR, COMPLETAR, CANCELAR   by_joint   INICIAR, FINALIZAR, joints, workflow of a spool
chains      steps tapped without a connection    reclamos   refused work: claimed and decided; reclamo_views: as JSON
relevos     handing a spool over to another worker
quality     inspection, a supervisor's commands  spools     lists, cards, people
history     sessions and events of a spool       reports    the board, stages, inches, first-pass yield
stage_times what is overdue, how long stages last overdue  `atraso` of a spool as JSON
live        the stream of events                 sync       the Google workbook: status, freezes, parked rows
notes       notes about spools                   photos     photos of notes, received and served
spool_actions  an action whose path names the spool   spool_parts  what follows a tag in a path
health      alive, ready, Redis                  metrics    for Prometheus; scraping: its route
responses   JSON answers                         server/    everything below the routes
"""

from carrete.deferred_models import deferred_models

with deferred_models():  # of the OpenAPI document, which few ask for
    import fastapi.openapi.models  # noqa: F401
