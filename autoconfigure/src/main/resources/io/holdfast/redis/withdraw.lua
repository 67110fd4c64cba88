-- Takes away what an owner has been granted, and wakes those in front of the queues. What is
-- meant is named by its tokens, so that nothing of another attempt or hold is touched. Only
-- where it is not known whether there was a grant at all, whatever is tentative is meant.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] owner
-- ARGV[2] what the channels of instances begin with
-- ARGV[3i]   name of the i-th lock, as its waiters know it
-- ARGV[3i+1] token that this node has granted, or 0 when that is not known
-- ARGV[3i+2] token that a quorum of nodes agrees on, or 0 for none
--
-- Replies 1, or 0 when the locks were not held with the tokens agreed on, or not all of them.

local owner, channel_prefix = ARGV[1], ARGV[2]

-- include keys.lua
-- include hold.lua
-- include held.lua
-- include queue.lua
local function is_granted(key, token)
  if token == '0' then
    return redis.pcall('HGET', key.lock, owner) == '0'
  end
  return is_held(key.lock, key.shares, owner, token)
end

local held_all = 1
for i = 1, #KEYS / 6 do
  local key, lock_name, granted, agreed = key_at(i), ARGV[3 * i], ARGV[3 * i + 1], ARGV[3 * i + 2]
  local held = is_held(key.lock, key.shares, owner, agreed)
  if held or is_granted(key, granted) then
    take_away(key, owner)
    wake_front(key, channel_prefix, lock_name)
  end
  if not held then
    held_all = 0
  end
end
return held_all
