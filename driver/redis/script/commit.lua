-- commit carries out a caller's transaction, if everything is still as it was told: leases that it holds or settles are
-- held, and jobs that it enqueues would get the receipts that it has. Then the caller's own change is made, and where
-- that fails nothing else was.
local holds, ends, jobs = num(), num(), num()
local first = argn
local ids = {}
for i = 1, holds do ids[#ids + 1] = ARGV[first + 3 * i - 2] end
first = first + 3 * holds
for i = 1, ends do ids[#ids + 1] = ARGV[first + 5 * i - 4] end
load(q, ids)
first = first + 5 * ends
local enqueued = {}
for i = 1, jobs do
	local to = tonumber(ARGV[first + 3 * i - 2])
	enqueued[to] = enqueued[to] or {}
	table.insert(enqueued[to], sub(ARGV[first + 3 * i], 1, 16))
end
for to, list in pairs(enqueued) do load(qs[to], list) end

local function held(id, claim, token)
	local rec = q.seen[id]
	if not rec then return 'U' end
	local state, _, _, _, _, _, has_token = cut(HEAD, rec)
	if state ~= RUNNING or has_token ~= token or sub(rec, 25, 40) ~= claim then return lost(q, id, rec) end
end

for i = 1, holds do
	local no = held(arg(), arg(), num())
	if no then return pack('>I2', i) .. no end
end
local settling = {}
for i = 1, ends do
	local s = {id = arg(), claim = arg(), token = num(), head = arg(), texts = arg()}
	local no = held(s.id, s.claim, s.token)
	if no then return pack('>I2', holds + i) .. no end
	settling[i] = s
end
local putting, prints = {}, {}
for i = 1, jobs do
	local p = {to = qs[num()], expected = arg()}
	local item = arg()
	p.id, p.rest = sub(item, 1, 16), sub(item, 31)
	p.lane, p.run, p.origin = cut('>I2I6I6', item, 17)
	local rec, status = p.to.seen[p.id], 'A'
	local print = prints[p.id] or (rec and sub(rec, tail(rec, byte(rec, 2)), tail(rec, byte(rec, 2)) + 7))
	if p.origin > p.to.now + AHEAD then
		status = 'O'
	elseif print then
		status = print == sub(p.rest, 1, 8) and 'D' or 'C'
	elseif p.origin > 0 and p.origin <= p.to.mark then
		status = 'R'
	end
	if status ~= p.expected then return 'changed' end
	if status == 'A' then prints[p.id] = sub(p.rest, 1, 8) end
	putting[i] = p
end

if change then change(argn) end

for _, s in ipairs(settling) do settle(s.id, s.claim, s.token, s.head, s.texts, 0) end
for _, p in ipairs(putting) do put(p.to, p.id, p.lane, p.run, p.origin, p.rest) end
settled()
return 'E'
