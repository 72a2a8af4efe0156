package bridge7

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// ClientSide is the client's end of the bridge: a [Lift] that also reads and writes the
// messages. It implements [bridge.ClientSide].
type ClientSide struct {
	Lift
	line bridge.Sender
	news bridge.ServerMessageHandler
	dec  msg7.Decoder
	buf  []byte
	ev   game.Event // for OnEvent
}

var _ bridge.ClientSide = (*ClientSide)(nil)

// NewClientSide makes a Guest that writes to line and tells news what it hears.
func NewClientSide(line bridge.Sender, news bridge.ServerMessageHandler) *ClientSide {
	g := &ClientSide{line: line, news: news}
	g.Reset()
	return g
}

func (g *ClientSide) send(m msg7.Message) {
	g.buf = m.Append(g.buf[:0])
	g.line.Queue(g.buf, true)
}

func (g *ClientSide) loose(m msg7.Message) {
	g.buf = m.Append(g.buf[:0])
	g.line.Queue(g.buf, false)
}

// SendLogin is the client's first word. (INFO)
func (g *ClientSide) SendLogin(password string) {
	g.send(&msg7.Info{NetVersion: []byte(msg7.NetVersion), Password: []byte(password), ClientVersion: msg7.ClientVersion})
}

// SendRequestMapData asks for the next chunks of the map; 0.7 does not say which.
// (REQUEST_MAP_DATA)
func (g *ClientSide) SendRequestMapData(int) { g.send(&msg7.RequestMapData{}) }

// SendReady tells that the map is there. (READY)
func (g *ClientSide) SendReady() { g.send(&msg7.Ready{}) }

// SendProfile tells who wants to play. (Cl_StartInfo)
func (g *ClientSide) SendProfile(p *game.Profile) {
	g.SendCommand(&game.Command{Kind: game.CmdProfile, Profile: p})
}

// SendEnterGame asks to be let in. (ENTERGAME)
func (g *ClientSide) SendEnterGame() { g.send(&msg7.EnterGame{}) }

// SendInput sends what the player does in a tick, and acknowledges a snapshot. (INPUT)
func (g *ClientSide) SendInput(ack, tick int32, in *game.Input, ago int32) {
	m := msg7.Input{AckTick: ack, IntendedTick: tick, PingCorrection: ago}
	p := PlayerInput(in)
	m.SetPlayer(&p)
	g.buf = m.Append(g.buf[:0]) // not by loose, which would let m escape
	g.line.Queue(g.buf, false)
}

// SendCommand asks for a command; see [Request].
func (g *ClientSide) SendCommand(c *game.Command) bool {
	m, ok := Request(c)
	if ok {
		g.send(m)
	}
	return ok
}

// SendChatCommand runs a command that the server offers in the chat. (Cl_Command)
func (g *ClientSide) SendChatCommand(name, args string) {
	g.send(&msg7.ClCommand{Name: []byte(name), Arguments: []byte(args)})
}

// voteTypes are what Cl_CallVote calls the kinds of votes.
var voteTypes = map[bridge.VoteKind]string{bridge.VoteOption: "option", bridge.VoteKick: "kick", bridge.VoteSpectate: "spectate"}

// SendCallVote calls a vote. (Cl_CallVote)
func (g *ClientSide) SendCallVote(kind bridge.VoteKind, value, reason string) {
	g.send(&msg7.ClCallVote{Type: []byte(voteTypes[kind]), Value: []byte(value), Reason: []byte(reason)})
}

// SendVote answers the vote that runs, with 1, 0 or -1. (Cl_Vote)
func (g *ClientSide) SendVote(vote int32) { g.send(&msg7.ClVote{Vote: msg7.VoteChoice(vote)}) }

// SendRconAuth logs into the remote console, which in 0.7 knows no names. (RCON_AUTH)
func (g *ClientSide) SendRconAuth(_, password string) {
	g.send(&msg7.RconAuth{Password: []byte(password)})
}

// SendRconCmd runs a line in the remote console. (RCON_CMD)
func (g *ClientSide) SendRconCmd(line string) { g.send(&msg7.RconCmd{Command: []byte(line)}) }

// SendPing asks for a sign of life. (PING)
func (g *ClientSide) SendPing() { g.loose(&msg7.Ping{}) }

// ItemSizes are those of the snapshot objects that both ends know.
func (g *ClientSide) ItemSizes() *snapshot.ItemSizes { return &objectSizes }

// Receive reads a message.
func (g *ClientSide) Receive(payload []byte, vital bool) error {
	m, err := g.dec.Decode(payload)
	if err != nil {
		if errors.As(err, new(*msg7.IDError)) {
			err = fmt.Errorf("%w: %w", bridge.ErrUnknownMessage, err)
		}
		return err
	}
	switch m := m.(type) {
	case *msg7.SnapSingle:
		g.news.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: 1}, 0, m.Data)
	case *msg7.Snap:
		g.news.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, CRC: m.CRC, Parts: m.Parts}, m.Part, m.Data)
	case *msg7.SnapEmpty:
		g.news.OnSnapshotPart(snapshot.PartHeader{Tick: m.Tick, BaseTick: m.Tick - m.DeltaTick, Parts: 1}, 0, nil)
	case *msg7.InputTiming:
		g.news.OnInputTiming(m.IntendedTick, m.TimeLeft)
	case *msg7.Ping:
		g.loose(&msg7.PingReply{})
	case *msg7.PingReply:
		g.news.OnPingReply()
	default:
		if vital {
			g.take(m)
		}
	}
	return nil
}

// take takes a message that counts only when it is vital.
func (g *ClientSide) take(m msg7.Message) {
	var ok bool
	if g.ev, ok = g.Message(m); ok {
		g.news.OnEvent(&g.ev)
		g.ev = game.Event{}
		return
	}
	switch m := m.(type) {
	case *msg7.MapChange:
		offer := &bridge.MapChange{
			Name: bridge.Text(m.Name), CRC: uint32(m.CRC), Size: int(m.Size), SHA256: m.SHA256.Sum, HasSHA256: m.SHA256.Present,
			ChunksPerRequest: int(m.ChunksPerRequest), ChunkSize: int(m.ChunkSize),
		}
		offer.Refusal = refusal(offer)
		g.news.OnMapChange(offer)
	case *msg7.MapData:
		g.news.OnMapData(-1, m.Data)
	case *msg7.ConReady:
		g.news.OnConReady()
	case *msg7.SvReadyToEnter:
		g.news.OnReadyToEnter()
	case *msg7.ServerInfo:
		g.news.OnServerInfo(serverInfo(&m.Record))
	case *msg7.SvMotd:
		g.news.OnMotd(bridge.Lines(m.Message))
	case *msg7.SvRaceFinish:
		g.news.OnRaceFinish(game.PlayerID(m.ClientID), m.Time, m.Diff, m.RecordServer)
	case *msg7.SvCheckpoint:
		g.news.OnCheckpoint(m.Diff)
	case *msg7.SvVoteSet:
		g.news.OnVote(vote(m))
	case *msg7.SvVoteStatus:
		g.news.OnVoteStatus(m.Yes, m.No, m.Pass, m.Total)
	case *msg7.RconAuthOn:
		g.news.OnRconAuthStatus(true)
	case *msg7.RconAuthOff:
		g.news.OnRconAuthStatus(false)
	case *msg7.RconLine:
		g.news.OnRconLine(bridge.Text(m.Line))
	default:
		g.list(m)
	}
}

// list takes a message about what the server offers to choose from.
func (g *ClientSide) list(m msg7.Message) {
	switch m := m.(type) {
	case *msg7.RconCmdAdd:
		g.news.OnRconCommand(&bridge.CommandInfo{Name: bridge.Text(m.Name), Params: bridge.Text(m.Params), Help: bridge.Text(m.Help)})
	case *msg7.RconCmdRem:
		g.news.OnRconCommandRemoved(bridge.Text(m.Name))
	case *msg7.MaplistEntryAdd:
		g.news.OnMapListEntry(bridge.Text(m.Name), false)
	case *msg7.MaplistEntryRem:
		g.news.OnMapListEntry(bridge.Text(m.Name), true)
	case *msg7.SvCommandInfo:
		g.news.OnChatCommand(&bridge.CommandInfo{Name: bridge.Text(m.Name), Params: bridge.Text(m.ArgsFormat), Help: bridge.Text(m.HelpText)}, false)
	case *msg7.SvCommandInfoRemove:
		g.news.OnChatCommand(&bridge.CommandInfo{Name: bridge.Text(m.Name)}, true)
	case *msg7.SvVoteClearOptions:
		g.news.OnVoteOptions(nil, true)
	case *msg7.SvVoteOptionAdd:
		g.news.OnVoteOptions([]string{bridge.Text(m.Description)}, false)
	case *msg7.SvVoteOptionListAdd:
		add := make([]string, len(m.Descriptions))
		for i, d := range m.Descriptions {
			add[i] = bridge.Text(d)
		}
		g.news.OnVoteOptions(add, false)
	case *msg7.SvVoteOptionRemove:
		g.news.OnVoteOptionRemoved(bridge.Text(m.Description))
	}
}

func serverInfo(r *msg7.InfoRecord) *bridge.ServerInfo {
	return &bridge.ServerInfo{
		Version: bridge.Text(r.Version), Name: bridge.Text(r.Name), Hostname: bridge.Text(r.Hostname), Map: bridge.Text(r.Map), GameType: bridge.Text(r.GameType),
		NeedsPassword: r.Flags&msg7.ServerInfoPassword != 0, TimeScore: r.Flags&msg7.ServerInfoTimeScore != 0, SkillLevel: r.SkillLevel,
		Players: r.Players, PlayerSlots: r.PlayerSlots, Clients: r.Clients, MaxClients: r.MaxClients,
	}
}

// vote is what runs or has ended. Who is to go is told as "id: name".
func vote(m *msg7.SvVoteSet) *bridge.Vote {
	v := &bridge.Vote{
		Caller: game.PlayerID(m.ClientID), Timeout: m.Timeout, Description: bridge.Text(m.Description), Reason: bridge.Text(m.Reason), Target: game.Nobody,
	}
	switch m.Type {
	case msg7.VoteEndPass:
		v.Kind = bridge.VotePassed
	case msg7.VoteEndFail:
		v.Kind = bridge.VoteFailed
	case msg7.VoteEndAbort:
		v.Kind = bridge.VoteAborted
	case msg7.VoteStartKick:
		v.Kind = bridge.VoteKick
	case msg7.VoteStartSpec:
		v.Kind = bridge.VoteSpectate
	default:
		v.Kind = bridge.VoteOption
	}
	if v.Kind == bridge.VoteKick || v.Kind == bridge.VoteSpectate {
		if id, name, ok := strings.Cut(v.Description, ": "); ok {
			if n, err := strconv.Atoi(strings.TrimSpace(id)); err == nil && n >= 0 && n < game.MaxPlayers {
				v.Target, v.Description = game.PlayerID(n), name
			}
		}
	}
	if m.Timeout == 0 && v.Kind < bridge.VoteAborted {
		v.Kind = bridge.VoteNone // an end without a word, as to newcomers
	}
	return v
}
