-- look.lua: who has it, and is it pending.
-- KEYS[1..n] locks
-- returns for each lock: value or '', ttl in ms (-1 held, -2 absent)
-- A key that is no string is nobody's lock: it goes.
local found = {}
for i, key in ipairs(KEYS) do
  local value = redis.pcall('GET', key)
  if type(value) == 'table' then
    redis.call('DEL', key)
    value = false
  end
  found[2 * i - 1] = value or ''
  found[2 * i] = redis.call('PTTL', key)
end
return found
