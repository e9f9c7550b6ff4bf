-- The statements of the shop's settings and of the first start, by name, in the format of `statements.sql`.

-- name: shop_settings
SELECT version, value FROM shop_settings WHERE id = 1

-- name: shop_settings_to_change @sqlite
SELECT version, value FROM shop_settings WHERE id = 1

-- name: shop_settings_to_change @postgres
SELECT version, value FROM shop_settings WHERE id = 1 FOR UPDATE

-- name: shop_settings_update
UPDATE shop_settings SET version = version + 1, value = :value WHERE id = 1

-- name: shop_setting_change_insert
INSERT INTO shop_setting_change (at, by_id, name, before, after) VALUES (:at, :by_id, :name, :before, :after)

-- name: shop_setting_changes_page
SELECT seq, at, by_id, name, before, after FROM shop_setting_change WHERE seq < :before ORDER BY seq DESC LIMIT :limit

-- name: first_start_steps
SELECT step, done FROM first_start_step

-- name: first_start_step_put
INSERT INTO first_start_step (step, done, at, by_id) VALUES (:step, :done, :at, :by_id)
ON CONFLICT (step) DO UPDATE SET done = excluded.done, at = excluded.at, by_id = excluded.by_id

-- name: any_tablet
SELECT 1 FROM device WHERE kind = 'tablet' AND revoked_at IS NULL LIMIT 1
