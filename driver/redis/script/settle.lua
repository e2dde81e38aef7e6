-- settle ends attempts, each with the jobs that follow it.
local plain, n = arg(), num()

-- First the records of all that is settled or enqueued.
local ids, follow, at = {}, {}, argn
local ended, next = 0, 1
while next <= #plain do
	for _ = 1, (cut('>I2', plain, next + 16)) do
		ended = ended + 1
		ids[ended] = sub(plain, next + 18, next + 33)
		next = next + 21
	end
	next = next + 18
end
for i = 1, n do
	ids[ended + i] = ARGV[at + 1]
	for k = 1, tonumber(ARGV[at + 6]) do
		local base = at + 6 + 6 * (k - 1)
		local to = tonumber(ARGV[base + 1])
		if to > 0 then
			follow[to] = follow[to] or {}
			follow[to][#follow[to] + 1] = ARGV[base + 2]
		end
	end
	at = at + 6 + 6 * tonumber(ARGV[at + 6])
end
load(q, ids)
for to, list in pairs(follow) do load(qs[to], list) end

local answers = {}

-- Most are done, and nothing more is to be said of them: those come as claim and number, then id and token of each.
local ENDS = char(DONE, CLAIMED + ENDED + STRIPPED) .. leaves
local FROM = char(8 * 1 + DONE, 0) .. pack('>I6', now)
local SAYS = pack('>BBBBI6I6', DONE, 1, 0, 0, 0, 0)
local seen, i = q.seen, 0
next = 1
while next <= #plain do
	local claim, count = sub(plain, next, next + 15), cut('>I2', plain, next + 16)
	next = next + 18
	local g = band(q, claim)
	for at = next + 16, next + 21 * count - 5, 21 do
		i = i + 1
		local id, token = ids[i], cut('>I5', plain, at)
		local rec = seen[id]
		local till, held, _
		if rec and byte(rec) == RUNNING and byte(rec, 2) == CLAIMED then till, _, _, _, held = cut('>I6I2I6I3I5', rec, 3) end
		if held == token and till > now and sub(rec, 25, 40) == claim then
			local from = 61 + byte(rec, 60)
			write(q, id, ENDS .. sub(rec, 9, 58) .. FROM .. sub(rec, from, from + 7))
			nover = nover + 1
			over[nover] = id
			if g then
				g.n = g.n - 1
			else
				noff = noff + 1
				off[noff] = id
			end
			q.running, q.done = q.running - 1, q.done + 1
			answers[i] = 'E'
		else
			answers[i] = settle(id, claim, token, SAYS, '', 0)
		end
	end
	next = next + 21 * count
end
for i = 1, n do
	local id, claim, token, head, texts, count = arg(), arg(), num(), arg(), arg(), num()
	local again
	answers[ended + i], again = settle(id, claim, token, head, texts, count)
	for _ = 1, count do
		local to, next, n, run, origin, rest = qs[num()], arg(), num(), num(), num(), arg()
		if answers[ended + i] == 'E' and not again then
			if to then
				put(to, next, n, run, origin, rest)
			else
				call('RPUSH', q.o, id .. pack('>I5', token) .. next .. pack('>I6I6', run, origin) .. rest)
				q.pending = q.pending + 1
			end
		end
	end
	-- A follow-up may have this very id, or one that is settled next: what was gathered is seen at once.
end
settled()
return concat(answers)
