package engine

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/game"
)

// ErrAction means that an action or its parameters are invalid.
var ErrAction = errors.New("engine: bad action")

// params are the parameters of an action: texts with a NUL after each but the last. Reading beyond
// the last yields empty texts. Package encoding/json would add a tenth to the size of the program.
type params []string

func parseParams(b []byte) params { return strings.Split(string(b), "\x00") }

func (p *params) text() string {
	if len(*p) == 0 {
		return ""
	}
	s := (*p)[0]
	*p = (*p)[1:]
	return s
}

// number returns a number, 0 for a text that is none.
func (p *params) number() int32 {
	n, _ := strconv.ParseInt(p.text(), 10, 32)
	return int32(n)
}

func (p *params) id() game.PlayerID { return game.PlayerID(p.number()) }

// skin reads name, use of the colour and colour of each part.
func (p *params) skin() (s game.Skin) {
	for i := range s.PartNames {
		s.PartNames[i], s.UseCustomColors[i], s.PartColors[i] = p.text(), p.number() != 0, p.number()
	}
	return s
}

// profile reads name, clan, country and skin.
func (p *params) profile() (f game.Profile) {
	f.Name, f.Clan, f.Country = p.text(), p.text(), p.number()
	f.Skin = p.skin()
	return f
}

// config reads the player for Connect: the profile, the password, the version, the DDNet version,
// and an identity of 32 hexadecimal digits, with which a DDNet server recognizes the player.
func (p *params) config() client.Config {
	f := p.profile()
	c := client.Config{
		Name: f.Name, Clan: f.Clan, Country: f.Country, Skin: f.Skin,
		Password: p.text(), Version: client.Version(p.text()), DDNetVersion: p.number(),
	}
	if id, err := hex.DecodeString(p.text()); err == nil && len(id) == len(c.ConnectionID) {
		copy(c.ConnectionID[:], id)
	}
	return c
}

// actions are the actions by name. The comments are their parameters.
var actions = map[string]func(c *client.Client, p params) error{
	"say":      func(c *client.Client, p params) error { return c.Say(p.text()) },                      // text
	"say_team": func(c *client.Client, p params) error { return c.SayTeam(p.text()) },                  // text
	"whisper":  func(c *client.Client, p params) error { return c.Whisper(p.id(), p.text()) },          // id, text
	"command":  func(c *client.Client, p params) error { return c.ChatCommand(p.text(), p.text()) },    // name without the slash, parameters
	"team":     func(c *client.Client, p params) error { return c.SetTeam(game.Team(p.number())) },     // -1 spectators, 0 red or the game, 1 blue
	"spectate": func(c *client.Client, p params) error { return c.Spectate(p.spectateMode(), p.id()) }, // 0 free, 1 player, 2 and 3 flags; id
	"emote":    func(c *client.Client, p params) error { return c.Emote(int(p.number())) },             // 0 to 15
	"kill":     func(c *client.Client, _ params) error { return c.Kill() },
	"ready":    func(c *client.Client, _ params) error { return c.ToggleReady() },
	"vote":     func(c *client.Client, p params) error { return c.Vote(p.number() > 0) }, // 1 yes, -1 no

	"vote_option":   func(c *client.Client, p params) error { return c.VoteOption(p.text(), p.text()) }, // option, reason
	"vote_kick":     func(c *client.Client, p params) error { return c.VoteKick(p.id(), p.text()) },     // id, reason
	"vote_spectate": func(c *client.Client, p params) error { return c.VoteSpectate(p.id(), p.text()) }, // id, reason

	"skin":        func(c *client.Client, p params) error { return c.SetSkin(p.skin()) },       // skin
	"profile":     func(c *client.Client, p params) error { return c.SetProfile(p.profile()) }, // profile
	"show_others": func(c *client.Client, p params) error { return c.ShowOthers(game.ShowOthers(p.number())) },
	"camera": func(c *client.Client, p params) error { // width and height in units (1/32 tile)
		return c.SetCamera(bridge.Camera{View: &[2]int32{p.number(), p.number()}})
	},
	"ping":         func(c *client.Client, _ params) error { return c.Ping() },
	"rcon_login":   func(c *client.Client, p params) error { return c.RconLoginAs(p.text(), p.text()) }, // name or nothing, password
	"rcon":         func(c *client.Client, p params) error { return c.Rcon(p.text()) },                  // line
	"download_map": func(c *client.Client, _ params) error { c.DownloadMap(); return nil },
	"leave":        func(c *client.Client, p params) error { c.Leave(p.text()); return nil }, // reason
}

func (p *params) spectateMode() game.SpectateMode {
	return game.SpectateMode(min(max(p.number(), 0), int32(game.SpectateFlagBlue)))
}

// Do runs an action: its name and its parameters, with a NUL between them. The event failed reports
// an error.
func (e *Engine) Do(ms float64, action []byte) {
	e.begin(ms)
	defer e.end()
	p := parseParams(action)
	name := p.text()
	run, err := actions[name], client.ErrClosed
	switch {
	case run == nil:
		err = fmt.Errorf("%w: there is none with the name %q", ErrAction, name)
	case e.client != nil:
		err = run(e.client, p)
	}
	if err != nil {
		e.add(e.Shared.Events[:], UsedEvents, *newObject("failed").text("do", name).text("text", err.Error()).close())
	}
}
