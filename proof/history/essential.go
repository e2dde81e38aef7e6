package history

import "slices"

// essential leaves out what makes no difference to whether a job's history, in the order of the requests, can be explained.
// A caller that asks again and again while a server is away would otherwise leave more orders than can be tried.
//
//   - A request of unknown outcome that repeats an earlier one of unknown outcome: whichever was carried out, the other
//     then changes nothing, and the first may have been carried out at any time at which the other may.
//   - An extension of unknown outcome that lengthens the lease: that it was not carried out explains all that it
//     explains, and more, since a lease that runs out sooner hinders nothing.
func (w *world) essential(ops []Op) []Op {
	seen := map[Op]bool{}
	ttl := map[string]int64{} // of each lease, as its claim was told
	for _, op := range ops {
		if op.Call == Claim {
			ttl[op.Lease] = int64(op.TTL)
		}
	}
	return slices.DeleteFunc(slices.Clone(ops), func(op Op) bool {
		if op.Answer != Unknown {
			return false
		}
		switch op.Call {
		case Extend:
			given, told := ttl[op.Lease]
			return told && int64(op.TTL) >= given
		case Settle:
		case Enqueue, Follow:
			if w.pruned != 0 { // one that was forgotten is stored again
				return false
			}
		default:
			return false
		}
		same := op
		same.N, same.Client, same.Start, same.End = 0, "", 0, 0
		again := seen[same]
		seen[same] = true
		return again
	})
}
