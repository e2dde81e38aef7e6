package sqlite

import "math/bits"

// filter is a blocked Bloom filter: 16 bits a key, seven of the 512 bits of one cache line set for each, so that
// about one in a thousand keys that it has not is taken for one that it has. Keys are parts of ids, which are
// uniform already.
type filter struct{ lines [][8]uint64 }

func newFilter(keys int64) *filter { return &filter{lines: make([][8]uint64, keys/32+1)} }

// spot gives the key's line and the bits in it, 9 bits of the second number each.
func (f *filter) spot(key uint64) (*[8]uint64, uint64) {
	line, _ := bits.Mul64(key, uint64(len(f.lines)))
	// The line takes the high bits, so mix for the others: a multiplication by an odd constant and a fold, twice.
	key ^= key >> 32
	key *= 0x9e3779b97f4a7c15
	key ^= key >> 29
	key *= 0xbf58476d1ce4e5b9
	return &f.lines[line], key ^ key>>32
}

func (f *filter) add(key uint64) {
	line, b := f.spot(key)
	for range 7 {
		line[b>>6&7] |= 1 << (b & 63)
		b >>= 9
	}
}

func (f *filter) has(key uint64) bool {
	line, b := f.spot(key)
	for range 7 {
		if line[b>>6&7]>>(b&63)&1 == 0 {
			return false
		}
		b >>= 9
	}
	return true
}
