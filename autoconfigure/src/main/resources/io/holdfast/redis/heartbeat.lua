-- Sends a message that an instance should hear itself.
--
-- KEYS[1] any name, which says what server of a Cluster to ask
-- ARGV[1] channel of the instance
-- ARGV[2] the message
--
-- Replies how many heard it on this server.

return redis.call('PUBLISH', ARGV[1], ARGV[2])
