package historian

import (
	"fmt"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/format/teehistorian"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/internal/safetext"
)

// client is a player of the recording. It implements bridge.Session and receives the
// messages that the player's client sent.
type client struct {
	d       *match
	id      game.PlayerID
	isSeven bool
	isNamed bool
	side    bridge.ServerSide // nil for an empty slot
}

// Queue implements bridge.Session. The recording gets no answers.
func (c *client) Queue([]byte, bool) {}

// FlushSoon implements bridge.Session.
func (c *client) FlushSoon() {}

func (c *client) do(cmd game.Command) {
	cmd.Player, cmd.Target = c.id, game.Nobody
	c.d.cmds = append(c.d.cmds, cmd)
}

// OnProfile implements bridge.Session.
func (c *client) OnProfile(p *game.Profile) {
	shown := *p
	c.isNamed = true
	if shown.Name, shown.Clan = safetext.Line(p.Name), safetext.Line(p.Clan); shown.Name == "" {
		shown.Name = fmt.Sprintf("(%d)", c.id)
	}
	c.do(game.Command{Kind: game.CmdProfile, Profile: &shown})
}

// OnCommand implements bridge.Session.
func (c *client) OnCommand(cmd game.Command) {
	switch cmd.Kind {
	case game.CmdProfile:
		c.OnProfile(cmd.Profile)
	case game.CmdSkinChange, game.CmdEmoticon:
		c.do(cmd)
	}
}

// The other methods are for messages that recordings lack or that show nothing.

func (*client) OnLogin(bridge.Login)                            {}
func (*client) OnRequestMapData(int)                            {}
func (*client) OnReady()                                        {}
func (*client) OnEnterGame()                                    {}
func (*client) OnInput(*bridge.InputMessage)                    {}
func (*client) OnChatCommand(string, string)                    {}
func (*client) OnTimeoutCode(string)                            {}
func (*client) OnDDNetVersion(int32)                            {}
func (*client) OnRconAuth(string, string)                       {}
func (*client) OnRconCmd(string)                                {}
func (*client) OnCallVote(event.VoteKind, string, string, bool) {}
func (*client) OnVote(int32)                                    {}

// act applies a record between two ticks to everything visible except the tees.
func (d *match) act(rec *teehistorian.Record) {
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
		*c = client{d: d, id: game.PlayerID(id), isSeven: c.isSeven}
		protocol := d.ddnet
		if c.isSeven {
			protocol = d.seven
		}
		c.side = protocol.NewServerSide(c)
		c.do(game.Command{Kind: game.CmdJoin})
	case teehistorian.Drop:
		if c.side != nil {
			c.do(game.Command{Kind: game.CmdLeave, Text: safetext.Line(rec.Reason)})
		}
		*c = client{}
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
