// Package store keeps the application's own tables in the SQLite file in which its jobs and effects
// live, so that an order, its job and the record of its effects commit together.
//
// It is a [service.Database] over any engine that shares its file (see [Engine]); it knows no services.
package store
