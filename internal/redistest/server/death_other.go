//go:build !linux

package server

import "syscall"

// Orphans says whether a server outlives a process that is killed.
const Orphans = true

// bound is not to be had here.
func bound() *syscall.SysProcAttr { return nil }
