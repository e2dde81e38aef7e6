package rawredis

// What Twice's promises need of a job, whatever the engine around it does: an id of 16 bytes that is refused a second
// time and kept, with fingerprint and state, when the job is done; a record of payload, four counters and a reason; a
// place in the order of what is due; and while it runs a lease that its end is compared with. Nothing else is stored.
// Each script moves a batch. A record is the fingerprint (8 bytes), counters and reason (5) and the payload.

// Layout is a way to store that.
type Layout string

const (
	// Plain is the reference: one hash of records by id, one sorted set of what is due when.
	Plain Layout = "plain"
	// Listed keeps records in lists, which pack them, and ids with fingerprint and state in one hash.
	Listed Layout = "listed"
	// Packed keeps the ids in small hashes, which pack them too.
	Packed Layout = "packed"
)

// Layouts are all, the reference first.
var Layouts = []Layout{Plain, Listed, Packed}

// scripts are the two changes. add: KEYS = a tag's names, ARGV = place, then id and record by turns. It answers the number of ids that
// were known, and stores nothing then. cycle: ARGV = now, until, most, how many end, then id and token by turns; it
// answers the number of those whose lease was lost, the first token, and id and record of what was claimed.
type scripts struct{ add, cycle string }

// KEYS[1] is the prefix of all keys, a hash tag.
var layouts = map[Layout]scripts{
	Plain: {
		add: `
local ids, put, due = {}, {}, {}
for i = 2, #ARGV, 2 do
  ids[#ids+1] = ARGV[i]
  put[i-1] = ARGV[i]; put[i] = '0' .. ARGV[i+1]
  due[i-1] = ARGV[1]; due[i] = ARGV[i]
end
local known = 0
for _, v in ipairs(redis.call('HMGET', KEYS[1] .. 'jobs', unpack(ids))) do if v then known = known + 1 end end
if known > 0 then return known end
redis.call('HSET', KEYS[1] .. 'jobs', unpack(put))
redis.call('ZADD', KEYS[1] .. 'due', unpack(due))
return 0`,
		cycle: `
local lost, ended, kept = 0, {}, {}
local n = tonumber(ARGV[4])
if n > 0 then
  local ids = {}
  for i = 1, n do ids[i] = ARGV[3+2*i] end
  local tokens = redis.call('HMGET', KEYS[1] .. 'leases', unpack(ids))
  local records = redis.call('HMGET', KEYS[1] .. 'jobs', unpack(ids))
  for i = 1, n do
    if tokens[i] == ARGV[4+2*i] then
      ended[#ended+1] = ids[i]
      kept[#kept+1] = ids[i]; kept[#kept+1] = '2' .. string.sub(records[i], 2, 9)
    else lost = lost + 1 end
  end
  if #ended > 0 then
    redis.call('HDEL', KEYS[1] .. 'leases', unpack(ended))
    redis.call('ZREM', KEYS[1] .. 'due', unpack(ended))
    redis.call('HSET', KEYS[1] .. 'jobs', unpack(kept))
  end
end
local token, ids, records = 0, {}, {}
if tonumber(ARGV[3]) > 0 then
  ids = redis.call('ZRANGE', KEYS[1] .. 'due', '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3])
  if #ids > 0 then
    records = redis.call('HMGET', KEYS[1] .. 'jobs', unpack(ids))
    token = redis.call('INCRBY', KEYS[1] .. 'token', #ids) - #ids
    local due, lease = {}, {}
    for i = 1, #ids do
      due[2*i-1] = ARGV[2]; due[2*i] = ids[i]
      lease[2*i-1] = ids[i]; lease[2*i] = token + i
    end
    redis.call('ZADD', KEYS[1] .. 'due', unpack(due))
    redis.call('HSET', KEYS[1] .. 'leases', unpack(lease))
  end
end
return {lost, token, ids, records}`,
	},
	Listed: {
		add: `
local ids, put, list = {}, {}, {}
for i = 2, #ARGV, 2 do
  ids[i/2] = ARGV[i]
  put[i-1] = ARGV[i]; put[i] = '0' .. string.sub(ARGV[i+1], 1, 8)
  list[i/2] = ARGV[i] .. ARGV[i+1]
end
local known = 0
for _, v in ipairs(redis.call('HMGET', KEYS[1] .. 'ids', unpack(ids))) do if v then known = known + 1 end end
if known > 0 then return known end
redis.call('HSET', KEYS[1] .. 'ids', unpack(put))
redis.call('RPUSH', KEYS[1] .. 'due' .. ARGV[1], unpack(list))
return 0`,
		cycle: listedEnd + `
  if #ended > 0 then
    redis.call('HDEL', KEYS[1] .. 'leases', unpack(ended))
    redis.call('HSET', KEYS[1] .. 'ids', unpack(kept))
  end
end` + listedTake,
	},
	Packed: {
		add: `
local list, known = {}, 0
for i = 2, #ARGV, 2 do
  local id = ARGV[i]
  local a, b = string.byte(id, 1, 2)
  local k = KEYS[1] .. 'i' .. (a * 64 + b % 64)
  if redis.call('HSETNX', k, string.sub(id, 3), '0' .. string.sub(ARGV[i+1], 1, 8)) == 1 then
    list[#list+1] = id .. ARGV[i+1]
  else known = known + 1 end
end
if #list > 0 then redis.call('RPUSH', KEYS[1] .. 'due' .. ARGV[1], unpack(list)) end
return known`,
		cycle: listedEnd + `
  if #ended > 0 then
    redis.call('HDEL', KEYS[1] .. 'leases', unpack(ended))
    for i = 1, #kept, 2 do
      local a, b = string.byte(kept[i], 1, 2)
      redis.call('HSET', KEYS[1] .. 'i' .. (a * 64 + b % 64), string.sub(kept[i], 3), kept[i+1])
    end
  end
end` + listedTake,
	},
}

const listedEnd = `
local lost, ended, kept = 0, {}, {}
local n = tonumber(ARGV[4])
if n > 0 then
  local tokens = {}
  for i = 1, n do tokens[i] = ARGV[4+2*i] end
  local held = redis.call('HMGET', KEYS[1] .. 'leases', unpack(tokens))
  for i = 1, n do
    local id = ARGV[3+2*i]
    if held[i] and string.sub(held[i], 1, 16) == id then
      ended[#ended+1] = tokens[i]
      kept[#kept+1] = id; kept[#kept+1] = '2' .. string.sub(held[i], 17, 24)
    else lost = lost + 1 end
  end`

const listedTake = `
local token, ids, records = 0, {}, {}
if tonumber(ARGV[3]) > 0 then
  local got = redis.call('LPOP', KEYS[1] .. 'due0', ARGV[3])
  if got then
    token = redis.call('INCRBY', KEYS[1] .. 'token', #got) - #got
    local lease = {}
    for i = 1, #got do
      lease[2*i-1] = token + i; lease[2*i] = got[i]
      ids[i] = string.sub(got[i], 1, 16)
    end
    redis.call('HSET', KEYS[1] .. 'leases', unpack(lease))
    redis.call('ZADD', KEYS[1] .. 'ends', ARGV[2], token + 1)
    records = got
  end
end
return {lost, token, ids, records}`
