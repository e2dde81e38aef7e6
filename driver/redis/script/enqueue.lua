-- enqueue stores jobs. Where other queues may have jobs of their kinds, those are looked for there first.
local qs = {}
for i = 1, num() do
	qs[i] = open()
	if not qs[i] then return 'stale' end
end
local q = qs[1]
for _, each in ipairs(qs) do pass(each) end
local n, ids = num(), {}
local first = argn
for i = 1, n do ids[i] = ARGV[first + 5 * i - 4] end
for _, each in ipairs(qs) do load(each, ids) end
local answers = {pack('>I6I6', q.now, q.mark)}
for i = 1, n do
	local id, to = ids[i], q
	for k = 2, #qs do
		if qs[k].seen[id] then to = qs[k] end
	end
	answers[i + 1] = answer(put(to, arg(), num(), num(), num(), arg()))
end
for _, each in ipairs(qs) do finish(each) end
return concat(answers)
