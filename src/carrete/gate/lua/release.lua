-- release.lua: compare and delete.
-- KEYS[1] index   KEYS[2..n+1] locks   ARGV[1..n] values
-- returns for each lock 1 when it had this value and was deleted, 0 when it had another value or was absent
local TAG_AT = #'spool_lock:' + 1  -- where the tag begins in a lock's key
local answer, locks, tags = {}, {}, {}
local seen = redis.call('MGET', unpack(KEYS, 2))
for i = 1, #KEYS - 1 do
  local key = KEYS[i + 1]
  answer[i] = 0
  if seen[i] == ARGV[i] then
    locks[#locks + 1] = key
    tags[#tags + 1] = key:sub(TAG_AT)
    answer[i] = 1
  end
end
if #tags > 0 then
  redis.call('DEL', unpack(locks))
  redis.call('ZREM', KEYS[1], unpack(tags))
  redis.call('PUBLISH', 'carrete:events', table.concat(tags, '\n'))
end
return answer
