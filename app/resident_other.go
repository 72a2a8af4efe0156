//go:build !linux

package app

// unmapStart does nothing: only Linux maps so many pages that a server does not need.
func unmapStart() {}
