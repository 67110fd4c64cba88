-- Publishes the heartbeat of an instance to itself.
--
-- KEYS[1] any name, which says what server of a Cluster to ask
-- ARGV[1] channel of the instance
-- ARGV[2] the message
--
-- Replies how many received it on this server.

return redis.call('PUBLISH', ARGV[1], ARGV[2])
