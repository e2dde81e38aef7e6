package prove

// upkeep is what happens long after, or on time.
var upkeep = []Part{
	{ID: "F13", Title: "all is forgotten, then late requests come, with and without origin", Shows: "with an origin refused; without one, within the horizon, no effect", fight: forgotten},
	{ID: "F14", Title: "three schedulers race for each tick", Shows: "one job a tick", fight: raced},
}
