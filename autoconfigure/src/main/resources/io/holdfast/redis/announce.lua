-- Says who an instance is.
--
-- KEYS[1] hash of that instance
-- ARGV[1] for how long it is known, in ms
-- ARGV[2i] field   ARGV[2i+1] value, of the i-th detail

redis.call('DEL', KEYS[1])
for i = 2, #ARGV, 2 do
  redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1])
end
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1
