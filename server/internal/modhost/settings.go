package modhost

import (
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/later"
)

// Settings holds the variables for the mode and the mods. The comments name the variables; "ours"
// marks names that Teeworlds 0.7.5 lacks.
type Settings struct {
	GameType string // sv_gametype
	Mods     string // sv_mods, ours
	Watch    int    // sv_mods_watch, ours: 0 or 1
}

// Register adds the variables and commands to a console.
func (m *Mods) Register(c *console.Console) error {
	m.console = c
	const sv = console.Server | console.Save
	s := &m.Settings
	for _, v := range []console.StringVar{
		{Name: "sv_gametype", Help: "Game type (dm, tdm, ctf, lms, lts, race, mod, other modes, or the name of a script in mods)",
			Flags: sv, Value: &s.GameType, Default: DefaultGameType, Size: 32},
		{Name: "sv_mods", Help: "Mods to add to the game type, in order", Flags: sv, Value: &s.Mods, Size: 256},
	} {
		if err := c.RegisterString(v); err != nil {
			return err
		}
	}
	err := c.RegisterInt(console.IntVar{
		Name: "sv_mods_watch", Help: "Reload the scripts of sv_mods when their files change", Flags: sv, Value: &s.Watch, Default: 1, Max: 1,
	})
	if err != nil {
		return err
	}
	err = c.Register(console.Command{
		Name: "reload_mods", Help: "Reload the scripts of sv_mods whose files changed; the match goes on", Flags: console.Server,
		Run: func(*console.Call) {
			m.reload.trouble = later.Trouble{}
			m.read(m.cfg.Now())
		},
	})
	if err != nil {
		return err
	}
	if err = c.After("sv_gametype", m.gameTypeChanged); err != nil {
		return err
	}
	if err = c.After("sv_mods", m.modsChanged); err != nil {
		return err
	}
	return c.InForce("sv_gametype", m.gameTypeInForce)
}

func (m *Mods) gameTypeChanged(call *console.Call) {
	m.setGameType()
	if m.world == nil {
		return
	}
	if m.nextErr = m.checkGameType(m.Settings.GameType); m.nextErr != nil {
		m.reportGameType(call)
		return
	}
	m.reported = ""
	call.Print("server", "sv_gametype takes effect with the next map, or after reload")
}

func (m *Mods) modsChanged(call *console.Call) {
	if m.world != nil {
		call.Print("server", "sv_mods takes effect with the next map, or after reload")
	}
}

// gameTypeInForce returns the game type of the world, unless another one is set for the next map.
func (m *Mods) gameTypeInForce() (string, bool) {
	if m.world == nil || m.ruleset.GameType != m.Wanted().GameType {
		return "", false
	}
	return m.ruleset.Played(), true
}
