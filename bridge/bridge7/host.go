package bridge7

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Protocol is 0.7 as a server speaks it. It implements [bridge.Protocol]; it and
// its hosts are for one goroutine.
type Protocol struct {
	decoder  msg7.Decoder
	announce Announcer
	scene    Scene
	buf      []byte
}

// NewProtocol makes the 0.7 of one server.
func NewProtocol() *Protocol { return new(Protocol) }

// Name implements [bridge.Protocol].
func (v *Protocol) Name() string { return "0.7" }

// NetVersion implements [bridge.Protocol].
func (v *Protocol) NetVersion() string { return msg7.NetVersion }

// NeedsUncompressedTiles implements [bridge.Protocol].
func (v *Protocol) NeedsUncompressedTiles() bool { return false }

// RecordTick implements [bridge.Protocol].
func (v *Protocol) RecordTick(w *game.World, events []game.Event) { v.scene.Note(w.Frame(), events) }

// BeginSnapshots implements [bridge.Protocol].
func (v *Protocol) BeginSnapshots(w *game.World) { v.scene.Begin(w.Frame()) }

// EndSnapshots implements [bridge.Protocol].
func (v *Protocol) EndSnapshots() { v.scene.Done() }

// NewServerSide implements [bridge.Protocol].
func (v *Protocol) NewServerSide(s bridge.Session) bridge.ServerSide { return &serverSide{v: v, s: s} }

// serverSide is the server's end of the bridge for one client. What it needs while it
// works it shares with the others.
type serverSide struct {
	v     *Protocol
	s     bridge.Session
	input bridge.InputMessage
}

// mapChunk is how many bytes of the map one MAP_DATA carries: what fits a
// datagram beside the headers.
const mapChunk = 1384

// objectSizes are those of the snapshot objects both ends know.
var objectSizes = snapshot.ItemSizes(msg7.Sizes)

// Receive implements [bridge.ServerSide].
func (h *serverSide) Receive(payload []byte, vital bool) error {
	m, err := h.v.decoder.Decode(payload)
	if err != nil {
		return bridge.ErrBadMessage
	}
	switch m := m.(type) {
	case *msg7.Input:
		h.takeInput(m)
	case *msg7.Ping:
		h.v.buf = (&msg7.PingReply{}).Append(h.v.buf[:0])
		h.s.Queue(h.v.buf, false)
		h.s.FlushSoon()
	case *msg7.PingReply:
	default:
		if !vital {
			return bridge.ErrNotVital
		}
		return h.takeVital(m)
	}
	return nil
}

// takeVital takes the messages that count only in vital chunks.
func (h *serverSide) takeVital(m msg7.Message) error {
	switch m := m.(type) {
	case *msg7.Info:
		wants := string(m.NetVersion)
		h.s.OnLogin(bridge.Login{
			VersionOK: wants == msg7.NetVersion, NetVersion: wants,
			Password: string(m.Password), ClientVersion: m.ClientVersion,
		})
	case *msg7.RequestMapData:
		h.s.OnRequestMapData(-1)
	case *msg7.Ready:
		h.s.OnReady()
	case *msg7.EnterGame:
		h.s.OnEnterGame()
	case *msg7.RconAuth:
		h.s.OnRconAuth("", string(m.Password))
	case *msg7.RconCmd:
		h.s.OnRconCmd(string(m.Command))
	case *msg7.ClCallVote:
		kind, ok := voteKind(string(m.Type))
		if !ok {
			return bridge.ErrBadMessage
		}
		h.s.OnCallVote(kind, string(m.Value), string(m.Reason), m.Force)
	case *msg7.ClVote:
		h.s.OnVote(int32(m.Vote))
	case *msg7.ClCommand:
		h.s.OnChatCommand(string(m.Name), string(m.Arguments))
	default:
		c, ok := Up(m, game.Nobody)
		switch {
		case !ok:
			return bridge.ErrBadMessage
		case c.Kind == game.CmdProfile:
			h.s.OnProfile(c.Profile)
		default:
			h.s.OnCommand(c)
		}
	}
	return nil
}

func (h *serverSide) takeInput(m *msg7.Input) {
	var p msg7.PlayerInput
	ok := m.Player(&p) == nil
	h.input = bridge.InputMessage{AckTick: m.AckTick, IntendedTick: m.IntendedTick, PingCorrection: m.PingCorrection, Input: Input(&p), Valid: ok}
	h.s.OnInput(&h.input)
}

// voteKind reads the kind that a client names, in any case.
func voteKind(name string) (bridge.VoteKind, bool) {
	for kind, n := range voteNames {
		if strings.EqualFold(n, name) {
			return bridge.VoteKind(kind), n != ""
		}
	}
	return bridge.VoteNone, false
}

var voteNames = [...]string{bridge.VoteOption: "option", bridge.VoteKick: "kick", bridge.VoteSpectate: "spectate"}

// vital queues a message that must arrive; nil is none.
func (h *serverSide) vital(b []byte) {
	if b != nil {
		h.s.Queue(b, true)
	}
}

// say queues a message that must arrive.
func (h *serverSide) say(m msg7.Message) {
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, true)
}

// Reset implements [bridge.ServerSide].
func (h *serverSide) Reset() {}

// SendMapChange implements [bridge.ServerSide].
func (h *serverSide) SendMapChange(m *bridge.Map) {
	h.say(&msg7.MapChange{
		Name: []byte(m.Name), CRC: int32(m.CRC), Size: int32(len(m.File)),
		ChunksPerRequest: int32(m.ChunksPerRequest), ChunkSize: mapChunk,
		SHA256: msg7.MapHash{Present: true, Sum: m.SHA256},
	})
}

// SendMapData implements [bridge.ServerSide].
func (h *serverSide) SendMapData(m *bridge.Map, chunk int) {
	from := chunk * mapChunk
	d := msg7.MapData{Data: m.File[from:min(from+mapChunk, len(m.File))]}
	h.v.buf = d.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, true)
}

// MapChunkSize implements [bridge.ServerSide].
func (h *serverSide) MapChunkSize() int { return mapChunk }

// SendConReady implements [bridge.ServerSide].
func (h *serverSide) SendConReady() { h.say(&msg7.ConReady{}) }

// SendReadyToEnter implements [bridge.ServerSide].
func (h *serverSide) SendReadyToEnter() { h.vital(h.v.announce.ReadyToEnter()) }

// SendServerInfo implements [bridge.ServerSide].
func (h *serverSide) SendServerInfo(info *bridge.ServerInfo) {
	h.say(&msg7.ServerInfo{Record: Record(info)})
}

// Record is the record that both browsers and clients get.
func Record(info *bridge.ServerInfo) msg7.InfoRecord {
	r := msg7.InfoRecord{
		Version: []byte(info.Version), Name: []byte(info.Name), Hostname: []byte(info.Hostname),
		Map: []byte(info.Map), GameType: []byte(info.GameType), SkillLevel: info.SkillLevel,
		Players: info.Players, PlayerSlots: info.PlayerSlots, Clients: info.Clients, MaxClients: info.MaxClients,
	}
	if info.NeedsPassword {
		r.Flags |= msg7.ServerInfoPassword
	}
	if info.TimeScore {
		r.Flags |= msg7.ServerInfoTimeScore
	}
	return r
}

// SendMotd implements [bridge.ServerSide].
func (h *serverSide) SendMotd(text string) { h.vital(h.v.announce.Motd(text)) }

// SendEvent implements [bridge.ServerSide].
func (h *serverSide) SendEvent(w *game.World, ev *game.Event) {
	if ev.Kind == game.EvPlayerEntered {
		h.vital(h.v.announce.ClientInfo(w, ev.Player, false, ev.Flag))
		return
	}
	b, _ := h.v.announce.Event(w, ev)
	h.vital(b)
}

// SendClientInfo implements [bridge.ServerSide].
func (h *serverSide) SendClientInfo(w *game.World, about game.PlayerID, self, silent bool) {
	h.vital(h.v.announce.ClientInfo(w, about, self, silent))
}

// SendGameInfo implements [bridge.ServerSide].
func (h *serverSide) SendGameInfo(w *game.World) { h.vital(h.v.announce.GameInfo(w)) }

// SendSettings implements [bridge.ServerSide].
func (h *serverSide) SendSettings(w *game.World) { h.vital(h.v.announce.Settings(w)) }

// SendTuning implements [bridge.ServerSide].
func (h *serverSide) SendTuning(w *game.World) { h.vital(h.v.announce.Tuning(w)) }

// SendVoteOptionsCleared implements [bridge.ServerSide].
func (h *serverSide) SendVoteOptionsCleared() { h.vital(h.v.announce.VoteClear()) }

// SendVoteOptions implements [bridge.ServerSide].
func (h *serverSide) SendVoteOptions(texts []string) {
	for len(texts) > 0 {
		n := min(len(texts), msg7.VoteOptionsPerMessage)
		m := msg7.SvVoteOptionListAdd{}
		for _, t := range texts[:n] {
			m.Descriptions = append(m.Descriptions, []byte(t))
		}
		h.say(&m)
		texts = texts[n:]
	}
}

// SendVoteOption implements [bridge.ServerSide].
func (h *serverSide) SendVoteOption(text string) {
	h.say(&msg7.SvVoteOptionAdd{Description: []byte(text)})
}

// SendVoteOptionRemoved implements [bridge.ServerSide].
func (h *serverSide) SendVoteOptionRemoved(text string) {
	h.say(&msg7.SvVoteOptionRemove{Description: []byte(text)})
}

// SendVote implements [bridge.ServerSide].
func (h *serverSide) SendVote(v *bridge.Vote) {
	what := v.Description
	if v.Kind == bridge.VoteKick || v.Kind == bridge.VoteSpectate {
		what = fmt.Sprintf("%2d: %s", v.Target, what)
	}
	h.say(&msg7.SvVoteSet{
		ClientID: int32(v.Caller), Type: msg7.VoteType(v.Kind), Timeout: v.Timeout,
		Description: []byte(what), Reason: []byte(v.Reason),
	})
}

// SendVoteStatus implements [bridge.ServerSide].
func (h *serverSide) SendVoteStatus(yes, no, pass, total int32) {
	h.say(&msg7.SvVoteStatus{Yes: yes, No: no, Pass: pass, Total: total})
}

// SendRconAuthStatus implements [bridge.ServerSide].
func (h *serverSide) SendRconAuthStatus(on bool) {
	if on {
		h.say(&msg7.RconAuthOn{})
	} else {
		h.say(&msg7.RconAuthOff{})
	}
}

// SendRconLine implements [bridge.ServerSide].
func (h *serverSide) SendRconLine(line string) { h.say(&msg7.RconLine{Line: []byte(line)}) }

// SendRconCommand implements [bridge.ServerSide].
func (h *serverSide) SendRconCommand(c *bridge.CommandInfo) {
	h.say(&msg7.RconCmdAdd{Name: []byte(c.Name), Help: []byte(c.Help), Params: []byte(c.Params)})
}

// SendRconCommandRemoved implements [bridge.ServerSide].
func (h *serverSide) SendRconCommandRemoved(name string) { h.say(&msg7.RconCmdRem{Name: []byte(name)}) }

// SendMapListEntry implements [bridge.ServerSide].
func (h *serverSide) SendMapListEntry(name string) { h.say(&msg7.MaplistEntryAdd{Name: []byte(name)}) }

// BuildSnapshot implements [bridge.ServerSide].
func (h *serverSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	h.v.scene.Build(b, v, latency)
}

// ItemSizes implements [bridge.ServerSide].
func (h *serverSide) ItemSizes() *snapshot.ItemSizes { return &objectSizes }

// SendSnapshotPart implements [bridge.ServerSide].
func (h *serverSide) SendSnapshotPart(s snapshot.PartHeader, part int, data []byte) {
	delta := s.Tick - s.BaseTick
	switch s.Parts {
	case 0:
		m := msg7.SnapEmpty{Tick: s.Tick, DeltaTick: delta}
		h.v.buf = m.Append(h.v.buf[:0])
	case 1:
		m := msg7.SnapSingle{Tick: s.Tick, DeltaTick: delta, CRC: s.CRC, Data: data}
		h.v.buf = m.Append(h.v.buf[:0])
	default:
		m := msg7.Snap{Tick: s.Tick, DeltaTick: delta, Parts: s.Parts, Part: int32(part), CRC: s.CRC, Data: data}
		h.v.buf = m.Append(h.v.buf[:0])
	}
	h.s.Queue(h.v.buf, false)
}

// SendInputTiming implements [bridge.ServerSide].
func (h *serverSide) SendInputTiming(tick, left int32) {
	m := msg7.InputTiming{IntendedTick: tick, TimeLeft: left}
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, false)
}
