module github.com/teeyard/teeyard

go 1.26.0

require (
	github.com/alecthomas/kong v1.17.0
	github.com/arnodel/golua v0.2.0
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
	pgregory.net/rapid v1.3.0
)

require golang.org/x/tools v0.51.0 // indirect
