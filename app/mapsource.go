package app

import (
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/mapsource"
)

// mapSource is the setting sv_maps_source.
type mapSource struct {
	*mapsource.Files
	url string
}

func (m *mapSource) register(c *console.Console) error {
	const name = "sv_maps_source"
	err := c.RegisterString(
		console.StringVar{
			Name:  name,
			Help:  "URL of a folder with maps that the server fetches if it has none of that name, such as https://maps.example/all",
			Flags: console.Server,
			Value: &m.url,
			Size:  512,
		},
	)
	if err != nil {
		return err
	}
	return c.After(name, func(call *console.Call) {
		if m.Files == nil { // in tests of the console
			return
		}
		if err := m.SetSource(m.url); err != nil {
			call.Warn("maps", "%s: %v", name, err)
		}
	})
}
