// Package testclient is a Teeworlds client for tests of servers. It speaks 0.6 and 0.7, has no
// clock and no socket, and acts only when the test calls it. A test can skip steps of the login,
// send raw chunks and datagrams, change sequence numbers and stop acknowledging. The client decodes
// and records the server's messages.
//
// It frames packets itself instead of using package conn, whose rules would forbid most of that. It
// neither resends nor asks for resends. For a well-behaved client on a network that loses datagrams
// use package client.
package testclient

import (
	"bytes"
	"fmt"

	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/transport"
)

// Config is the configuration of a [Client]. Send is required.
type Config struct {
	Version conn.Version
	// Handshake is how a 0.6 client connects.
	Handshake conn.Handshake
	// DDNet makes a 0.6 client announce itself as DDNet 16.4.
	DDNet bool
	// Release is another DDNet release to announce, such as 17020 for 17.2.
	Release int32
	// Peer is the client's address. The client itself does not use it.
	Peer transport.Peer
	// Send sends a datagram to the server. The slice is valid only during the call, and Send may
	// change it.
	Send func(datagram []byte)
	// Fail, if not nil, is called when the client cannot decode a message of the server.
	Fail func(error)
	// OnMessage is called for every message. The message is valid only during the call.
	OnMessage func(Message)
}

// Kinds of clients. Those of 0.6 differ in the place of their token: at the end of each packet, in
// its header, or nowhere.
var (
	V07       = Config{}
	V06DDNet  = Config{Version: conn.V6, DDNet: true}
	V06       = Config{Version: conn.V6}
	V06Header = Config{Version: conn.V6, Handshake: conn.HandshakeHeaderToken}
	V06Plain  = Config{Version: conn.V6, Handshake: conn.HandshakePlain}
)

// Message is a message of either version, such as *msg6.Info or *msg7.Info.
type Message interface {
	Append(dst []byte) []byte
}

// Client is one client. Tests may read and change its fields.
type Client struct {
	Config

	// Token is the token that the server assigned. It is packet.NoToken before that, and for 0.6
	// clients without tokens.
	Token packet.Token
	// OwnToken is the token that the client assigns to the server.
	OwnToken packet.Token
	// Seq is the number of the last vital chunk sent. Ack is the number of the last one received in
	// order. ServerAck is the last number that the server has acknowledged.
	Seq, Ack, ServerAck int
	// Deaf stops acknowledging. Messages are still recorded.
	Deaf bool

	Accepted bool   // the server accepted the connection
	Closed   bool   // the server sent CLOSE
	Reason   string // the text of CLOSE
	Resends  int    // number of resend requests from the server

	// Challenge is the tick by which a 0.6 client without tokens proves its address, or -1 if the
	// server did not ask for that.
	Challenge int32

	// SnapTick is the tick of the newest snapshot, or -1 before the first one. Snapshots counts the
	// snapshots. Their content is not decoded.
	SnapTick  int32
	Snapshots int
	// Received counts messages by their ID, a msg6.ID or msg7.ID.
	Received map[any]int
	// PlayerChanges lists the other players that the server announced to a 0.7 client: "+ID NAME"
	// for a new player, "-ID REASON" for one that left.
	PlayerChanges []string
	Chat          []string
	RconLines     []string

	place    packet.TokenPlace // place of the token in a 0.6 packet
	scratch  packet.Scratch
	decoder6 *msg6.Decoder // nil before the first message, because floods have many clients
	decoder7 *msg7.Decoder
	input6   msg6.Input
	input7   msg7.Input
	payload  []byte
	message  []byte
	datagram []byte
}

// New returns a client that has sent nothing yet.
func New(cfg Config) *Client {
	c := &Client{Config: cfg}
	c.Reset()
	return c
}

// Reset forgets the connection and everything received, like a crash.
func (c *Client) Reset() {
	*c = Client{Config: c.Config, Token: packet.NoToken, OwnToken: 0x01020304, Challenge: -1, SnapTick: -1, Received: map[any]int{}}
}

// Dial sends the first datagram of the handshake: a token request, or CONNECT in 0.6.
func (c *Client) Dial() *Client {
	if c.Version == conn.V7 {
		return c.sendOwned(packet.AppendTokenRequest(c.datagram[:0], c.OwnToken))
	}
	place := packet.TokenAbsent
	switch c.Handshake {
	case conn.HandshakeTKEN:
		place = packet.TokenInTrailer
	case conn.HandshakeHeaderToken:
		place = packet.TokenInHeader
	}
	return c.sendOwned(packet.AppendConnect6(c.datagram[:0], place, c.OwnToken))
}

// Connect completes the handshake that Dial began. In 0.7 it sends CONNECT. In 0.6 it sends ACCEPT
// if the handshake has it, and proves the address if the server asked for that.
func (c *Client) Connect() *Client {
	switch {
	case c.Version == conn.V7:
		c.sendOwned(packet.AppendConnect(c.datagram[:0], c.Token, c.OwnToken))
	case c.Accepted && c.place != packet.TokenInHeader:
		c.Control(packet.ControlClientAccept)
		if c.Challenge >= 0 {
			c.input6 = msg6.Input{AckTick: c.Challenge, IntendedTick: c.Challenge}
			c.SendUnreliable(&c.input6)
		}
	}
	return c
}

// The methods below are the steps from the connection into the game. Each sends one message.

// connectionID stands for the random id that a DDNet client chooses.
var connectionID = msg6.UUID{0xb2, 0xc5, 0x62, 0x0a, 0x59, 0xe9, 0x4b, 0xe3, 0x9d, 0xe7, 0x06, 0x77, 0x7d, 0x2d, 0x30, 0xc2}

// Info sends INFO. For a DDNet client it sends CLIENTVER before it.
func (c *Client) Info() *Client { return c.InfoWithPassword("") }

// InfoWithPassword is Info for a server with a password.
func (c *Client) InfoWithPassword(password string) *Client {
	if c.Version == conn.V7 {
		return c.Send(&msg7.Info{NetVersion: []byte(msg7.NetVersion), Password: []byte(password), ClientVersion: msg7.ClientVersion})
	}
	if c.DDNet {
		// The id is random, so this datagram is not compressed, like the original's.
		v := msg6.ClientVer{ConnectionID: connectionID, Version: 16040, Text: []byte("DDNet 16.4")}
		if c.Release != 0 {
			v.Version, v.Text = c.Release, fmt.Appendf(nil, "DDNet %d.%d", c.Release/1000, c.Release/10%100)
		}
		c.Send(&v)
	}
	return c.Send(&msg6.Info{NetVersion: []byte(msg6.NetVersion), Password: []byte(password)})
}

// RequestMap requests a chunk of the map. Only 0.6 numbers the chunks.
func (c *Client) RequestMap(chunk int) *Client {
	return c.Send(c.Pick(&msg6.RequestMapData{Chunk: int32(chunk)}, &msg7.RequestMapData{}))
}

// Ready sends that the map is loaded.
func (c *Client) Ready() *Client { return c.Send(c.Pick(&msg6.Ready{}, &msg7.Ready{})) }

// StartInfo sends the player's name.
func (c *Client) StartInfo(name string) *Client {
	return c.Send(c.Pick(
		&msg6.ClStartInfo{Profile: msg6.PlayerProfile{Name: []byte(name), Clan: []byte("clan"), Skin: []byte("default")}},
		&msg7.ClStartInfo{Name: []byte(name), Clan: []byte("clan")}))
}

// EnterGame asks to enter the game.
func (c *Client) EnterGame() *Client { return c.Send(c.Pick(&msg6.EnterGame{}, &msg7.EnterGame{})) }

// Join sends all steps after Connect. If the server challenged a 0.6 client, its INFO is already
// sent.
func (c *Client) Join(name string) *Client {
	if c.Challenge < 0 {
		c.Info()
	}
	return c.Ready().StartInfo(name).EnterGame()
}

// The methods below are the actions of players.

// Say sends a public chat line.
func (c *Client) Say(text string) *Client {
	return c.Send(c.Pick(&msg6.ClSay{Message: []byte(text)}, &msg7.ClSay{Mode: msg7.ChatAll, Target: -1, Message: []byte(text)}))
}

// Login sends an rcon password.
func (c *Client) Login(password string) *Client {
	return c.Send(c.Pick(&msg6.RconAuth{Password: []byte(password)}, &msg7.RconAuth{Password: []byte(password)}))
}

// Rcon sends a line for the remote console.
func (c *Client) Rcon(line string) *Client {
	return c.Send(c.Pick(&msg6.RconCmd{Command: []byte(line)}, &msg7.RconCmd{Command: []byte(line)}))
}

// Input sends an input for a tick. The message also acknowledges the newest snapshot.
func (c *Client) Input(tick int32, in msg7.PlayerInput) *Client {
	if c.Version == conn.V7 {
		c.input7.AckTick, c.input7.IntendedTick = c.SnapTick, tick
		c.input7.SetPlayer(&in)
		return c.SendUnreliable(&c.input7)
	}
	c.input6.AckTick, c.input6.IntendedTick = c.SnapTick, tick
	c.input6.SetPlayer(&msg6.PlayerInput{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: number(in.Jump), Fire: in.Fire, Hook: number(in.Hook),
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	})
	return c.SendUnreliable(&c.input6)
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// Pick returns the message of the client's version.
func (c *Client) Pick(m6, m7 Message) Message {
	if c.Version == conn.V6 {
		return m6
	}
	return m7
}

// Send sends messages in vital chunks of one datagram.
func (c *Client) Send(ms ...Message) *Client { return c.sendOwned(c.Datagram(true, ms...)) }

// SendUnreliable sends messages in chunks of one datagram that are not vital.
func (c *Client) SendUnreliable(ms ...Message) *Client { return c.sendOwned(c.Datagram(false, ms...)) }

// SendRaw sends a copy of a datagram.
func (c *Client) SendRaw(datagram []byte) *Client {
	c.Config.Send(bytes.Clone(datagram))
	return c
}

func (c *Client) sendOwned(datagram []byte) *Client {
	c.datagram = datagram
	c.Config.Send(datagram)
	return c
}

// Datagram returns a datagram with messages in vital or other chunks. It is valid until the next
// call.
func (c *Client) Datagram(vital bool, ms ...Message) []byte {
	c.payload = c.payload[:0]
	for _, m := range ms {
		c.message = m.Append(c.message[:0])
		c.payload = c.AppendChunk(c.payload, vital, c.message)
	}
	c.datagram = c.AppendPacket(c.datagram[:0], 0, len(ms), c.payload)
	return c.datagram
}

// AppendChunk appends a chunk. A vital one takes the next sequence number.
func (c *Client) AppendChunk(dst []byte, vital bool, data []byte) []byte {
	flags, seq := packet.ChunkFlags(0), 0
	if vital {
		c.Seq = (c.Seq + 1) & packet.SeqMask
		flags, seq = packet.ChunkVital, c.Seq
	}
	if c.Version == conn.V6 {
		return packet.AppendChunk6(dst, flags, seq, data)
	}
	return packet.AppendChunk(dst, flags, seq, data)
}

// AppendPacket appends a packet of the connection with any payload.
func (c *Client) AppendPacket(dst []byte, flags packet.Flags, chunks int, payload []byte) []byte {
	if c.Version == conn.V6 {
		return packet.AppendPacket6(dst, flags, c.Ack, chunks, c.guard(), payload)
	}
	return packet.AppendPacket(dst, flags, c.Ack, chunks, c.Token, payload)
}

func (c *Client) guard() packet.PlacedToken {
	return packet.PlacedToken{Place: c.place, Token: c.Token}
}

// Control sends a control message without content.
func (c *Client) Control(id packet.ControlID) *Client {
	if c.Version == conn.V6 {
		return c.sendOwned(packet.AppendControl6(c.datagram[:0], c.Ack, c.guard(), id))
	}
	return c.sendOwned(packet.AppendControl(c.datagram[:0], c.Ack, c.Token, id))
}

// KeepAlive acknowledges received chunks and keeps the connection open.
func (c *Client) KeepAlive() *Client { return c.Control(packet.ControlKeepAlive) }

// Close leaves the server.
func (c *Client) Close(reason string) {
	if c.Version == conn.V6 {
		c.sendOwned(packet.AppendClose6(c.datagram[:0], c.Ack, c.guard(), reason))
		return
	}
	c.sendOwned(packet.AppendClose(c.datagram[:0], c.Ack, c.Token, reason))
}

// Receive handles a datagram from the server. It sends nothing, so the server may call it from
// inside its own methods.
func (c *Client) Receive(b []byte) {
	var chunks packet.ChunkReader
	var flags packet.Flags
	if c.Version == conn.V6 {
		var p packet.Packet6
		if err := p.Parse(b, &c.scratch); err != nil {
			c.fail(b, err)
			return
		}
		if flags = p.Flags; flags&packet.FlagConnless != 0 {
			return
		}
		if flags&packet.FlagControl != 0 {
			switch p.ControlID() {
			case packet.ControlAccept:
				if g := p.HandshakeToken(); !c.Accepted && g.Place != packet.TokenAbsent {
					c.place, c.Token = g.Place, g.Token
				}
				c.Accepted = true
			case packet.ControlClose:
				if c.place == packet.TokenInTrailer {
					p.CutTrailer()
				}
				c.Closed, c.Reason = true, string(p.AppendReason(nil))
			}
			return
		}
		c.ServerAck, chunks = p.Ack, p.Chunks()
	} else {
		var p packet.Packet
		if err := p.Parse(b, &c.scratch); err != nil {
			c.fail(b, err)
			return
		}
		if flags = p.Flags; flags&packet.FlagConnless != 0 {
			return
		}
		c.ServerAck = p.Ack
		if flags&packet.FlagControl != 0 {
			switch p.ControlID() {
			case packet.ControlToken:
				c.Token = p.ResponseToken
			case packet.ControlAccept:
				c.Accepted = true
			case packet.ControlClose:
				c.Closed, c.Reason = true, string(p.AppendReason(nil))
			}
			return
		}
		chunks = p.Chunks()
	}
	if flags&packet.FlagResend != 0 {
		c.Resends++
	}
	var chunk packet.Chunk
	for chunks.Next(&chunk) {
		if chunk.Flags&packet.ChunkVital != 0 && !c.Deaf {
			if chunk.Seq != (c.Ack+1)&packet.SeqMask {
				continue
			}
			c.Ack = chunk.Seq
		}
		c.record(chunk.Data)
	}
}

func (c *Client) fail(b []byte, err error) {
	if c.Fail != nil {
		c.Fail(fmt.Errorf("the server sent %x: %w", b, err))
	}
}

// record decodes a message and keeps the parts that tests ask for.
func (c *Client) record(data []byte) {
	var m Message
	if c.Version == conn.V6 {
		if c.decoder6 == nil {
			c.decoder6 = new(msg6.Decoder)
		}
		m6, err := c.decoder6.Decode(data)
		if err != nil {
			c.fail(data, err)
			return
		}
		m = m6
		c.Received[m6.ID()]++
	} else {
		if c.decoder7 == nil {
			c.decoder7 = new(msg7.Decoder)
		}
		m7, err := c.decoder7.Decode(data)
		if err != nil {
			c.fail(data, err)
			return
		}
		m = m7
		c.Received[m7.ID()]++
	}
	switch m := m.(type) {
	case *msg6.SnapEmpty:
		if c.Seq == 0 { // nothing was sent yet, so this is not a snapshot of a game
			c.Challenge = m.Tick
			return
		}
		c.snapshot(m.Tick)
	case *msg6.SnapSingle:
		c.snapshot(m.Tick)
	case *msg6.Snap:
		c.snapshot(m.Tick)
	case *msg7.SnapEmpty:
		c.snapshot(m.Tick)
	case *msg7.SnapSingle:
		c.snapshot(m.Tick)
	case *msg7.Snap:
		c.snapshot(m.Tick)
	case *msg6.SvChat:
		c.Chat = append(c.Chat, string(m.Message))
	case *msg7.SvChat:
		c.Chat = append(c.Chat, string(m.Message))
	case *msg7.SvClientInfo:
		if !m.Local {
			c.PlayerChanges = append(c.PlayerChanges, fmt.Sprintf("+%d %s", m.ClientID, m.Name))
		}
	case *msg7.SvClientDrop:
		c.PlayerChanges = append(c.PlayerChanges, fmt.Sprintf("-%d %s", m.ClientID, m.Reason))
	case *msg6.RconLine:
		c.RconLines = append(c.RconLines, string(m.Line))
	case *msg7.RconLine:
		c.RconLines = append(c.RconLines, string(m.Line))
	}
	if c.OnMessage != nil {
		c.OnMessage(m)
	}
}

func (c *Client) snapshot(tick int32) {
	if tick != c.SnapTick {
		c.Snapshots++
	}
	c.SnapTick = tick
}
