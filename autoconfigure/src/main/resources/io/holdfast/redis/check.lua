-- Tries what locks do, for health: uses each command that their scripts use, under a name that no lock has.
--
-- KEYS[1] name to write under
-- ARGV[1] time in ms after which what is written expires, if a command is refused
-- ARGV[2] channel without subscribers
--
-- Replies 1. Leaves nothing behind.

local key, lasts = KEYS[1], ARGV[1]

-- First what a grant writes first: Redis refuses nothing that follows a write for lack of memory. This also replaces
-- what an earlier check has left, and shows that keys can be made to expire before others are written
redis.call('SET', key, '1', 'PX', lasts)
redis.call('SET', key, '1', 'PX', lasts, 'GET')
redis.call('GET', key)
redis.call('EXISTS', key)
redis.call('PEXPIRE', key, lasts)
redis.call('PTTL', key)
redis.call('DEL', key)
local now = redis.call('TIME')

redis.call('HSET', key, 'mode', 'exclusive', 'token', '1')
redis.call('PEXPIRE', key, lasts)
redis.call('PEXPIREAT', key, string.format('%.0f', now[1] * 1000 + lasts))
redis.call('HGET', key, 'mode')
redis.call('HMGET', key, 'mode', 'token')
redis.call('HGETALL', key)
redis.call('HLEN', key)
redis.call('HDEL', key, 'mode', 'token')

redis.call('ZADD', key, 'GT', '1', 'waiter')
redis.call('PEXPIRE', key, lasts)
redis.call('ZSCORE', key, 'waiter')
redis.call('ZMSCORE', key, 'waiter')
redis.call('ZCOUNT', key, '-inf', '+inf')
redis.call('ZCARD', key)
redis.call('ZRANK', key, 'waiter')
redis.call('ZRANGE', key, 0, 0)
redis.call('ZREVRANGE', key, 0, 0)
redis.call('ZRANGEBYSCORE', key, '-inf', '+inf')
redis.call('ZREM', key, 'waiter')

redis.call('PUBLISH', ARGV[2], '')
return 1
