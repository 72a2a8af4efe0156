package bridge6

// For the tests outside of this package.
var (
	BuildSnapshot = build
	DDRaceItems   = ddraceItems
	ReadGolden    = readGolden
)
