package gamemap

import "github.com/teeyard/teeyard/server/console"

// DefaultMap is the default of sv_map.
const DefaultMap = "teeyard1"

// Settings holds the variables of maps. The comments name them; "DDNet's" marks names that
// Teeworlds 0.7.5 lacks.
type Settings struct {
	Map           string // sv_map
	List          string // sv_maplist
	Rotation      string // sv_maprotation
	BaseURL       string // sv_maps_base_url, DDNet's
	DownloadSpeed int    // sv_map_download_speed
	ResetFile     string // sv_reset_file, DDNet's
}

// Register adds the variables and commands to a console.
func (m *Maps) Register(c *console.Console) error {
	m.console = c
	s := &m.Settings
	for _, v := range []console.StringVar{
		{Name: "sv_map", Help: "Map to use on the server", Value: &s.Map, Default: DefaultMap, Size: 128},
		{Name: "sv_maps_base_url", Help: "URL from which DDNet's clients download maps, as NAME_SHA256.map", Value: &s.BaseURL, Size: 128},
		{Name: "sv_maplist", Help: "Maps offered to administrators (none, standard, all)", Value: &s.List, Default: "all", Size: 32},
		{Name: "sv_reset_file", Help: "File to execute before each DDRace map", Value: &s.ResetFile, Default: "reset.cfg", Size: 128},
		{Name: "sv_maprotation", Help: "Maps to play in turn", Value: &s.Rotation, Size: 768},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	if err := c.RegisterInt(console.IntVar{Name: "sv_map_download_speed",
		Help:  "Map download per client (1 to 7 = at most that many times 32 KiB/s, 8 to 16 = no limit)",
		Flags: console.Server | console.Save, Value: &s.DownloadSpeed, Default: 8, Min: 1, Max: 16}); err != nil {
		return err
	}
	const open, hidden = console.Server, console.Server | console.Hidden | console.Store
	for _, cmd := range []console.Command{
		{Name: "change_map", Params: "?r[map]", Help: "Change map", Flags: open | console.Store, Run: m.cmdChangeMap},
		{Name: "reload", Help: "Reload the map", Flags: open, Run: func(*console.Call) { m.ReadAgain() }},
		{Name: "add_map_votes", Help: "Add an option to vote for each map", Flags: open | console.Lasting, Run: m.cmdAddMapVotes},
		{Name: "random_map", Params: "?i[stars]", Help: "Change to a random map that players can vote for", Flags: hidden, Run: m.cmdRandomMap},
		{Name: "random_unfinished_map", Params: "?i[stars]", Help: "Change to a random map that the caller of the vote has not finished",
			Flags: hidden, Run: m.cmdRandomMap},
	} {
		if err := c.Register(cmd); err != nil {
			return err
		}
	}
	return m.registerHooks(c)
}

// registerHooks makes variables take effect when they are set.
func (m *Maps) registerHooks(c *console.Console) error {
	for name, f := range map[string]func(*console.Call){
		"sv_map": func(call *console.Call) {
			switch {
			case m.played == nil:
			case m.Settings.Map == m.played.Setting:
				call.Print("server", "map '%s' is already running; reload reads it again", m.Settings.Map)
			default:
				call.Print("server", "changing to map '%s'", m.Settings.Map)
			}
		},
		"sv_maplist": func(*console.Call) {
			if m.played != nil {
				m.ReadList()
			}
		},
		"sv_maprotation": m.checkRotation,
	} {
		if err := c.After(name, f); err != nil {
			return err
		}
	}
	return nil
}
