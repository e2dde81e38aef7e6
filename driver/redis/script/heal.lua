-- heal looks at jobs that seemed to stand where their records do not say, and puts them right: given are ids, or members
-- of d, which end with one. What stands in a list too often is dropped by whoever meets it. It gives how many it
-- healed, and counts anew what stands in lists and is stale.
local q = open()
if not q then return 'stale' end
pass(q)
local items, ids, healed = {}, {}, 0
for i = 1, num() do
	items[i] = arg()
	ids[i] = sub(items[i], -16)
end
load(q, ids)

local function stands(key, id, at)
	local score = call('ZSCORE', key, id)
	return score and tonumber(score) == at
end

-- together reports whether a running job stands with those of its claim, to be found by the end of its lease.
local function together(id, r)
	local all, score = r.claim and call('HGET', q.i, r.claim), r.claim and call('ZSCORE', q.g, r.claim)
	if not all or not score or tonumber(score) > r.at then return false end
	for from = 1, #all - 15, 16 do
		if sub(all, from, from + 15) == id then return true end
	end
	return false
end

-- leaving finds an ended job in p, from the end on: that is where it most likely is.
local function leaving(id, at)
	for last = call('LLEN', q.p), 1, -20 do
		for _, item in ipairs(call('LRANGE', q.p, max(0, last - 20), last - 1)) do
			local found = #item > 6 and i6(item, 1) == at and string.find(item, id, 7, true)
			while found and (found - 7) % 16 > 0 do found = string.find(item, id, found + 1, true) end
			if found then return true end
		end
	end
end

for i, id in ipairs(ids) do
	local rec = q.seen[id]
	local r = rec and read(rec)
	local right = true
	if #items[i] > 16 then
		right = r and r.state == QUEUED and order(r) .. id == items[i]
		if not right then right = call('ZREM', q.d, items[i]) == 0 end
	elseif not r then
		for _, key in ipairs({q.l, q.x, q.k}) do right = call('ZREM', key, id) == 0 and right end
		right = call('HDEL', q.h, id) == 0 and right
	elseif r.state == QUEUED then
		right = stands(q.d, order(r) .. id, r.at) or (r.at <= q.now and call('LPOS', lane(q, r.lane, r.lone), id))
		if not right then place(q, id, r) end
		if call('ZREM', q.l, id) == 1 then right = false end
	elseif r.state == RUNNING then
		right = stands(q.l, id, r.at) or (stands(q.l, id, r.at + AWAY) and call('LPOS', lane(q, r.lane, r.lone), id))
		if not right then right = together(id, r) end
		if not right then
			if r.claim then dissolve(q, r.claim) end
			place(q, id, r)
			flush(q)
		end
	elseif r.state == DEAD then
		right = call('ZSCORE', q.x, id)
		if not right then call('ZADD', q.x, r.ended or q.now, id) end
	else
		right = stands(q.k, id, r.at) or leaving(id, r.at)
		if not right then call('ZADD', q.k, r.at, id) end
	end
	if not right then healed = healed + 1 end
end
flush(q)
local listed = 0
for i = 1, #KEYS - q.base do listed = listed + call('LLEN', KEYS[q.base + i]) end
q.stale = listed - (q.queued - call('ZCARD', q.d)) - call('ZCOUNT', q.l, AWAY, '+inf')
q.orphaned = q.orphaned + healed
finish(q)
return tostring(healed)
