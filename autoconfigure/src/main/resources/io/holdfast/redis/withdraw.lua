-- Gives up a claim, or a hold: takes away what was granted and the place in the queues, and
-- wakes those in front. The one that leaves may have been woken, or have kept others from
-- sharing the lock.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] name of the claim (see queue.lua), or an empty string for none
-- ARGV[2] what it is called as the holder of a shared lock, or an empty string
-- ARGV[3] time in ms for which requests of the claim are denied from now on, or 0
-- ARGV[4] place in the queues, or an empty string for none
-- ARGV[5] holder, or an empty string for none
-- ARGV[6] what the channels of instances begin with
-- ARGV[3i+4] name of the i-th lock, as its waiters know it
-- ARGV[3i+5] token that this node has granted the holder, or 0 for none
-- ARGV[3i+6] token that a quorum of nodes agrees on for the holder, or 0 for none
--
-- Replies 1, or 0 when the locks were not held with the tokens agreed on, or not all of them.
--
-- Can be repeated.

local claim, sharer, refused, place = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local holder, channel_prefix = ARGV[5], ARGV[6]

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include held.lua
-- include queue.lua
local function has_claim(key)
  local held = redis.call('HMGET', key.lock, 'mode', 'claim', sharer)
  if held[1] == 'shared' then
    return sharer ~= '' and held[3]
  end
  return sharer == '' and held[1] and held[2] == claim
end

-- Returns whether there was something to take away.
local function take_claim_away(key)
  if redis.call('HGET', key.lock, 'mode') == 'shared' then
    settle_shares(key)
  end
  local is_taken = has_claim(key)
  if is_taken then
    take_away(key, sharer)
  end
  if refused > 0 then
    refuse(key, claim, refused)
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
local function take_hold_away(key, granted, agreed, is_agreed)
  local is_taken = is_agreed or is_granted(key, granted, agreed)
  if is_taken then
    take_away(key, holder)
  end
  return is_taken
end

local held_all = 1
for i = 1, #KEYS / 6 do
  local key, lock_name, granted, agreed = key_at(i), ARGV[3 * i + 4], ARGV[3 * i + 5], ARGV[3 * i + 6]
  local is_agreed, is_taken = false, false
  if holder ~= '' then
    is_agreed = is_held(key.lock, key.shares, holder, agreed)
    is_taken = take_hold_away(key, granted, agreed, is_agreed)
  end
  if claim ~= '' and take_claim_away(key) then
    is_taken = true
  end
  if place ~= '' then
    give_up_place(key, place)
  end
  if is_taken or place ~= '' then
    wake_front(key, channel_prefix, lock_name)
  end
  if not is_agreed then
    held_all = 0
  end
end
return held_all
