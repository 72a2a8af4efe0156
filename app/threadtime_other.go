//go:build !linux

package app

import "time"

// threadTime is nil where the processor time of a thread is not told.
var threadTime func() time.Duration
