-- take.lua: set each lock pending, or tell who has it; and hand out one old lock a take, to be looked at.
-- KEYS[1] index   KEYS[2..n+1] locks
-- ARGV[1] safety ms  ARGV[2] now, epoch s  ARGV[3] old before, epoch s   ARGV[4..n+3] values
-- returns for each lock 1 when it is ours, or {1 ours | 2 held | 3 pending, its value or ''[, old tag, old value]}
-- Idempotent by its value: a repeated call that meets its own lock has succeeded.
-- A key that is no string is nobody's lock: it goes. Any other error is the caller's to hear.
local TAG_AT = #'spool_lock:' + 1  -- where the tag begins in a lock's key
local call = redis.call
local index, safety_ms, now = KEYS[1], ARGV[1], ARGV[2]
local takes = #KEYS - 1
local answer, tags, places, fresh = {}, {}, {}, 0
for i = 1, takes do
  local key, value = KEYS[i + 1], ARGV[i + 3]
  local seen = redis.pcall('SET', key, value, 'NX', 'GET', 'PX', safety_ms)
  if type(seen) == 'table' then
    if not seen.err:find('WRONGTYPE', 1, true) then
      return seen
    end
    call('DEL', key)
    seen = call('SET', key, value, 'NX', 'GET', 'PX', safety_ms)
  end
  if not seen then
    local tag = key:sub(TAG_AT)
    fresh = fresh + 1
    tags[fresh] = tag
    places[2 * fresh - 1] = now
    places[2 * fresh] = tag
    answer[i] = 1
  elseif seen == value then
    answer[i] = 1
  elseif call('PTTL', key) == -1 then
    answer[i] = {2, seen}
  else
    answer[i] = {3, seen}
  end
end
if fresh > 0 then
  call('ZADD', index, unpack(places))
  call('PUBLISH', 'carrete:events', table.concat(tags, '\n'))
end

-- As many candidates as takes. A member whose key is gone leaves the index; any other gets a new score before it is
-- handed out, so that it cannot hold up those behind it nor be handed to two takers at once.
for i, old in ipairs(call('ZRANGEBYSCORE', index, '-inf', '(' .. ARGV[3], 'LIMIT', 0, takes)) do
  local old_value = redis.pcall('GET', 'spool_lock:' .. old)
  if type(old_value) ~= 'string' then
    call('ZREM', index, old)
  else
    call('ZADD', index, 'XX', now, old)
    local state, value = 1, ''
    if answer[i] ~= 1 then
      state, value = unpack(answer[i])
    end
    answer[i] = {state, value, old, old_value}
  end
end
return answer
