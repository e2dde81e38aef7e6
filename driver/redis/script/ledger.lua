-- The ledger: of each job a hash of its entries by step, with the seal under the empty name; beside it, by partition,
-- a sorted set of how fresh each job is there, the mark, and a clock. One script is one transaction.
--
-- An entry is state, fingerprint, token, first sent, fresh, the try that may still withdraw it, when a person answered;
-- then who, why, and the result.

local call, pack, cut, sub = redis.call, struct.pack, struct.unpack, string.sub
local max, min = math.max, math.min
local PENDING, CONFIRMED, UNKNOWN, DENIED = 1, 2, 3, 4
local ENTRY = '>Bc8I5I6I6c16I6I4c0I4c0I4c0'
local NONE, ANY = string.rep('\0', 16), string.rep('\0', 8)
local E, F, M, C, J = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]

local argn = 0
local function arg() argn = argn + 1; return ARGV[argn] end
local function num() argn = argn + 1; return tonumber(ARGV[argn]) end

local now, id, step = num(), arg(), arg()
if now == 0 then
	local t = call('TIME')
	now = t[1] * 1000 + math.floor(t[2] / 1000)
end
local token, fresh, try, print, claim = num(), num(), arg(), arg(), arg()

local function read(raw)
	if not raw then return nil end
	local e = {}
	e.state, e.print, e.token, e.first, e.fresh, e.alone, e.answered, e.who, e.why, e.result = cut(ENTRY, raw)
	return e
end

local function find() return read(call('HGET', E, step)) end

local function text(e) return pack(ENTRY, e.state, e.print, e.token, e.first, e.fresh, e.alone, e.answered, #e.who, e.who, #e.why, e.why, #e.result, e.result) end

local function save(e)
	call('HSET', E, step, text(e))
	call('ZADD', F, 'GT', e.fresh, id)
end

-- see leaves a try's token and freshness on an entry: it is not swept under that try's feet.
local function see(e) e.token, e.fresh = max(e.token, token), max(e.fresh, fresh) end

local function answer(e)
	local mine = e.state == PENDING and e.alone == try and try ~= NONE
	return 'E' .. pack('>I6B', now, mine and 1 or 0) .. text(e)
end

local function differs(e) return e.print ~= ANY and print ~= ANY and e.print ~= print end

local function new() return {state = 0, print = print, token = 0, first = now, fresh = 0, alone = NONE, answered = 0, who = '', why = '', result = ''} end

local function wrong(e) return 'T' .. string.char(e and e.state or 0) end

-- refusal says why a try makes no effect any more: its job was sealed, is too old, or its lease is not held.
local function refusal()
	local seal = call('HGET', E, '')
	if seal and token <= (cut('>I5', seal)) then return 'S' .. sub(seal, 1, 5) end
	local mark = call('GET', M)
	if mark and fresh <= tonumber(mark) then return 'M' .. pack('>I6', tonumber(mark)) end
	if J then
		local rec = call('HGET', J, id)
		if not rec then return 'U' end
		local state, _, _, _, _, _, held = cut('>BBI6I2I6I3I5', rec)
		if state ~= 2 or held ~= token or sub(rec, 25, 40) ~= claim then return 'L' .. pack('>BI5', state, held) end
	end
end

-- over reports whether all that is held of the job is at or before the mark, and the highest token there.
local function over()
	local mark, highest = call('GET', M), 0
	if not mark then return nil end
	mark = tonumber(mark)
	local all = call('HGETALL', E)
	for i = 1, #all, 2 do
		if all[i] == '' then
			local sealed, at = cut('>I5I6', all[i + 1])
			if at > mark then return nil end
			highest = max(highest, sealed)
		else
			local e = read(all[i + 1])
			if e.fresh > mark then return nil end
			highest = max(highest, e.token)
		end
	end
	return highest
end

-- tick gives the time of a clock that never goes back: how long ago an effect was asked for decides whether its remote
-- still keeps the key. Where the server's is set back, it goes on at the pace of that.
local function tick()
	local raw, time = call('GET', C), now
	if raw then
		local clock, before = cut('>dd', raw)
		time = max(now, clock + max(0, now - before))
	end
	call('SET', C, pack('>dd', time, now))
	return time
end

local actions = {}

function actions.intend()
	now = tick()
	local no, e = refusal(), find()
	if no then
		if e and e.state == CONFIRMED and not differs(e) then return answer(e) end
		return no
	end
	if e and differs(e) then return 'C' .. e.print end
	e = e or new()
	if e.state == 0 or e.state == DENIED then
		e.state, e.first, e.alone = PENDING, now, try
	elseif e.alone ~= try then
		e.alone = NONE -- another sees it: nobody can withdraw it any more
	end
	see(e)
	save(e)
	return answer(e)
end

function actions.confirm()
	local no, e, result = refusal(), find(), arg()
	if no then return no end
	if not e or (e.state == CONFIRMED and e.result ~= result) then return wrong(e) end
	e.state, e.result, e.alone = CONFIRMED, result, NONE
	see(e)
	save(e)
	return answer(e)
end

function actions.doubt()
	local no, e = refusal(), find()
	if no then return no end
	if not e or (e.state ~= PENDING and e.state ~= UNKNOWN) then return wrong(e) end
	e.state, e.alone = UNKNOWN, NONE
	see(e)
	save(e)
	return answer(e)
end

function actions.withdraw()
	local no, e = refusal(), find()
	if no then return no end
	if not e then return 'Y' end
	if e.state ~= PENDING or e.alone ~= try or try == NONE then return 'N' end
	if e.answered > 0 then -- a person's word stays listed
		e.state, e.alone = DENIED, NONE
		save(e)
	else
		call('HDEL', E, step)
	end
	return 'Y'
end

function actions.seal()
	local seal = call('HGET', E, '')
	call('HSET', E, '', pack('>I5I6', max(token, seal and (cut('>I5', seal)) or 0), now))
	call('ZADD', F, 'GT', now, id)
	return actions.entries()
end

function actions.entries()
	local all, out = call('HGETALL', E), {'E', pack('>I6', now)}
	for i = 1, #all, 2 do
		if all[i] ~= '' then out[#out + 1] = pack('>I4c0I4c0', #all[i], all[i], #all[i + 1], all[i + 1]) end
	end
	return table.concat(out)
end

function actions.answer()
	local e, happened, who, why, result = find(), num() == 1, arg(), arg(), arg()
	if not e then return 'U' end
	if (e.state == DENIED and not happened) or (e.state == CONFIRMED and happened and e.result == result) then return answer(e) end
	if e.state ~= PENDING and e.state ~= UNKNOWN then return wrong(e) end
	e.state, e.result = DENIED, ''
	if happened then e.state, e.result = CONFIRMED, result end
	e.alone, e.answered, e.who, e.why = NONE, now, who, why
	save(e)
	return answer(e)
end

function actions.mark()
	local to, keep = num(), num()
	local old = tonumber(call('GET', M) or 0)
	to = max(old, min(to, now - keep))
	if to > old then call('SET', M, string.format('%d', to)) end
	return 'E'
end

function actions.over()
	local highest = over()
	return highest and 'Y' .. pack('>I5', highest) or 'N'
end

function actions.drop()
	local highest = over()
	if not highest or highest > token then return 'N' end
	call('DEL', E)
	call('ZREM', F, id)
	return 'Y'
end

function actions.recorded()
	local no, e = refusal(), find()
	if no then
		if e and e.state == CONFIRMED and not differs(e) then return answer(e) end
		return no
	end
	if not e then return 'N' end
	if e.state ~= CONFIRMED then return wrong(e) end
	if differs(e) then return 'C' .. e.print end
	see(e)
	save(e)
	return answer(e)
end

-- commit records steps, after the caller's own change: where that fails, nothing is recorded.
function actions.commit(change)
	local no = refusal()
	if no then return no end
	local steps, results = {}, {}
	for i = 1, num() do
		steps[i], results[i] = arg(), arg()
		local raw = call('HGET', E, steps[i])
		if raw then return wrong(read(raw)) end
	end
	if change then change(argn) end
	for i, name in ipairs(steps) do
		step = name
		local e = new()
		e.state, e.result = CONFIRMED, results[i]
		see(e)
		save(e)
	end
	return 'E'
end
