-- extend.lua: the commit takes longer than usual, the pending lock gets its whole time again.
-- KEYS[1] lock   ARGV[1] value   ARGV[2] safety ms
-- returns 1 when it was ours and pending, else 0
if redis.pcall('GET', KEYS[1]) ~= ARGV[1] or redis.call('PTTL', KEYS[1]) < 0 then
  return 0
end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
