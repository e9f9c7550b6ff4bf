-- hold.lua: the commit is done, each pending lock becomes held (no TTL).
-- KEYS[1..n] locks   ARGV for each lock: value  tag
-- returns for each lock 1 when it is ours and held now, 0 when it is not ours any more
local answer, tags = {}, {}
for i, key in ipairs(KEYS) do
  answer[i] = 0
  if redis.pcall('GET', key) == ARGV[2 * i - 1] then
    redis.call('PERSIST', key)
    tags[#tags + 1] = ARGV[2 * i]
    answer[i] = 1
  end
end
if #tags > 0 then
  redis.call('PUBLISH', 'carrete:events', table.concat(tags, '\n'))
end
return answer
