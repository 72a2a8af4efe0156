package bridge7

import (
	"fmt"
	"strings"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Version is 0.7 as a server speaks it. It implements [bridge.Version]; it and
// its hosts are for one goroutine.
type Version struct {
	decoder  msg7.Decoder
	announce Announcer
	scene    Scene
	buf      []byte
}

// NewVersion makes the 0.7 of one server.
func NewVersion() *Version { return new(Version) }

// Name implements [bridge.Version].
func (v *Version) Name() string { return "0.7" }

// Speaks implements [bridge.Version].
func (v *Version) Speaks() string { return msg7.NetVersion }

// PlainMaps implements [bridge.Version].
func (v *Version) PlainMaps() bool { return false }

// Note implements [bridge.Version].
func (v *Version) Note(w *game.World, events []game.Event) { v.scene.Note(w.Frame(), events) }

// Begin implements [bridge.Version].
func (v *Version) Begin(w *game.World) { v.scene.Begin(w.Frame()) }

// Done implements [bridge.Version].
func (v *Version) Done() { v.scene.Done() }

// Host implements [bridge.Version].
func (v *Version) Host(s bridge.Session) bridge.Host { return &host{v: v, s: s} }

// host is the server's end of the bridge for one client. What it needs while it
// works it shares with the others.
type host struct {
	v     *Version
	s     bridge.Session
	input bridge.Input
}

// mapChunk is how many bytes of the map one MAP_DATA carries: what fits a
// datagram beside the headers.
const mapChunk = 1384

// objectSizes are those of the snapshot objects both ends know.
var objectSizes = snapshot.Sizes(msg7.Sizes)

// Take implements [bridge.Host].
func (h *host) Take(payload []byte, vital bool) error {
	m, err := h.v.decoder.Decode(payload)
	if err != nil {
		return bridge.ErrMessage
	}
	switch m := m.(type) {
	case *msg7.Input:
		h.takeInput(m)
	case *msg7.Ping:
		h.v.buf = (&msg7.PingReply{}).Append(h.v.buf[:0])
		h.s.Queue(h.v.buf, false)
		h.s.Hurry()
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
func (h *host) takeVital(m msg7.Message) error {
	switch m := m.(type) {
	case *msg7.Info:
		wants := string(m.NetVersion)
		h.s.OnHello(bridge.Hello{
			Fits: wants == msg7.NetVersion, Wants: wants,
			Password: string(m.Password), Client: m.ClientVersion,
		})
	case *msg7.RequestMapData:
		h.s.OnMapRequest(-1)
	case *msg7.Ready:
		h.s.OnReady()
	case *msg7.EnterGame:
		h.s.OnEnter()
	case *msg7.RconAuth:
		h.s.OnLogin("", string(m.Password))
	case *msg7.RconCmd:
		h.s.OnRcon(string(m.Command))
	case *msg7.ClCallVote:
		kind, ok := voteKind(string(m.Type))
		if !ok {
			return bridge.ErrMessage
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
			return bridge.ErrMessage
		case c.Kind == game.CmdProfile:
			h.s.OnProfile(c.Profile)
		default:
			h.s.OnCommand(c)
		}
	}
	return nil
}

func (h *host) takeInput(m *msg7.Input) {
	var p msg7.PlayerInput
	ok := m.Player(&p) == nil
	h.input = bridge.Input{Ack: m.AckTick, Tick: m.IntendedTick, Correction: m.PingCorrection, Do: Input(&p), Valid: ok}
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
func (h *host) vital(b []byte) {
	if b != nil {
		h.s.Queue(b, true)
	}
}

// say queues a message that must arrive.
func (h *host) say(m msg7.Message) {
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, true)
}

// Restart implements [bridge.Host].
func (h *host) Restart() {}

// MapChange implements [bridge.Host].
func (h *host) MapChange(m *bridge.Map) {
	h.say(&msg7.MapChange{
		Name: []byte(m.Name), CRC: int32(m.CRC), Size: int32(len(m.File)),
		ChunksPerRequest: int32(m.ChunksPerRequest), ChunkSize: mapChunk,
		SHA256: msg7.MapHash{Present: true, Sum: m.SHA256},
	})
}

// MapData implements [bridge.Host].
func (h *host) MapData(m *bridge.Map, chunk int) {
	from := chunk * mapChunk
	d := msg7.MapData{Data: m.File[from:min(from+mapChunk, len(m.File))]}
	h.v.buf = d.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, true)
}

// ChunkSize implements [bridge.Host].
func (h *host) ChunkSize() int { return mapChunk }

// ConReady implements [bridge.Host].
func (h *host) ConReady() { h.say(&msg7.ConReady{}) }

// ReadyToEnter implements [bridge.Host].
func (h *host) ReadyToEnter() { h.vital(h.v.announce.ReadyToEnter()) }

// ServerInfo implements [bridge.Host].
func (h *host) ServerInfo(info *bridge.Info) {
	h.say(&msg7.ServerInfo{Record: Record(info)})
}

// Record is the record that both browsers and clients get.
func Record(info *bridge.Info) msg7.InfoRecord {
	r := msg7.InfoRecord{
		Version: []byte(info.Version), Name: []byte(info.Name), Hostname: []byte(info.Hostname),
		Map: []byte(info.Map), GameType: []byte(info.GameType), SkillLevel: info.SkillLevel,
		Players: info.Players, PlayerSlots: info.Slots, Clients: info.Clients, MaxClients: info.MaxClients,
	}
	if info.Password {
		r.Flags |= msg7.ServerInfoPassword
	}
	if info.TimeScore {
		r.Flags |= msg7.ServerInfoTimeScore
	}
	return r
}

// Motd implements [bridge.Host].
func (h *host) Motd(text string) { h.vital(h.v.announce.Motd(text)) }

// Event implements [bridge.Host].
func (h *host) Event(w *game.World, ev *game.Event) {
	if ev.Kind == game.EvEntered {
		h.vital(h.v.announce.ClientInfo(w, ev.Player, false, ev.Flag))
		return
	}
	b, _ := h.v.announce.Event(w, ev)
	h.vital(b)
}

// ToldOf implements [bridge.Host].
func (h *host) ToldOf(w *game.World, about game.PlayerID, self, silent bool) {
	h.vital(h.v.announce.ClientInfo(w, about, self, silent))
}

// GameInfo implements [bridge.Host].
func (h *host) GameInfo(w *game.World) { h.vital(h.v.announce.GameInfo(w)) }

// Settings implements [bridge.Host].
func (h *host) Settings(w *game.World) { h.vital(h.v.announce.Settings(w)) }

// Tuning implements [bridge.Host].
func (h *host) Tuning(w *game.World) { h.vital(h.v.announce.Tuning(w)) }

// VoteClear implements [bridge.Host].
func (h *host) VoteClear() { h.vital(h.v.announce.VoteClear()) }

// VoteOptions implements [bridge.Host].
func (h *host) VoteOptions(texts []string) {
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

// VoteOptionNew implements [bridge.Host].
func (h *host) VoteOptionNew(text string) {
	h.say(&msg7.SvVoteOptionAdd{Description: []byte(text)})
}

// VoteOptionGone implements [bridge.Host].
func (h *host) VoteOptionGone(text string) {
	h.say(&msg7.SvVoteOptionRemove{Description: []byte(text)})
}

// Vote implements [bridge.Host].
func (h *host) Vote(v *bridge.Vote) {
	what := v.What
	if v.Kind == bridge.VoteKick || v.Kind == bridge.VoteSpectate {
		what = fmt.Sprintf("%2d: %s", v.Target, what)
	}
	h.say(&msg7.SvVoteSet{
		ClientID: int32(v.Caller), Type: msg7.VoteType(v.Kind), Timeout: v.Timeout,
		Description: []byte(what), Reason: []byte(v.Reason),
	})
}

// VoteStatus implements [bridge.Host].
func (h *host) VoteStatus(yes, no, pass, total int32) {
	h.say(&msg7.SvVoteStatus{Yes: yes, No: no, Pass: pass, Total: total})
}

// RconAuth implements [bridge.Host].
func (h *host) RconAuth(on bool) {
	if on {
		h.say(&msg7.RconAuthOn{})
	} else {
		h.say(&msg7.RconAuthOff{})
	}
}

// RconLine implements [bridge.Host].
func (h *host) RconLine(line string) { h.say(&msg7.RconLine{Line: []byte(line)}) }

// RconCommand implements [bridge.Host].
func (h *host) RconCommand(c *bridge.Command) {
	h.say(&msg7.RconCmdAdd{Name: []byte(c.Name), Help: []byte(c.Help), Params: []byte(c.Params)})
}

// RconCommandGone implements [bridge.Host].
func (h *host) RconCommandGone(name string) { h.say(&msg7.RconCmdRem{Name: []byte(name)}) }

// MapListed implements [bridge.Host].
func (h *host) MapListed(name string) { h.say(&msg7.MaplistEntryAdd{Name: []byte(name)}) }

// Build implements [bridge.Host].
func (h *host) Build(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	h.v.scene.Build(b, v, latency)
}

// Sizes implements [bridge.Host].
func (h *host) Sizes() *snapshot.Sizes { return &objectSizes }

// Snapshot implements [bridge.Host].
func (h *host) Snapshot(s snapshot.Header, part int, data []byte) {
	delta := s.Tick - s.Base
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

// InputTiming implements [bridge.Host].
func (h *host) InputTiming(tick, left int32) {
	m := msg7.InputTiming{IntendedTick: tick, TimeLeft: left}
	h.v.buf = m.Append(h.v.buf[:0])
	h.s.Queue(h.v.buf, false)
}
