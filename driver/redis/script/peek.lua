-- peek says what a claim would find: the priority, due time and order of each job, best first. It leases nothing.
local q = open()
if not q then return 'stale' end
local most, lone, wait = num(), num() == 1, num()
pass(q)
local line = {}
if q.paused == 0 then
	for _ = 1, num() do
		local priority, n = num(), num()
		local ids = call('LRANGE', lane(q, n, lone), 0, most - 1)
		load(q, ids)
		for _, id in ipairs(ids) do
			local rec = q.seen[id]
			if rec then
				local it, state, flags, _ = {priority = priority}, nil, nil, nil
				state, flags, it.at, _, it.born, it.nth = cut(HEAD, rec)
				if state <= RUNNING and it.at <= q.now and has(flags, LONE) == lone then line[#line + 1] = it end
			end
		end
	end
	table.sort(line, function(a, b)
		if a.priority ~= b.priority then return a.priority > b.priority end
		return sooner(a, b)
	end)
end
if #line == 0 and wait > 0 then q.wait = max(q.wait, q.now + wait) end
local out = {pack('>I6d', q.now, q.due)}
for i = 1, min(most, #line) do
	local it = line[i]
	out[#out + 1] = pack('>BI6I6I3', it.priority + 9, it.at, it.born, it.nth)
end
finish(q)
return concat(out)
