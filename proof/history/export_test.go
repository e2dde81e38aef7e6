package history

// What the campaigns' histories, in a package that may import those, add to the evidence.
var Recording = record

func Note(line string) { figures.add(line) }

var Main = main
