-- enqueue stores jobs: each is one argument, id, lane, run-at, origin and what stays as it is. Where other queues may
-- have jobs of their kinds, those are looked for there first.
local qs = {}
for i = 1, num() do
	qs[i] = open()
	if not qs[i] then return 'stale' end
end
local q = qs[1]
for _, each in ipairs(qs) do pass(each) end
local first, n, ids = argn, #ARGV - argn, {}
for i = 1, n do ids[i] = sub(ARGV[first + i], 1, 16) end
for _, each in ipairs(qs) do load(each, ids) end

local now, seen, alone, plain = q.now, q.seen, #qs == 1, not q.behind
local begun, floors = {}, pack('>I5', q.floor)
local answers = {pack('>I6I6', now, q.mark)}
for i = 1, n do
	local id, item = ids[i], ARGV[first + i]
	local to, run, origin = cut('>I2I6I6', item, 17)
	if alone and plain and not seen[id] and run <= now and origin == 0 and to > 0 then -- as most are
		if q.last == now then q.nth = q.nth + 1 else q.last, q.nth = now, 0 end
		local b = begun[to]
		if not b then
			b = {key = lane(q, to), head = pack('>BBI6I2I6', QUEUED, 0, now, to, now)}
			begun[to] = b
		end
		write(q, id, b.head .. pack('>I3', q.nth) .. floors .. sub(item, 31))
		ready(q, b.key, id)
		q.accepted, q.queued = q.accepted + 1, q.queued + 1
		answers[i + 1] = 'A'
	else
		local at = q
		for k = 2, #qs do
			if qs[k].seen[id] then at = qs[k] end
		end
		answers[i + 1] = answer(put(at, id, to, run, origin, sub(item, 31)))
	end
end
for _, each in ipairs(qs) do finish(each) end
return concat(answers)
