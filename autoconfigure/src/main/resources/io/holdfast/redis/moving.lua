-- What a script for one lock is run in while a Cluster moves the lock's slot to another node: Redis answers TRYAGAIN to
-- a command with several keys then, unless all of them are there already. So the lock's hash is the only key that
-- is declared, which says where the script is run: where the hash is, or else where the slot goes to.
--
-- KEYS[1] lock
-- ARGV[1] to ARGV[5] its other keys, as keys.lua says
-- ARGV[6] last token that was taken from the other node, 'held' if the lock must be here still, or an empty string
-- ARGV[7] for how many ms the token is remembered, or no positive number for ever; both as taketoken.lua replies
-- and what the script takes
--
-- Where the slot comes from, keys that are not there cannot be asked for, let alone be made: to the script they look
-- as if they did not exist. What it writes to one of them fails. A lock whose shares are still on another node is left
-- alone.

local lock, names, arguments = KEYS[1], {KEYS[1]}, {}
for i = 1, 5 do
  names[i + 1] = ARGV[i]
end
for i = 8, #ARGV do
  arguments[i - 7] = ARGV[i]
end

local server = redis
local taken = ARGV[6]
local is_held = taken == 'held'
-- First of all: the token is nowhere else any more
if not is_held and taken ~= '' and tonumber(taken) > (tonumber(server.call('GET', names[2]) or 0) or 0) then
  server.call('SET', names[2], taken)
  if tonumber(ARGV[7]) > 0 then
    server.call('PEXPIRE', names[2], ARGV[7])
  end
end
local is_split = server.pcall('HGET', lock, 'mode') == 'shared' and server.pcall('EXISTS', names[6]) ~= 1
if is_split or is_held and server.call('EXISTS', lock) == 0 then
  error('TRYAGAIN The slot of the lock is being moved', 0)
end

local nothing = {EXISTS = 0, DEL = 0, HDEL = 0, ZREM = 0, PEXPIRE = 0, PEXPIREAT = 0, HLEN = 0, PTTL = -2,
  GET = false, HGET = false, ZSCORE = false, HMGET = {}, HGETALL = {}, ZMSCORE = {}, ZRANGE = {}, ZREVRANGE = {}, ZRANGEBYSCORE = {}}

-- Returns the reply to a command about one key, and whether there was none, as the key is not here.
local function ask(command, ...)
  local reply = server.pcall(command, ...)
  if type(reply) ~= 'table' or not reply.err or not string.find(reply.err, 'non local key', 1, true) then
    return reply
  end
  if nothing[command] == nil then
    error('TRYAGAIN The slot of the lock is being moved', 0)
  end
  return nothing[command]
end

local redis = {}

function redis.pcall(command, ...)
  if command ~= 'EXISTS' then
    return ask(command, ...)
  end
  local count = 0
  for _, name in ipairs({...}) do
    count = count + ask(command, name)
  end
  return count
end

function redis.call(...)
  local reply = redis.pcall(...)
  if type(reply) == 'table' and reply.err then
    return server.call(...)
  end
  return reply
end

local KEYS, ARGV = names, arguments
-- the script
