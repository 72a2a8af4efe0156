// Package bridgetest tests the versions of package bridge. It records the calls of their handlers,
// and runs whole matches through both of their sides.
package bridgetest

import (
	"bytes"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Call is a call of a handler's method. The method's name lacks its On. Structs and bytes that the
// method got by reference are copied.
type Call struct {
	Method string
	Args   []any
}

// NewCall makes a Call.
func NewCall(method string, args ...any) Call { return Call{method, args} }

// Calls records calls.
type Calls struct {
	List   []Call
	OnCall func(Call) // if not nil, called for each call
}

func (c *Calls) add(method string, args ...any) {
	call := Call{method, args}
	c.List = append(c.List, call)
	if c.OnCall != nil {
		c.OnCall(call)
	}
}

// Take returns the calls since the last Take.
func (c *Calls) Take() []Call {
	list := c.List
	c.List = nil
	return list
}

// Expect compares the calls since the last Take with want.
func (c *Calls) Expect(t testing.TB, what string, want ...Call) {
	t.Helper()
	if d := cmp.Diff(want, c.Take()); d != "" {
		t.Errorf("%s: calls (-want +got):\n%s", what, d)
	}
}

// ClientMessages records the messages of a client. It implements [bridge.ClientMessageHandler].
type ClientMessages struct{ clientMessages }

type clientMessages struct{ Calls }

var _ bridge.ClientMessageHandler = (*ClientMessages)(nil)

func (c *clientMessages) OnLogin(l bridge.Login)           { c.add("Login", l) }
func (c *clientMessages) OnRequestMapData(chunk int)       { c.add("RequestMapData", chunk) }
func (c *clientMessages) OnReady()                         { c.add("Ready") }
func (c *clientMessages) OnProfile(p *game.Profile)        { c.add("Profile", *p) }
func (c *clientMessages) OnEnterGame()                     { c.add("EnterGame") }
func (c *clientMessages) OnInput(in *bridge.InputMessage)  { c.add("Input", *in) }
func (c *clientMessages) OnCommand(cmd game.Command)       { c.add("Command", cmd) }
func (c *clientMessages) OnChatCommand(name, args string)  { c.add("ChatCommand", name, args) }
func (c *clientMessages) OnTimeoutCode(code string)        { c.add("TimeoutCode", code) }
func (c *clientMessages) OnDDNetVersion(version int32)     { c.add("DDNetVersion", version) }
func (c *clientMessages) OnRconAuth(name, password string) { c.add("RconAuth", name, password) }
func (c *clientMessages) OnRconCmd(line string)            { c.add("RconCmd", line) }
func (c *clientMessages) OnVote(choice int32)              { c.add("Vote", choice) }
func (c *clientMessages) OnCallVote(kind event.VoteKind, value, reason string, force bool) {
	c.add("CallVote", kind, value, reason, force)
}

// ServerMessages records the messages of a server. It implements [bridge.ServerMessageHandler].
type ServerMessages struct{ serverMessages }

type serverMessages struct{ Calls }

var _ bridge.ServerMessageHandler = (*ServerMessages)(nil)

func (s *serverMessages) OnMapChange(m *bridge.MapChange)      { s.add("MapChange", *m) }
func (s *serverMessages) OnMapData(chunk int, data []byte)     { s.add("MapData", chunk, string(data)) }
func (s *serverMessages) OnConReady()                          { s.add("ConReady") }
func (s *serverMessages) OnReadyToEnter()                      { s.add("ReadyToEnter") }
func (s *serverMessages) OnInputTiming(tick, timeLeft int32)   { s.add("InputTiming", tick, timeLeft) }
func (s *serverMessages) OnPingReply()                         { s.add("PingReply") }
func (s *serverMessages) OnEvent(ev *game.Event)               { s.add("Event", *ev) }
func (s *serverMessages) OnServerInfo(info *bridge.ServerInfo) { s.add("ServerInfo", *info) }
func (s *serverMessages) OnMotd(text string)                   { s.add("Motd", text) }
func (s *serverMessages) OnVote(v *bridge.Vote)                { s.add("Vote", *v) }
func (s *serverMessages) OnVoteStatus(yes, no, pass, all int32) {
	s.add("VoteStatus", yes, no, pass, all)
}
func (s *serverMessages) OnVoteOptionRemoved(text string)     { s.add("VoteOptionRemoved", text) }
func (s *serverMessages) OnRconAuthStatus(on, list bool)      { s.add("RconAuthStatus", on, list) }
func (s *serverMessages) OnRconLine(line string)              { s.add("RconLine", line) }
func (s *serverMessages) OnRconCommand(c *bridge.CommandInfo) { s.add("RconCommand", *c) }
func (s *serverMessages) OnRconCommandRemoved(name string)    { s.add("RconCommandRemoved", name) }
func (s *serverMessages) OnVoteOptions(add []string, clear bool) {
	s.add("VoteOptions", slices.Clone(add), clear)
}
func (s *serverMessages) OnMapListEntry(name string, removed bool) {
	s.add("MapListEntry", name, removed)
}
func (s *serverMessages) OnChatCommand(c *bridge.CommandInfo, removed bool) {
	s.add("ChatCommand", *c, removed)
}
func (s *serverMessages) OnOther(e event.Event) {
	if _, ok := e.(event.MapAnnounced); !ok { // the call MapChange stands for it
		s.add("Other", e)
	}
}
func (s *serverMessages) OnSnapshotPart(h snapshot.PartHeader, part int32, data []byte) {
	s.add("SnapshotPart", h, part, string(data))
}

// Receiver is a ServerSide or a ClientSide.
type Receiver interface {
	Receive(payload []byte, vital bool) error
}

// Pipe is a Sender that passes messages to the other side.
type Pipe struct {
	T       testing.TB
	To      Receiver
	Flushes int
}

// Queue implements [bridge.Sender].
func (p *Pipe) Queue(payload []byte, vital bool) {
	if p.To == nil {
		return
	}
	if err := p.To.Receive(bytes.Clone(payload), vital); err != nil {
		p.T.Errorf("%T does not accept %x: %v", p.To, payload, err)
	}
}

// FlushSoon implements [bridge.Sender].
func (p *Pipe) FlushSoon() { p.Flushes++ }

// Connection is a server's side and a client's side that send to each other.
type Connection struct {
	Server         bridge.ServerSide
	Client         bridge.ClientSide
	ClientMessages ClientMessages
	ServerMessages ServerMessages
}

// Connect makes a connection.
func Connect(t testing.TB, p bridge.Protocol, newClient func(bridge.Sender, bridge.ServerMessageHandler) bridge.ClientSide) *Connection {
	c := new(Connection)
	toClient, toServer := &Pipe{T: t}, &Pipe{T: t}
	c.Server = p.NewServerSide(struct {
		bridge.Sender
		bridge.ClientMessageHandler
	}{toClient, &c.ClientMessages})
	c.Client = newClient(toServer, &c.ServerMessages)
	toClient.To, toServer.To = c.Client, c.Server
	return c
}
