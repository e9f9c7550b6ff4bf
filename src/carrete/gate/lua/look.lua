-- look.lua: reads the value and the remaining time of each lock.
-- KEYS[1..n] locks   ARGV[1] safety ms
-- returns for each lock: value or '', ttl in ms (-1 held, -2 absent)
-- A key that is no string is not a lock: it is deleted.
-- A TTL longer than the safety time means that the clock of Redis was set back, or was ahead when the lock was written
-- and Redis was restarted since. Then the lock gets the safety time from now.
local found = {}
local safety_ms = tonumber(ARGV[1])
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GET', key)
  if type(value) == 'table' then
    redis.call('DEL', key)
    value = false
  end
  local ttl = redis.call('PTTL', key)
  if ttl > safety_ms then
    redis.call('PEXPIRE', key, safety_ms)
    ttl = safety_ms
  end
  found[2 * i - 1] = value or ''
  found[2 * i] = ttl
end
return found
