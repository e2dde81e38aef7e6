-- enqueue stores jobs.
local q = open(0)
if not q then return 'stale' end
pass(q)
local n, ids = num(), {}
local first = argn
for i = 1, n do ids[i] = ARGV[first + 5 * i - 4] end
load(q, ids)
local answers = {pack('>I6I6', q.now, q.mark)}
for i = 1, n do
	answers[i + 1] = answer(put(q, arg(), num(), num(), num(), arg()))
end
finish(q)
return concat(answers)
