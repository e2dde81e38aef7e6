-- forward forgets jobs that were forwarded to a queue of another node.
local q = open()
if not q then return 'stale' end
pass(q)
for _ = 1, num() do
	if call('LREM', q.o, 1, arg()) == 1 then q.pending = q.pending - 1 end
end
finish(q)
return 'E'
