package campaign

// hoard asks for memory and keeps it, until there is none.
func hoard() {
	var kept [][]byte
	for size := 1 << 20; ; {
		b := make([]byte, size)
		for i := 0; i < len(b); i += 4096 {
			b[i] = 1
		}
		kept = append(kept, b)
		if len(kept)%64 == 0 {
			size *= 2
		}
	}
}
