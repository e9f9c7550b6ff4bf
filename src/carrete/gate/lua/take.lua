-- take.lua: sets each lock pending, or returns the value of the other taker; and returns one old lock for the cleanup.
-- KEYS[1] index   KEYS[2..n+1] locks
-- ARGV[1] safety ms  ARGV[2] now, epoch s  ARGV[3] old before, epoch s   ARGV[4..n+3] values
-- returns for each lock 1 when it is ours, or {1 ours | 2 held | 3 pending, its value or ''[, old tag, old value]}
-- Idempotent by the value: a repeated call that finds its own lock has succeeded.
-- A key that is no string is not a lock: it is deleted. Any other error is returned to the caller.
local TAG_AT = #'spool_lock:' + 1  -- where the tag begins in a lock's key
local call = redis.call
local index, safety_ms, now = KEYS[1], ARGV[1], ARGV[2]
local takes = #KEYS - 1
local answer, tags, members, fresh = {}, {}, {}, 0
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
    members[2 * fresh - 1] = now
    members[2 * fresh] = tag
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
  call('ZADD', index, unpack(members))
  call('PUBLISH', 'carrete:events', table.concat(tags, '\n'))
end

-- Returns at most as many old locks as there are takes. A member of the index without a lock is removed; any other gets
-- a new score, so that it is not returned to two takers and does not hide the other old members.
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
