-- poke.lua: a commit that changed no lock tells the live streams of other processes.
-- ARGV[1] tags, one per line   returns how many processes heard it
return redis.call('PUBLISH', 'carrete:events', ARGV[1])
