-- Tells what locks are like, and changes nothing.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] how many places of each queue to tell at most
--
-- Replies for each lock what state.lua says.

-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include state.lua
local replies = {}
for i = 1, #KEYS / 6 do
  replies[i] = state_of(key_at(i), tonumber(ARGV[1]))
end
return replies
