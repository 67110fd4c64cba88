-- Sends a message to an instance's own channel, and says for a while who the instance is.
--
-- KEYS[1] hash of that instance
-- ARGV[1] its channel
-- ARGV[2] the message
-- ARGV[3] for how long the hash lasts, in ms
-- ARGV[2i+2] field   ARGV[2i+3] value, of the i-th detail; there may be none
--
-- Replies how many heard the message on this server.
--
-- Can be repeated.

-- The message first: it is also sent where nothing can be written
local hearers = redis.call('PUBLISH', ARGV[1], ARGV[2])
if #ARGV > 3 then
  -- A full Redis allows a script that has written before to go on
  redis.call('HDEL', KEYS[1], '')
  redis.call('HSET', KEYS[1], unpack(ARGV, 4))
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
return hearers
