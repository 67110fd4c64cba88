-- Functions for the last fencing token; need time.lua.

-- Greater numbers are rounded in scripts: two grants could get the same
local GREATEST = 2 ^ 53 - 1

-- How many more tokens a range has while the last one is ahead of the server's clock
local AHEAD = 63

-- The longest range, in microseconds. Operators see its first token as the time of the grant
local SPAN = 5000

-- Tells whether this is a last token, after which another can come, and no foreign value.
local function is_last_token(text)
  return #text <= 16 and string.find(text, '^%d+$') and tonumber(text) < GREATEST
end

local function fail_for_last_token()
  error('What should be the last fencing token is none', 0)
end

-- Makes a token the last one, remembered for so many ms. Returns the one before, or false. A foreign value stays, but
-- loses its expiry.
local function replace_last_token(last_token, token, remembered)
  local last = redis.call('SET', last_token, token, 'PX', remembered, 'GET')
  if last and not is_last_token(last) then
    redis.call('SET', last_token, last)
    fail_for_last_token()
  end
  return last
end

-- Returns the next fencing token, as text: greater than the last one and than the one that is known, and no less than
-- the server's time in microseconds.
local function next_token(last_token, remembered, known)
  local token = string.format('%.0f', time_in_micros())
  local last = math.max(replace_last_token(last_token, token, remembered) or 0, known)
  if last >= time_in_micros() then
    token = string.format('%.0f', last + 1)
    redis.call('SET', last_token, token, 'PX', remembered)
  end
  return token
end

-- Returns the first and the last of the next fencing tokens, as texts: as many as there are microseconds since the last
-- one, if that is the one that is known, and otherwise one.
local function next_tokens(last_token, remembered, known)
  local first, now = tonumber(known) + 1, time_in_micros()
  local to = string.format('%.0f', now < first and math.min(first + AHEAD, GREATEST) or now)
  if is_last_token(known) then
    local last = replace_last_token(last_token, to, remembered)
    if last == known then
      return string.format('%.0f', math.max(first, to - SPAN)), to
    end
    redis.call('DEL', last_token)
    known = math.max(last or 0, known)
  end
  local token = next_token(last_token, remembered, known)
  return token, token
end
