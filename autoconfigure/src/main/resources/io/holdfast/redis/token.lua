-- Functions shared by the scripts that deal with the last fencing token; need time.lua.

-- Of numbers above 2^53 scripts know some only: two grants would get the same
local GREATEST = 2 ^ 53 - 1

-- How many tokens more are taken at once while the last one is ahead of the server's clock
local AHEAD = 63

-- For how many microseconds there are tokens at most: the first one tells others when that was
local SPAN = 5000

-- Tells whether a token can come after this one, no more than so much greater, or this is something else and not ours.
local function is_last_token(text, more)
  return #text <= 16 and string.find(text, '^%d+$') and tonumber(text) + more <= GREATEST
end

-- Makes a token the last one, remembered for so many ms. Returns the one before, or false. What is
-- there and no token stays, except for its expiry.
local function replace_last_token(last_token, token, remembered, more)
  local last = redis.call('SET', last_token, token, 'PX', remembered, 'GET')
  if last and not is_last_token(last, more) then
    redis.call('SET', last_token, last)
    error('What should be the last fencing token is none', 0)
  end
  return last
end

-- Returns the next fencing token, as text: greater than the last one and than the one that
-- is known, and no less than the server's time in microseconds. A node grants
-- only those that leave its number as the remainder: no two independent masters grant the same.
local function next_token(last_token, remembered, known, node, nodes)
  local function from(least)
    return least + (node - least) % nodes
  end
  local now = from(time_in_micros())
  local token = string.format('%.0f', now)
  local last = math.max(replace_last_token(last_token, token, remembered, nodes) or 0, known)
  if last >= now then
    token = string.format('%.0f', from(last + 1))
    redis.call('SET', last_token, token, 'PX', remembered)
  end
  return token
end

-- Returns the next fencing tokens, from one to another, as texts: as many as there are microseconds
-- since the last one, if that is the one that is known, and otherwise one.
local function next_tokens(last_token, remembered, known)
  local first, now = tonumber(known) + 1, time_in_micros()
  local to = string.format('%.0f', now < first and math.min(first + AHEAD, GREATEST) or now)
  if is_last_token(known, 1) then
    local last = replace_last_token(last_token, to, remembered, 1)
    if last == known then
      return string.format('%.0f', math.max(first, to - SPAN)), to
    end
    redis.call('DEL', last_token)
    known = math.max(last or 0, known)
  end
  local token = next_token(last_token, remembered, known, 0, 1)
  return token, token
end
