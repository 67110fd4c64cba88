-- Function shared by the scripts that tell what a lock is like; needs hold.lua and queue.lua.

-- Returns the mode, or an empty string when nobody holds the lock; owner, hold count, token and
-- time left in ms (negative for no end) of each who holds it, one after the other; the places
-- in its queue, in order, at most so many. Grants that do not count yet, holds and places that
-- have run out, and hashes that are no locks are left out.
local function state_of(key, most_places)
  local counts, owners = {}, {}
  local fields = redis.call('HGETALL', key.lock)
  for i = 1, #fields, 2 do
    counts[fields[i]] = fields[i + 1]
    owners[#owners + 1] = fields[i]
  end
  local mode, token, holders = counts.mode, counts.token, {}
  local function add(owner, its_token, remaining)
    if counts[owner] and counts[owner] ~= '0' then
      for _, value in ipairs({owner, counts[owner], its_token, string.format('%.0f', remaining)}) do
        holders[#holders + 1] = value
      end
    end
  end
  if mode == 'shared' then
    local shares, now = redis.call('ZRANGE', key.shares, 0, -1, 'WITHSCORES'), time_in_millis()
    for i = 1, #shares, 2 do
      local its_token, owner = string.match(shares[i], '^(%d+)@(.*)$')
      local remaining = tonumber(shares[i + 1]) - now
      if owner and remaining > 0 then
        add(owner, its_token, remaining)
      end
    end
  elseif mode == 'exclusive' and token then
    local remaining = redis.call('PTTL', key.lock)
    for _, owner in ipairs(owners) do
      if owner ~= 'mode' and owner ~= 'token' then
        add(owner, token, remaining)
      end
    end
  end
  local places, now = {}, time_in_micros() / 1000
  for _, place in ipairs(redis.call('ZRANGE', key.queue, 0, -1)) do
    if #places == most_places then
      break
    end
    if tonumber(redis.call('ZSCORE', key.deadlines, place) or 0) >= now then
      places[#places + 1] = place
    end
  end
  return {#holders > 0 and mode or '', holders, places}
end
