package app

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/bridge6"
	"github.com/teeyard/teeyard/bridge/bridge7"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/safetext"
	"github.com/teeyard/teeyard/internal/teeverify"
	"github.com/teeyard/teeyard/recorder"
)

// maxHistorianTicks limits a demo of a teehistorian, counted from the first player's arrival.
const maxHistorianTicks = 4 * 60 * 60 * game.TickRate

// historianDemo makes a demo from a teehistorian by running its match in the simulation. The demo
// ends where the simulation and the recording differ.
type historianDemo struct {
	demo      *recorder.DemoWriter
	world     *game.World
	sim       *ddrace.World
	events    []ddrace.Event
	cmds      []game.Command // for the next tick
	protocols [2]bridge.Protocol
	clients   [ddrace.MaxTees]historianClient
	seenFrom  int32 // tick in which the first player came; 0 before
}

// errHistorianEnd ends a demo that has reached its maximum length.
var errHistorianEnd = errors.New("the demo is long enough")

// exportTeehistorian writes a Teeworlds 0.7 demo of a recording.
func exportTeehistorian(out io.Writer, file io.Reader) error {
	h, err := openHistory(file, "", "")
	if err != nil {
		return err
	}
	m, err := recorder.Teeworlds.Map(h.header.MapName, h.gameMap)
	if err != nil {
		return err
	}
	d := newHistorianDemo()
	d.demo = recorder.NewDemoWriter(out, recorder.DemoConfig{Map: m, Start: historianStart(h.header)})
	rules := game.DefaultRules()
	rules.PlayerSlots = game.MaxPlayers
	if d.world, err = game.New(game.Config{Mode: historianMode{d}, Terrain: h.terrain, Rules: rules}); err != nil {
		return err
	}
	res, err := teeverify.Verify(teeverify.Config{File: h.file, Terrain: h.terrain, OnTick: d.tick, OnAction: d.act})
	_, _, begun := d.demo.Span()
	switch {
	case err != nil && !errors.Is(err, errHistorianEnd):
		return err
	case !begun && res.Difference != nil:
		return fmt.Errorf("the simulation differs from the recording: %v", res.Difference)
	case !begun && res.End != nil:
		return res.End
	case !begun:
		return errors.New("the recording has no players")
	}
	text := ""
	switch {
	case res.Difference != nil:
		text = fmt.Sprintf("From here on the simulation differs from the recording: %v", res.Difference)
	case res.End != nil:
		text = fmt.Sprintf("Not all of the match is here: %v", res.End)
	}
	if text != "" {
		if err := d.say(safetext.Line(text)); err != nil {
			return err
		}
	}
	return d.demo.Close()
}

func newHistorianDemo() *historianDemo {
	return &historianDemo{protocols: [2]bridge.Protocol{bridge6.NewProtocol(), bridge7.NewProtocol()}}
}

// historianStart returns the start time of a recording, or the zero time if it has none.
func historianStart(h *teehistorian.Header) time.Time {
	t, _ := time.Parse("2006-01-02T15:04:05-0700", h.StartTime)
	return t
}

// historianPlayers returns the names of the players in a recording, in order of joining, and the
// last tick that is readable. It returns only errors of the header.
func historianPlayers(file io.Reader) (names []string, last int32, err error) {
	r, err := teehistorian.NewReader(file)
	if err != nil {
		return nil, 0, err
	}
	d := newHistorianDemo()
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
func (d *historianDemo) tick(w *ddrace.World, events []ddrace.Event) error {
	d.sim, d.events = w, events
	return d.step()
}

func (d *historianDemo) step() error {
	all := d.world.Step(d.cmds)
	d.cmds, d.events = d.cmds[:0], nil
	if d.seenFrom == 0 {
		if len(d.world.Frame().Players) == 0 {
			return nil
		}
		d.seenFrom = d.world.Tick()
	}
	if d.world.Tick()-d.seenFrom >= maxHistorianTicks {
		return errHistorianEnd
	}
	return d.demo.Tick(d.world, all)
}

// say ends the demo with a chat line from the server.
func (d *historianDemo) say(text string) error {
	d.cmds = append(d.cmds, game.Command{Kind: game.CmdSay, Player: game.Nobody, Target: game.Nobody, Chat: game.ChatAll, Text: text})
	for range 2 * game.TickRate {
		if err := d.step(); err != nil {
			return err
		}
	}
	return nil
}

// act applies a record between two ticks to everything visible except the tees.
func (d *historianDemo) act(rec *teehistorian.Record) {
	id := rec.Client
	if rec.Kind == teehistorian.Extra && len(rec.Data) > 0 {
		id = int32(rec.Data[0]) // messages that matter have small ids
	}
	if id < 0 || id >= ddrace.MaxTees {
		return
	}
	c := &d.clients[id]
	switch rec.Kind {
	case teehistorian.Join:
		*c = historianClient{d: d, id: game.PlayerID(id), isSeven: c.isSeven}
		protocol := d.protocols[0]
		if c.isSeven {
			protocol = d.protocols[1]
		}
		c.side = protocol.NewServerSide(c)
		c.do(game.Command{Kind: game.CmdJoin})
	case teehistorian.Drop:
		if c.side != nil {
			c.do(game.Command{Kind: game.CmdLeave, Text: safetext.Line(rec.Reason)})
		}
		*c = historianClient{}
	case teehistorian.Message:
		if c.side != nil {
			c.side.Receive(rec.Data, true) // unknown messages have nothing to show
		}
	case teehistorian.Extra:
		switch rec.ID {
		case teehistorian.ExtraJoin6, teehistorian.ExtraJoin7:
			c.isSeven = rec.ID == teehistorian.ExtraJoin7
		case teehistorian.ExtraReady:
			if c.side != nil {
				if !c.isNamed {
					c.OnProfile(new(game.Profile))
				}
				c.do(game.Command{Kind: game.CmdEnterGame})
			}
		}
	}
}

// historianClient is a player of the recording. It implements bridge.Session and receives the
// messages that the player's client sent.
type historianClient struct {
	d       *historianDemo
	id      game.PlayerID
	isSeven bool
	isNamed bool
	side    bridge.ServerSide // nil for an empty slot
}

// Queue implements bridge.Session. The recording gets no answers.
func (c *historianClient) Queue([]byte, bool) {}

// FlushSoon implements bridge.Session.
func (c *historianClient) FlushSoon() {}

func (c *historianClient) do(cmd game.Command) {
	cmd.Player, cmd.Target = c.id, game.Nobody
	c.d.cmds = append(c.d.cmds, cmd)
}

// OnProfile implements bridge.Session.
func (c *historianClient) OnProfile(p *game.Profile) {
	shown := *p
	c.isNamed = true
	if shown.Name, shown.Clan = safetext.Line(p.Name), safetext.Line(p.Clan); shown.Name == "" {
		shown.Name = fmt.Sprintf("(%d)", c.id)
	}
	c.do(game.Command{Kind: game.CmdProfile, Profile: &shown})
}

// OnCommand implements bridge.Session.
func (c *historianClient) OnCommand(cmd game.Command) {
	switch cmd.Kind {
	case game.CmdProfile:
		c.OnProfile(cmd.Profile)
	case game.CmdSkinChange, game.CmdEmoticon:
		c.do(cmd)
	}
}

// The other methods are for messages that recordings lack or that show nothing.

func (*historianClient) OnLogin(bridge.Login)                             {}
func (*historianClient) OnRequestMapData(int)                             {}
func (*historianClient) OnReady()                                         {}
func (*historianClient) OnEnterGame()                                     {}
func (*historianClient) OnInput(*bridge.InputMessage)                     {}
func (*historianClient) OnChatCommand(string, string)                     {}
func (*historianClient) OnTimeoutCode(string)                             {}
func (*historianClient) OnDDNetVersion(int32)                             {}
func (*historianClient) OnRconAuth(string, string)                        {}
func (*historianClient) OnRconCmd(string)                                 {}
func (*historianClient) OnCallVote(bridge.VoteKind, string, string, bool) {}
func (*historianClient) OnVote(int32)                                     {}

// historianMode shows the simulation of the recording.
type historianMode struct{ *historianDemo }

var _ game.DDRacePlayedRule = historianMode{}

// Name implements game.Mode.
func (historianMode) Name() string { return "DDraceNetwork" }

// Flags implements game.Mode.
func (historianMode) Flags() game.GameFlags { return game.GameFlagRace | game.GameFlagDDRace }

// MinPlayers implements game.PlayersRule.
func (historianMode) MinPlayers() int32 { return 1 }

// PureTuning implements game.PurityRule.
func (historianMode) PureTuning() bool { return false }

// CheckWin implements game.WinRule.
func (historianMode) CheckWin(*game.Ctx) game.MatchResult { return game.MatchContinues }

// Start implements game.Mode.
func (historianMode) Start(setup *game.Setup) {
	setup.SetRace(game.RaceState{Flags: game.RaceFlagHideKills | game.RaceFlagKeepWantedWeapon})
}

// OnEnter implements game.EnterHook.
func (historianMode) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	ctx.Player(id).SetScore(game.NoRaceTime)
}

// DDRaceSettings implements game.DDRaceRule.
func (historianMode) DDRaceSettings() ddrace.Settings { return ddrace.DefaultSettings() }

// DDRaceTeams implements game.DDRaceRule.
func (historianMode) DDRaceTeams(*game.Tx) ddrace.Teams { return nil }

// DDRaceEvent implements game.DDRaceRule.
func (historianMode) DDRaceEvent(tx *game.Tx, e *ddrace.Event) {
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
func (m historianMode) PlayedDDRace() (*ddrace.World, []ddrace.Event) { return m.sim, m.events }
