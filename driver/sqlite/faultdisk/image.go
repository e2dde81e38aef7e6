package faultdisk

import (
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Image is what is on a disk: the files by their names.
type Image map[string][]byte

// Write puts it into a folder, which is made where it is missing.
func (m Image) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for name, b := range m {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// Cut gives what a power cut now leaves: what was synced, and of the rest nothing, or, with a source of chance, any
// sectors in any order.
func (d *Disk) Cut(chance *rand.Rand) Image {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.cut(chance)
}

// sector is what a disk writes whole or not at all.
const sector = 512

func (d *Disk) cut(chance *rand.Rand) Image {
	image := Image{}
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		if !f.there && (chance == nil || chance.IntN(2) == 0) {
			continue
		}
		b := slices.Clone(f.durable)
		for _, c := range f.pending {
			switch {
			case chance == nil:
			case c.data == nil:
				if chance.IntN(2) == 0 {
					b = c.on(b)
				}
			default:
				for from := 0; from < len(c.data); {
					n := min(len(c.data)-from, sector-int((c.off+int64(from))%sector))
					if chance.IntN(2) == 0 {
						b = change{c.off + int64(from), c.data[from : from+n]}.on(b)
					}
					from += n
				}
			}
		}
		image[name] = b
	}
	return image
}
