// Package cron turns schedules into jobs: each due instant of an entry is one job, whose id is derived
// from the entry's name and that instant.
//
//	s := cron.New(engine, cron.Config{})
//	s.Add(cron.Of("orders.reconcile", "daily 02:30", "Europe/Berlin", Reconcile, func(due time.Time) Day { return DayOf(due) }))
//	err := s.Run(ctx)
//
// Entries and their last fires live in the engine. Any number of schedulers may run, and none leads: a
// fire is one conditional write, so of several that try, one succeeds, and the others find it done.
//
// What was missed (no scheduler ran, or the entry was paused) is not made up for in full: the latest
// missed instant is fired, and the ones before it are skipped, counted and told.
package cron
