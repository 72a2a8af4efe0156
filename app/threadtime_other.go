//go:build !unix

package app

import "time"

// threadTime is nil: processor times of Windows are too coarse for a tick.
var threadTime func() time.Duration
