package sqlite

// What tests outside the package share with those inside.
var (
	Seed = seedFlag
	Part = part
)
