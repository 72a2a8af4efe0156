package bridge6

// Exports for tests in other packages.
var (
	BuildSnapshot = build
	DDRaceItems   = ddraceItems
	ReadGolden    = readGolden
)
