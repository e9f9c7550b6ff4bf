-- look.lua: who has it, and is it pending.
-- KEYS[1..n] locks   ARGV[1] safety ms
-- returns for each lock: value or '', ttl in ms (-1 held, -2 absent)
-- A key that is no string is nobody's lock: it goes.
-- A pending lock never has longer than the safety time to go, unless the clock of Redis was set back, or stood ahead
-- when the lock was written and Redis was restarted since. Then its time is counted anew from now.
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
