-- Tells what locks are like, and changes nothing.
--
-- KEYS as keys.lua says, for each lock
-- ARGV[1] how many holders of each lock to tell at most
-- ARGV[2] how many places of each queue to tell at most
--
-- Replies for each lock: the mode, or an empty string when nobody holds it; holders, as state.lua
-- says, and how many there are; places in its queue, in order, and how many there are; the token
-- granted last, as text; the server's time in ms, as text. Or only what is wrong, where something
-- else is under a lock's name.

-- include time.lua
-- include keys.lua
-- include hold.lua
-- include queue.lua
-- include state.lua
local function state_or_problem(key)
  local is_told, state = pcall(state_of, key, tonumber(ARGV[1]), tonumber(ARGV[2]))
  if is_told then
    return state
  end
  local problem = type(state) == 'table' and state.err or tostring(state)
  if not string.find(problem, 'WRONGTYPE', 1, true) and not string.find(problem, 'What should be', 1, true) then
    error(problem)
  end
  return {problem}
end

local replies = {}
for i = 1, #KEYS / 6 do
  replies[i] = state_or_problem(key_at(i))
end
return replies
