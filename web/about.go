package web

// About describes a server in words, for the titles of pages and the previews of links to them.
type About struct {
	Name, GameType, Map string
}
