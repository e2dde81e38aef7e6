package faultdisk

// content is what would be left of a file if the power failed.
type content struct {
	durable []byte
	there   bool     // its name is durable too
	pending []change // since the last sync, oldest first
}

// change writes data at off; without data it cuts the file there.
type change struct {
	off  int64
	data []byte
}

func (c change) on(b []byte) []byte {
	if c.data == nil {
		if c.off < int64(len(b)) {
			return b[:c.off]
		}
		return append(b, make([]byte, c.off-int64(len(b)))...)
	}
	if end := c.off + int64(len(c.data)); end > int64(len(b)) {
		b = append(b, make([]byte, end-int64(len(b)))...)
	}
	copy(b[c.off:], c.data)
	return b
}
