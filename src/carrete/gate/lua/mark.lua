-- mark.lua: sets the marker of a complete rebuild, unless Redis was emptied during it.
-- KEYS[1] marker   KEYS[2] nonce key   ARGV[1] nonce
-- returns 1 when marked, 0 when the nonce is gone: rebuild again
if redis.call('GET', KEYS[2]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('DEL', KEYS[2])
return 1
