-- release.lua: compare and delete.
-- KEYS[1] index   KEYS[2..n+1] locks   ARGV for each lock: value  tag
-- returns for each lock 1 when that very lock was there and is gone now, 0 when another or none was there
local answer, tags = {}, {}
for i = 1, #KEYS - 1 do
  answer[i] = 0
  if redis.pcall('GET', KEYS[i + 1]) == ARGV[2 * i - 1] then
    redis.call('DEL', KEYS[i + 1])
    tags[#tags + 1] = ARGV[2 * i]
    answer[i] = 1
  end
end
if #tags > 0 then
  redis.call('ZREM', KEYS[1], unpack(tags))
  redis.call('PUBLISH', 'carrete:events', table.concat(tags, '\n'))
end
return answer
