-- swap.lua: compare and set, for repairs: changes each lock from exactly the value seen to the value of the ledger.
-- KEYS[1] index   KEYS[2..n+1] locks
-- ARGV, three for each lock: value seen or ''  wanted or ''  since, epoch s
-- returns for each lock 1 when it has the wanted value now (held and indexed, or absent), 0 when it was not as seen
local TAG_AT = #'spool_lock:' + 1  -- where the tag begins in a lock's key
local done = {}
for i = 2, #KEYS do
  local at = 3 * (i - 2)
  local seen, wanted, since = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3]
  local tag = KEYS[i]:sub(TAG_AT)
  if (redis.pcall('GET', KEYS[i]) or '') ~= seen then
    done[i - 1] = 0
  else
    if wanted == '' then
      redis.call('DEL', KEYS[i])
      redis.call('ZREM', KEYS[1], tag)
    else
      redis.call('SET', KEYS[i], wanted)
      redis.call('ZADD', KEYS[1], since, tag)
    end
    if wanted ~= seen then
      redis.call('PUBLISH', 'carrete:events', tag)
    end
    done[i - 1] = 1
  end
end
return done
