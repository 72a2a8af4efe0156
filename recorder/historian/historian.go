// Package historian shows teehistorians, DDNet-Server's recordings of inputs and positions.
//
// [Export] makes a demo of one, and [Players] lists its players:
//
//	in, err := os.Open("a.teehistorian")
//	...
//	gameMap, err := os.ReadFile("maps/Kobra.map") // the one that the header names
//	...
//	err = historian.Export(out, in, gameMap)
package historian

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/recorder"
)

// maxTicks limits a demo, counted from the first player's arrival.
const maxTicks = 4 * 60 * 60 * game.TickRate

// match makes a demo from a recording by running its match in the simulation. The demo ends where
// the simulation and the recording differ.
type match struct {
	demo     *recorder.DemoWriter
	world    *game.World
	sim      *ddrace.World
	events   []ddrace.Event
	cmds     []game.Command // for the next tick
	ddnet    bridge.Protocol
	seven    bridge.Protocol
	clients  [ddrace.MaxTees]client
	seenFrom int32 // tick in which the first player came; 0 before
}

func newMatch() *match {
	return &match{ddnet: recorder.DDNet.NewProtocol(), seven: recorder.Teeworlds.NewProtocol()}
}

// errEnough ends a demo that has reached its maximum length.
var errEnough = errors.New("the demo is long enough")

// Export runs the match of a recording again and writes a Teeworlds 0.7 demo of it, of at most four
// hours. gameMap is the file of its map.
//
// If the recording is damaged or cut off, or the simulation differs from it, the demo ends there
// with a chat line of the server that says why. If the demo would be empty, Export returns that
// reason as an error.
func Export(w io.Writer, file io.Reader, gameMap []byte) error {
	var begin bytes.Buffer
	r, err := teehistorian.NewReader(io.TeeReader(file, &begin))
	if err != nil {
		return err
	}
	parsed, err := twmap.Config{GameOnly: true}.Parse(gameMap)
	if err != nil {
		return err
	}
	terrain, err := parsed.Terrain()
	if err != nil {
		return err
	}
	m, err := recorder.Teeworlds.Map(r.Header().MapName, gameMap)
	if err != nil {
		return err
	}
	d := newMatch()
	d.demo = recorder.NewDemoWriter(w, recorder.DemoConfig{Map: m, Start: Start(r.Header())})
	rules := game.DefaultRules()
	rules.PlayerSlots = game.MaxPlayers
	if d.world, err = game.New(game.Config{Mode: mode{d}, Terrain: terrain, Rules: rules}); err != nil {
		return err
	}
	res, err := teeverify.Verify(teeverify.Config{File: io.MultiReader(&begin, file), Terrain: terrain, OnTick: d.tick, OnAction: d.act})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if err := d.sayEnd(res); err != nil {
		return err
	}
	return d.demo.Close()
}

// sayEnd ends the demo with the reason if it does not show the whole recording. It returns the
// reason if the demo shows nothing.
func (d *match) sayEnd(res *teeverify.Result) error {
	_, _, begun := d.demo.Span()
	switch {
	case !begun && res.Difference != nil:
		return fmt.Errorf("the simulation differs from the recording: %v", res.Difference)
	case !begun && res.End != nil:
		return res.End
	case !begun:
		return errors.New("the recording has no players")
	case res.Difference != nil:
		return d.say(fmt.Sprintf("From here on the simulation differs from the recording: %v", res.Difference))
	case res.End != nil:
		return d.say(fmt.Sprintf("Not all of the match is here: %v", res.End))
	}
	return nil
}

// Start returns the start time of a recording, or the zero time if it has none.
func Start(h *teehistorian.Header) time.Time {
	t, _ := time.Parse("2006-01-02T15:04:05-0700", h.StartTime)
	return t
}

// Players returns the names of the players in a recording, in order of joining, and the last tick
// that is readable. It returns only errors of the header.
func Players(file io.Reader) (names []string, last int32, err error) {
	r, err := teehistorian.NewReader(file)
	if err != nil {
		return nil, 0, err
	}
	d := newMatch()
	for rec := new(teehistorian.Record); r.Next(rec) == nil; {
		last = rec.Tick
		d.act(rec)
		for i := range d.cmds {
			if p := d.cmds[i].Profile; p != nil {
				names = append(names, p.Name)
			}
		}
		d.cmds = d.cmds[:0]
	}
	return names, last, nil
}

// tick shows a tick of the recording.
func (d *match) tick(w *ddrace.World, events []ddrace.Event) error {
	d.sim, d.events = w, events
	return d.step()
}

func (d *match) step() error {
	all := d.world.Step(d.cmds)
	d.cmds, d.events = d.cmds[:0], nil
	if d.seenFrom == 0 {
		if len(d.world.Frame().Players) == 0 {
			return nil
		}
		d.seenFrom = d.world.Tick()
	}
	if d.world.Tick()-d.seenFrom >= maxTicks {
		return errEnough
	}
	return d.demo.Tick(d.world, all)
}

// say ends the demo with a chat line from the server.
func (d *match) say(text string) error {
	d.cmds = append(d.cmds, game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: safetext.Line(text)})
	for range 2 * game.TickRate {
		if err := d.step(); err != nil {
			return err
		}
	}
	return nil
}

// mode shows the simulation of the recording.
type mode struct{ *match }

var _ game.DDRacePlayedRule = mode{}

// Name implements game.Mode.
func (mode) Name() string { return "DDraceNetwork" }

// Flags implements game.Mode.
func (mode) Flags() game.GameFlags { return game.GameFlagRace | game.GameFlagDDRace }

// MinPlayers implements game.PlayersRule.
func (mode) MinPlayers() int32 { return 1 }

// PureTuning implements game.PurityRule.
func (mode) PureTuning() bool { return false }

// CheckWin implements game.WinRule.
func (mode) CheckWin(*game.Ctx) game.MatchResult { return game.MatchContinues }

// Start implements game.Mode.
func (mode) Start(setup *game.Setup) {
	setup.SetRace(game.RaceState{Flags: game.RaceFlagHideKills | game.RaceFlagKeepWantedWeapon})
}

// OnEnter implements game.EnterHook.
func (mode) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	ctx.Player(id).SetScore(game.NoRaceTime)
}

// DDRaceSettings implements game.DDRaceRule.
func (mode) DDRaceSettings() ddrace.Settings { return ddrace.DefaultSettings() }

// DDRaceTeams implements game.DDRaceRule.
func (mode) DDRaceTeams(*game.Tx) ddrace.Teams { return nil }

// DDRaceEvent implements game.DDRaceRule.
func (mode) DDRaceEvent(tx *game.Tx, e *ddrace.Event) {
	if e.Kind != ddrace.EventFinish {
		return
	}
	id, time := game.PlayerID(e.Tee), e.Value*(1000/game.TickRate)
	if best := tx.Player(id).Score(); best == game.NoRaceTime || time < best {
		tx.Player(id).SetScore(time)
	}
	tx.Player(id).SendRaceFinish(game.RaceFinish{Time: time})
}

// PlayedDDRace implements game.DDRacePlayedRule.
func (m mode) PlayedDDRace() (*ddrace.World, []ddrace.Event) { return m.sim, m.events }
