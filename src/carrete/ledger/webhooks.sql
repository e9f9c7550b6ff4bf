-- Webhooks: addresses that get what happens as messages, and the messages that they have not got yet.

-- name: webhook_lease
SELECT holder, until FROM webhook_lease WHERE id = 1

-- name: webhook_lease_take
-- Succeeds when the lease is free, has expired, or is ours already.
INSERT INTO webhook_lease (id, holder, until) VALUES (1, :holder, :until)
ON CONFLICT (id) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE webhook_lease.holder = excluded.holder OR webhook_lease.until < :now

-- name: webhook_lease_hold
-- Part of every commit of the process that delivers: one that lost the lease commits nothing.
UPDATE webhook_lease SET until = :until WHERE id = 1 AND holder = :holder

-- name: webhook_lease_free
UPDATE webhook_lease SET until = '' WHERE id = 1 AND holder = :holder

-- name: webhook_overdue_seen
SELECT overdue_seen FROM webhook_lease WHERE id = 1

-- name: webhook_overdue_told
UPDATE webhook_lease SET overdue_seen = :at WHERE id = 1

-- name: webhooks
SELECT $WEBHOOK FROM webhook ORDER BY made_at, id

-- name: webhook
SELECT $WEBHOOK FROM webhook WHERE id = :id

-- name: webhooks_enabled
SELECT $WEBHOOK FROM webhook WHERE enabled = 1 ORDER BY id

-- name: webhooks_count
SELECT count(*) FROM webhook

-- name: webhook_insert
INSERT INTO webhook ($WEBHOOK_COLUMNS) VALUES ($WEBHOOK_VALUES)

-- name: webhook_edit
UPDATE webhook SET name = :name, url = :url, format = :format, kinds = :kinds, allow_private = :allow_private
WHERE id = :id

-- name: webhook_enable
-- What happened while it was disabled is not sent.
UPDATE webhook SET enabled = 1, stopped = '', failure = '', event_seq = :event_seq WHERE id = :id AND enabled = 0

-- name: webhook_disable
UPDATE webhook SET enabled = 0, stopped = :stopped WHERE id = :id AND enabled = 1

-- name: webhook_delete
DELETE FROM webhook WHERE id = :id

-- name: webhook_deliveries_delete
DELETE FROM webhook_delivery WHERE webhook_id = :webhook_id

-- name: webhook_progress
-- The cursor never goes back: enabling an address may have moved it on meanwhile.
UPDATE webhook SET
    event_seq = CASE WHEN event_seq < :event_seq THEN :event_seq ELSE event_seq END,
    succeeded_at = coalesce(:succeeded_at, succeeded_at),
    failed_at = coalesce(:failed_at, failed_at),
    failure = coalesce(:failure, failure)
WHERE id = :id

-- name: webhook_events
-- The events that some kind of message is about (webhooks/kinds.py).
SELECT $EVENT FROM event
WHERE seq > :after AND seq <= :upto AND evento_tipo IN ('METROLOGIA_RECHAZADO', 'NDT_RECHAZADO', 'RELEVO')
ORDER BY seq LIMIT :limit

-- name: webhook_message_add
-- One row for each enabled address that wants this kind, has room for more and has not got this message waiting.
INSERT INTO webhook_delivery
    (webhook_id, message_id, kind, at, tag, seq, text, data, tries, next_at, give_up_at, parked_at, failure)
SELECT w.id, :message_id, :kind, :at, :tag, NULL, :text, :data, 0, :next_at, :give_up_at, NULL, ''
FROM webhook w
WHERE w.enabled = 1 AND $INSTR(w.kinds, :wanted) > 0
    AND (SELECT count(*) FROM webhook_delivery d WHERE d.webhook_id = w.id AND d.parked_at IS NULL) < :waiting_max
ON CONFLICT (webhook_id, message_id) DO NOTHING

-- name: webhook_event_add
-- An event whose delivery failed, or that waits behind one. Twice is once: the process may have lost the answer of a commit.
INSERT INTO webhook_delivery
    (webhook_id, message_id, kind, at, tag, seq, text, data, tries, next_at, give_up_at, parked_at, failure)
SELECT w.id, :message_id, :kind, :at, :tag, :seq, :text, :data, :tries, :next_at, :give_up_at, :parked_at, :failure
FROM webhook w WHERE w.id = :webhook_id
ON CONFLICT (webhook_id, message_id) DO NOTHING

-- name: webhook_due
-- The messages to try now: of each spool only the earliest event that waits, whether or not it is due.
SELECT d.n, d.message_id, d.kind, d.at, d.tag, d.seq, d.text, d.data, d.tries, d.give_up_at
FROM webhook_delivery d
WHERE d.webhook_id = :webhook_id AND d.parked_at IS NULL AND d.next_at <= :now AND NOT EXISTS (
    SELECT 1 FROM webhook_delivery earlier
    WHERE earlier.webhook_id = d.webhook_id AND earlier.parked_at IS NULL
        AND earlier.tag = d.tag AND earlier.seq < d.seq
)
ORDER BY d.n LIMIT :limit

-- name: webhook_tags_waiting
-- Later events of these spools wait too.
SELECT DISTINCT tag FROM webhook_delivery WHERE webhook_id = :webhook_id AND parked_at IS NULL AND seq IS NOT NULL

-- name: webhook_waiting
SELECT webhook_id, count(*), min(next_at), min(give_up_at) FROM webhook_delivery
WHERE parked_at IS NULL GROUP BY webhook_id

-- name: webhook_delivered
DELETE FROM webhook_delivery WHERE n = :n

-- name: webhook_failed
UPDATE webhook_delivery SET tries = :tries, next_at = :next_at, parked_at = :parked_at, failure = :failure WHERE n = :n

-- name: webhook_try_all_now
UPDATE webhook_delivery SET next_at = :now WHERE webhook_id = :webhook_id AND parked_at IS NULL AND next_at > :now

-- name: webhook_park_old
UPDATE webhook_delivery SET parked_at = :now
WHERE webhook_id = :webhook_id AND parked_at IS NULL AND give_up_at <= :now

-- name: webhook_park_all
UPDATE webhook_delivery SET parked_at = :now, failure = :failure WHERE webhook_id = :webhook_id AND parked_at IS NULL

-- name: webhook_parked_trim
-- Keeps the newest.
DELETE FROM webhook_delivery WHERE webhook_id = :webhook_id AND parked_at IS NOT NULL AND n <= (
    SELECT n FROM webhook_delivery WHERE webhook_id = :webhook_id AND parked_at IS NOT NULL
    ORDER BY n DESC LIMIT 1 OFFSET :kept
)

-- name: webhook_parked
SELECT n, message_id, kind, at, tag, seq, text, tries, parked_at, failure FROM webhook_delivery
WHERE webhook_id = :webhook_id AND parked_at IS NOT NULL ORDER BY n DESC LIMIT :limit

-- name: webhook_parked_counts
SELECT webhook_id, count(*) FROM webhook_delivery WHERE parked_at IS NOT NULL GROUP BY webhook_id

-- name: webhook_parked_retry
UPDATE webhook_delivery SET parked_at = NULL, tries = 0, next_at = :now, give_up_at = :give_up_at
WHERE webhook_id = :webhook_id AND parked_at IS NOT NULL

-- name: webhook_parked_drop
DELETE FROM webhook_delivery WHERE webhook_id = :webhook_id AND parked_at IS NOT NULL

-- name: webhook_figures
SELECT coalesce(sum(CASE WHEN parked_at IS NULL THEN 1 ELSE 0 END), 0),
    coalesce(sum(CASE WHEN parked_at IS NULL THEN 0 ELSE 1 END), 0)
FROM webhook_delivery
