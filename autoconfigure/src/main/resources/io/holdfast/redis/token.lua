-- Functions shared by the scripts that deal with the last fencing token.

-- Of numbers above 2^53 scripts know some only: two grants would get the same
local GREATEST = 9007199254740991

-- How many tokens more are taken at once while the last one is ahead of the server's clock
local AHEAD = 63

-- Tells whether a token can come after this one, or this is something else and not ours.
local function is_last_token(text)
  return #text <= 16 and string.find(text, '^%d+$') and tonumber(text) < GREATEST
end

-- Returns the next fencing token, as text: greater than the last one and than the one that
-- is known, and no less than the server's time in microseconds. It is remembered for so
-- many ms. What is there and no token stays, except for its expiry.
local function next_token(last_token, remembered, known)
  local now = redis.call('TIME')
  local token = string.format('%s%06d', now[1], now[2])
  local last = redis.call('SET', last_token, token, 'PX', remembered, 'GET')
  if last and not is_last_token(last) then
    redis.call('SET', last_token, last)
    error('What should be the last fencing token is none', 0)
  end
  last = math.max(tonumber(last or 0), tonumber(known))
  if last >= tonumber(token) then
    token = string.format('%.0f', last + 1)
    redis.call('SET', last_token, token, 'PX', remembered)
  end
  return token
end

-- For how many microseconds there are tokens at most: the first one tells others when that was
local SPAN = 100000

-- Returns the next fencing tokens, from one to another, as texts: as many as there are microseconds
-- since the last one, if that is the one that is known, and otherwise one.
local function next_tokens(last_token, remembered, known)
  local now, last = redis.call('TIME'), redis.call('GET', last_token)
  if last ~= known or not is_last_token(known) then
    local token = next_token(last_token, remembered, known)
    return token, token
  end
  local first, to = tonumber(known) + 1, now[1] * 1000000 + now[2]
  if to < first then
    to = math.min(first + AHEAD, GREATEST)
  end
  first = math.max(first, to - SPAN)
  redis.call('SET', last_token, string.format('%.0f', to), 'PX', remembered)
  return string.format('%.0f', first), string.format('%.0f', to)
end
