package sqlite

import (
	"slices"

	"github.com/twicehq/twice/driver/sqlite/internal/rig"
)

// OpenRigged is [Open] on a file system of somebody else's making, such as one that loses what was not synced. It is
// for campaigns and tests, and of no use in production: what it promises of power cuts is only as true as the rig. The
// rigs there are come from package faultdisk; no other package can make one.
func OpenRigged(path string, cfg Config, r rig.Rig) (*Engine, error) {
	cfg.through, cfg.sealAt = rigged(r), r.SealAt
	return Open(path, cfg)
}

func rigged(r rig.Rig) technology {
	through := modernc
	through.dsn = func(path string, pragmas ...string) string {
		name := dsn(path, slices.Concat(pragmas, r.Pragmas)...)
		if r.VFS != "" {
			name += "&vfs=" + r.VFS
		}
		return name
	}
	return through
}
