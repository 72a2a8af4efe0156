package server

import "flag"

var update = flag.Bool("update", false, "write docs/settings.md or the golden files anew")

// For the page of settings, which has those of other packages, too.
var (
	Update        = update
	WithoutEffect = withoutEffect
	UsedAtStart   = usedAtStart
)
