-- hold.lua: after the commit each pending lock becomes held (no TTL).
-- KEYS[1..n] locks   ARGV[1..n] values
-- returns for each lock 1 when it is ours and held now, 0 when its value is another
local TAG_AT = #'spool_lock:' + 1  -- where the tag begins in a lock's key
local answer, tags = {}, {}
local seen = redis.call('MGET', unpack(KEYS))
for i, key in ipairs(KEYS) do
  answer[i] = 0
  if seen[i] == ARGV[i] then
    redis.call('PERSIST', key)
    tags[#tags + 1] = key:sub(TAG_AT)
    answer[i] = 1
  end
end
if #tags > 0 then
  redis.call('PUBLISH', 'carrete:events', table.concat(tags, '\n'))
end
return answer
