-- Takes the last fencing token of a lock away from a node that a Cluster moves the lock's slot from, if the lock is not
-- there: it is granted where the slot goes to, and what is left here would be in the way of what comes to be there.
--
-- KEYS[1] last token
-- ARGV[1] lock
--
-- Replies {token, ms for which it was to be remembered}, {'held', 0} if the lock is there, or {'', 0}.

local lock = redis.pcall('EXISTS', ARGV[1])
if type(lock) ~= 'table' or not lock.err then
  return {lock == 1 and 'held' or '', 0}
end
local taken = {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}
redis.call('DEL', KEYS[1])
return taken
