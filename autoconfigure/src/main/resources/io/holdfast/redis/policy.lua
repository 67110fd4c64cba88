-- Asks what the server does when its memory is full.
--
-- KEYS[1] any name, which says what server of a Cluster to ask
--
-- Replies {its maxmemory-policy}, with an empty text if it has none or may not say it.

local memory = redis.pcall('INFO', 'memory')
return {type(memory) == 'string' and string.match(memory, 'maxmemory_policy:([%w-]+)') or ''}
