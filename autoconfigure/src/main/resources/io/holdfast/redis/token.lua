-- Functions shared by the scripts that deal with the last fencing token.

-- Tells whether a token can come after this one, or this is something else and not ours. Of
-- numbers above 2^53 scripts know some only: two grants would get the same.
local function is_last_token(text)
  return #text <= 16 and string.find(text, '^%d+$') and tonumber(text) < 9007199254740991
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
