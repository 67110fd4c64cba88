-- Takes away what has been granted, and wakes those in front of the queues. What is meant is named
-- by its tokens or its claims, so that nothing of a later claim or hold is touched.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner, or an empty string for nobody
-- ARGV[2] number of the last claim of the owner that is meant
-- ARGV[3] holder, or an empty string for nobody
-- ARGV[4] what the channels of instances begin with
-- ARGV[3i+2] name of the i-th lock, as its waiters know it
-- ARGV[3i+3] token that this node has granted the holder, or 0 for none
-- ARGV[3i+4] token that a quorum of nodes agrees on for the holder, or 0 for none
--
-- Replies 1, or 0 when the locks were not held with the tokens agreed on, or not all of them.

local owner, number, holder, channel_prefix = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]

-- include keys.lua
-- include hold.lua
-- include held.lua
-- include queue.lua
local function shares_of_claims(key)
  local found = {}
  if redis.call('HGET', key.lock, 'mode') == 'shared' then
    for _, share in ipairs(redis.call('ZRANGE', key.shares, 0, -1)) do
      local token, sharer, claim = string.match(share, '^(%d+)@(.*)#(%d+)$')
      if sharer == owner and tonumber(claim) <= number then
        found[#found + 1] = {token = token, holder = sharer .. '#' .. claim}
      end
    end
  end
  return found
end

-- Returns whether there was something to take away.
local function take_claims_away(key)
  if owner == '' then
    return false
  end
  settle(key)
  local held = redis.call('HMGET', key.lock, owner, 'claim')
  local is_taken = held[1] and tonumber(held[2] or 0) <= number
  if is_taken then
    take_away(key, owner)
  end
  for _, share in ipairs(shares_of_claims(key)) do
    take_share_away(key, share.holder, share.token)
    is_taken = true
  end
  return is_taken
end

-- A hold that ends may not count yet here: it has the token of this node then.
local function is_granted(key, granted, agreed)
  if granted == '0' and agreed ~= '0' then
    return reply_unless_foreign('HGET', key.lock, holder) == '0'
  end
  return is_held(key.lock, key.shares, holder, granted)
end

-- Returns whether there was something to take away.
local function take_holder_away(key, granted, agreed, is_agreed)
  local is_taken = is_agreed or is_granted(key, granted, agreed)
  if is_taken then
    take_away(key, holder)
  end
  return is_taken
end

local held_all = 1
for i = 1, #KEYS / 6 do
  local key, lock_name, granted, agreed = key_at(i), ARGV[3 * i + 2], ARGV[3 * i + 3], ARGV[3 * i + 4]
  local is_agreed = is_held(key.lock, key.shares, holder, agreed)
  local is_held_by_token = take_holder_away(key, granted, agreed, is_agreed)
  if take_claims_away(key) or is_held_by_token then
    wake_front(key, channel_prefix, lock_name)
  end
  if not is_agreed then
    held_all = 0
  end
end
return held_all
