-- Functions for holds; need time.lua.
--
-- An exclusive lock has one holder, named like its owner; the hash has its token and claim. A holder of a shared lock
-- is named <owner>#<number of the claim> and has a share: <token>@<holder> in a sorted set, scored by the time in ms
-- at which it ends. The lock lasts as long as the longest share. 'permits' is how many may hold it at a time, as the
-- last of them that limits it said.
--
-- The holder of an exclusive lock may pass it on within its instance. 'last' is the greatest token for that, and
-- 'passed-to' the present owner, for operators: scripts know the holder only, which keeps its name if that owner shares
-- the lock later.

local function present_owner(holder, passed_to)
  local is_its_own = string.find(holder, '#%d+$') or string.find(holder, ':kept$')
  return not is_its_own and passed_to or holder
end

-- Sets a field of the hash of a lock that is held. Deletes the old one first: Redis refuses nothing that follows a
-- deletion for lack of memory.
local function set_field(key, field, value)
  redis.call('HDEL', key.lock, field)
  redis.call('HSET', key.lock, field, value)
end

-- Returns the holder of a share. Foreign values stay, and make the script fail.
local function sharer_of(share)
  return string.match(share, '^%d+@(.+)$') or error('What should be a share of the lock is none', 0)
end

-- Forgets all shares: some may be left of a lock that was deleted by hand.
local function forget_shares(key)
  for _, share in ipairs(redis.call('ZRANGE', key.shares, 0, -1)) do
    sharer_of(share)
  end
  redis.call('DEL', key.shares)
end

-- Tells whether a hash has nothing but fields of its own.
local function has_no_holder(key)
  local more = redis.call('HMGET', key.lock, 'passed-to', 'permits')
  return redis.call('HLEN', key.lock) <= 2 + (more[1] and 1 or 0) + (more[2] and 1 or 0)
end

-- Forgets shares that have ended by themselves, and has the lock last as long as the others. A hash with a holder but
-- without a share is no lock, and stays.
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
  elseif has_no_holder(key) then
    redis.call('DEL', key.lock)
  end
end

-- The last share frees the lock.
local function take_share_away(key, owner, token)
  redis.call('ZREM', key.shares, token .. '@' .. owner)
  redis.call('HDEL', key.lock, owner)
  settle_shares(key)
  key.has_one_more = true
end

local function token_of_share(key, owner)
  for _, share in ipairs(redis.call('ZRANGE', key.shares, 0, -1)) do
    local token, sharer = string.match(share, '^(%d+)@(.*)$')
    if sharer == owner then
      return token
    end
  end
  return '0'
end

local function take_away(key, owner)
  if redis.call('HGET', key.lock, 'mode') == 'shared' then
    take_share_away(key, owner, token_of_share(key, owner))
  else
    redis.call('DEL', key.lock)
  end
end
