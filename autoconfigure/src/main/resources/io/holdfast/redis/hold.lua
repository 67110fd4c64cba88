-- Functions shared by the scripts that deal with holds, besides held.lua; need time.lua.
--
-- An exclusive lock has one holder, called like its owner, and the lock's token and claim are
-- that holder's. Each holder of a shared lock is called <owner>#<number of the claim> and has a
-- share: its place in a sorted set, called <token>@<holder> and scored by the time in ms at which
-- it ends. The lock lasts as long as the longest share.
--
-- The holder of an exclusive lock may pass it on within its instance. 'last' is the greatest token that this may
-- be done with, and 'passed-to' who is known to have it, for people: to the scripts, it is the holder's. Who has it
-- may share it later: the holder is called as before then, without a number.
-- <instance>:retained is the holder of one that its instance does not use, unless it is passed to one who does.

-- Returns who has what a holder was granted.
local function name_of(holder, passed_to)
  local is_its_own = string.find(holder, '#%d+$') or string.find(holder, ':kept$')
  return not is_its_own and passed_to or holder
end

-- Sets a field of the hash of a lock that is held, such as its owner's hold count. The old one is taken
-- out first: Redis refuses nothing that follows it for lack of memory.
local function set_field(key, field, value)
  redis.call('HDEL', key.lock, field)
  redis.call('HSET', key.lock, field, value)
end

-- Returns who has a share. What is there and no share is not ours: it stays.
local function sharer_of(share)
  return string.match(share, '^%d+@(.+)$') or error('What should be a share of the lock is none', 0)
end

-- Forgets all shares: those of a lock that was deleted by somebody else may be left.
local function forget_shares(key)
  for _, share in ipairs(redis.call('ZRANGE', key.shares, 0, -1)) do
    sharer_of(share)
  end
  redis.call('DEL', key.shares)
end

-- Forgets shares that have ended by themselves, and has the lock last as long as the others.
-- A hash in which there is still somebody, but no share, is no lock: it stays.
local function settle_shares(key)
  local now = string.format('%.0f', time_in_millis())
  for _, share in ipairs(redis.call('ZRANGEBYSCORE', key.shares, '-inf', now)) do
    local sharer = sharer_of(share)
    redis.call('ZREM', key.shares, share)
    redis.call('HDEL', key.lock, sharer)
  end
  local longest = redis.call('ZREVRANGE', key.shares, 0, 0, 'WITHSCORES')
  if longest[1] then
    redis.call('PEXPIREAT', key.lock, longest[2])
    redis.call('PEXPIREAT', key.shares, longest[2])
  elseif redis.call('HLEN', key.lock) <= (redis.call('HGET', key.lock, 'passed-to') and 3 or 2) then
    redis.call('DEL', key.lock)
  end
end

-- Takes a share away, which frees the lock if it was the last.
local function take_share_away(key, owner, token)
  redis.call('ZREM', key.shares, token .. '@' .. owner)
  redis.call('HDEL', key.lock, owner)
  settle_shares(key)
end

-- Returns the token of an owner's share, as text.
local function token_of_share(key, owner)
  for _, share in ipairs(redis.call('ZRANGE', key.shares, 0, -1)) do
    local token, sharer = string.match(share, '^(%d+)@(.*)$')
    if sharer == owner then
      return token
    end
  end
  return '0'
end

-- Takes away what an owner has of a lock, whatever its token.
local function take_away(key, owner)
  if redis.call('HGET', key.lock, 'mode') == 'shared' then
    take_share_away(key, owner, token_of_share(key, owner))
  else
    redis.call('DEL', key.lock)
  end
end
