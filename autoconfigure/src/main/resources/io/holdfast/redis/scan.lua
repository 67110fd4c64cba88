-- Searches a part of all keys of a server for hashes.
--
-- KEYS[1] a key that is on that server, if it exists
-- ARGV[1] where to begin: 0, or what the last call replied
-- ARGV[2] pattern of their names
-- ARGV[3] about how many keys to go through
--
-- Replies {where to go on or 0, {name, ...}}.

return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3], 'TYPE', 'hash')
