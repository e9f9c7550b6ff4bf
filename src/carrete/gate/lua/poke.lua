-- poke.lua: tells the live streams of other processes of a commit that changed no lock.
-- ARGV[1] tags, one per line   returns the number of subscribers
return redis.call('PUBLISH', 'carrete:events', ARGV[1])
