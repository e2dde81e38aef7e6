-- extend makes leases run until ttl from now.
local q = open()
if not q then return 'stale' end
pass(q)
local ttl, n, ids = num(), num(), {}
local first, at = argn, q.now + ttl
local ends = string.format('%d', at)
for i = 1, n do ids[i] = ARGV[first + 3 * i - 2] end
load(q, ids)
local answers = {}
for i = 1, n do
	local id, claim, token = arg(), arg(), num()
	local rec = q.seen[id]
	local state, _, due, now
	if rec then state, _, due, _, _, _, now = cut(HEAD, rec) end
	if state == RUNNING and now == token and sub(rec, 25, 40) == claim then
		local g = band(q, claim)
		if not g and due <= q.now then
			local score = call('ZSCORE', q.l, id)
			if score and tonumber(score) >= AWAY then q.stale = q.stale + 1 end
		end
		write(q, id, sub(rec, 1, 2) .. pack('>I6', at) .. sub(rec, 9))
		if not g then
			local z, k = q.leased, q.nleased
			z[k + 1], z[k + 2], q.nleased = ends, id, k + 2
		end
		answers[i] = 'E'
	else
		answers[i] = lost(q, id, rec)
	end
end
if n > 0 then q.due = min(q.due, at) end
finish(q)
return concat(answers)
