package bridge6

import (
	"slices"
	"time"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/limit"
	"github.com/teeyard/teeyard/protocol/message/msg6"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// Protocol implements [bridge.Protocol] for 0.6. Use it and its ServerSides from one goroutine
// only.
type Protocol struct {
	decoder  msg6.Decoder
	snapshot snapshotEncoder
	buf      []byte
	preInput msg6.SvPreInput
	world    *game.World             // the world at the last tick, nil before the first
	names    [game.MaxPlayers]string // names of the last players with these ids
}

// NewProtocol returns the 0.6 protocol for one server.
func NewProtocol() *Protocol { return new(Protocol) }

// Name implements [bridge.Protocol].
func (p *Protocol) Name() string { return "0.6" }

// NetVersion implements [bridge.Protocol].
func (p *Protocol) NetVersion() string { return msg6.NetVersion }

// NeedsUncompressedTiles implements [bridge.Protocol]. DDNet's client reads compressed tile layers
// from 17.2 on; Teeworlds 0.6 cannot read them.
func (p *Protocol) NeedsUncompressedTiles() bool { return true }

// RecordTick implements [bridge.Protocol].
func (p *Protocol) RecordTick(w *game.World, events []game.Event) {
	p.world = w
	for i := range events {
		switch ev := &events[i]; ev.Kind {
		case game.EvPlayerEntered:
			if info, ok := w.Player(ev.Player); ok {
				p.names[ev.Player] = info.Profile.Name
			}
			p.snapshot.skins.clear(ev.Player)
			p.snapshot.watchers[ev.Player] = watcher{}
		case game.EvProfileChange:
			if info, ok := w.Player(ev.Player); ok {
				p.names[ev.Player] = info.Profile.Name
			}
		case game.EvPlayerLeft:
			p.snapshot.skins.clear(ev.Player)
			p.snapshot.watchers[ev.Player] = watcher{}
			p.snapshot.admins.Remove(ev.Player)
		}
	}
	p.snapshot.recordTick(w.Frame(), events)
}

// BeginSnapshots implements [bridge.Protocol].
func (p *Protocol) BeginSnapshots(w *game.World) {
	p.world = w
	p.snapshot.beginRound(w)
}

// EndSnapshots implements [bridge.Protocol].
func (p *Protocol) EndSnapshots() { p.snapshot.endRound() }

// NewServerSide implements [bridge.Protocol].
func (p *Protocol) NewServerSide(s bridge.Session) bridge.ServerSide {
	return &serverSide{
		protocol: p, session: s, ddnetVersion: msg6.VersionNone,
		ownID: game.Nobody, ids: clientids.New(msg6.MaxClientsVanilla, false),
	}
}

// playerName returns a player's name, even in the tick after the player left.
func (p *Protocol) playerName(id game.PlayerID) string {
	if id < 0 || id >= game.MaxPlayers {
		return ""
	}
	if p.world != nil {
		if info, ok := p.world.Player(id); ok && info.Profile.Name != "" {
			return info.Profile.Name
		}
	}
	return p.names[id]
}

// serverSide implements [bridge.ServerSide]. All ServerSides of a protocol share its buffers.
type serverSide struct {
	protocol *Protocol
	session  bridge.Session

	ddnetVersion     int32               // release of DDNet's client, or msg6.VersionNone
	ddnetClient      *bridge.DDNetClient // set if the client sent CLIENTVER before its login
	saidLegacy       bool                // the client sent its version only after the login
	loggedIn         bool                // whether INFO was received
	isDemo           bool
	capabilitiesSent bool
	wantsCommands    bool // whether the client wants the list of remote console commands
	ownID            game.PlayerID
	ids              clientids.Map

	announced          [32]byte     // SHA-256 of the last map, zero before the first
	skin               skin06       // as last received
	replies            limit.Bucket // limited to replyRate
	skinChanges        limit.Bucket // limited to skinChangeRate
	sentTeamsLocked    bool         // as last sent
	hasSentTeamsLocked bool
	sentTeams          [game.MaxPlayers]int32 // DDRace teams by the client's ids, as last sent
	// sentTimeLeft is the value that announceTimeLeft sent last, at tick sentTimeLeftTick.
	sentTimeLeft, sentTimeLeftTick int32
	// ownTextUntil is the tick until which clients show a broadcast that only 0.6 needs.
	// otherTextUntil is the same for any other broadcast.
	ownTextUntil, otherTextUntil int32

	watcher watcher
	view    game.View
	shown   game.PlayerMask // players whose tees are in the last snapshot

	input       bridge.InputMessage
	playerInput msg6.PlayerInput
}

// Rates of actions that serverSide performs itself, in ticks of the world. The session limits the
// client's commands.
var (
	// replyRate limits replies to requests that cannot be met.
	replyRate = limit.Rate{PerSecond: 5, Burst: 16}
	// skinChangeRate limits changes of the skin. DDNet's client repeats a change until it sees the
	// new skin.
	skinChangeRate = limit.Rate{PerSecond: 1, Burst: 4}
)

// takeToken takes a token from a bucket and reports whether there was one. Before the first tick
// there are none.
func (s *serverSide) takeToken(b *limit.Bucket, r limit.Rate) bool {
	w := s.protocol.world
	return w != nil && b.Take(int64(w.Tick())*int64(time.Second/game.TickRate), r, 1)
}

// isDDNet reports whether the client knows DDNet's own messages and items.
func (s *serverSide) isDDNet() bool { return s.ddnetVersion >= msg6.VersionDDNetOld }

// itemSizes are the sizes of the snapshot items that client and server both know.
var itemSizes = snapshot.ItemSizes(msg6.Sizes)

// send converts a message for the client's release and sends it. If the message does not exist in
// that release, send sends nothing and returns false. Messages that are equal for all releases may
// bypass send.
func (s *serverSide) send(m msg6.Message) bool {
	if !msg6.Fit(m, s.ddnetVersion) {
		return false
	}
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, true)
	return true
}

func (s *serverSide) Reset() {
	s.ids.Reset()
	s.shown = game.PlayerMask{}
	s.ownID = game.Nobody
	s.sentTeamsLocked, s.hasSentTeamsLocked = false, false
	s.sentTimeLeft, s.ownTextUntil, s.otherTextUntil = 0, 0, 0
	s.replies, s.skinChanges = limit.Bucket{}, limit.Bucket{} // the world's ticks restart at 0
}

// capabilities are the capabilities that DDNet-Server sends, except SyncWeaponInput. Without
// AnyPlayerFlag, clients do not report that they aim.
const capabilities = msg6.CapabilityDDNet | msg6.CapabilityChatTimeoutCode | msg6.CapabilityAnyPlayerFlag |
	msg6.CapabilityPingEx | msg6.CapabilityAllowDummy

// sendCapabilities sends the capabilities once. SyncWeaponInput makes clients obey their prediction
// margin. Only DDRace has it: otherwise a shot leaves when the input arrives, not in its tick.
func (s *serverSide) sendCapabilities() {
	if s.capabilitiesSent {
		return
	}
	s.capabilitiesSent = true
	m := msg6.Capabilities{Version: msg6.CapabilitiesVersion, Flags: capabilities}
	if w := s.protocol.world; w != nil && w.GameFlags()&game.GameFlagDDRace != 0 {
		m.Flags |= msg6.CapabilitySyncWeaponInput
	}
	s.send(&m)
}

// SendMapChange sends MAP_DETAILS only if the map has a URL. DDNet's client would otherwise try its
// own project's web server before it downloads the map here.
//
// A MAP_RELOAD precedes the map that the client already has. It makes the client's dummy come back.
func (s *serverSide) SendMapChange(m *bridge.Map) {
	name := m.Name
	if s.announced == m.SHA256 {
		s.send(&msg6.MapReload{})
	}
	s.announced = m.SHA256
	if s.isDDNet() {
		s.sendCapabilities()
		if m.URL != "" {
			s.send(&msg6.MapDetails{Name: []byte(m.Name), SHA256: m.SHA256, CRC: int32(m.CRC), Size: int32(len(m.File)), URL: []byte(m.URL)})
		}
	} else if slices.Contains(standardMaps, name) {
		name += "_7"
	}
	s.send(&msg6.MapChange{Name: []byte(name), CRC: int32(m.CRC), Size: int32(len(m.File))})
}

// standardMaps are the names of the maps shipped with 0.6.5. The 0.6.5 client leaves a server that
// uses one of these names for another map, even for the 0.7 map of that name.
var standardMaps = []string{
	"dm1", "dm2", "dm6", "dm7", "dm8", "dm9",
	"ctf1", "ctf2", "ctf3", "ctf4", "ctf5", "ctf6", "ctf7",
}

func (s *serverSide) SendMapData(m *bridge.Map, chunk int) {
	from := chunk * msg6.MapChunkSize
	if from < 0 || from >= len(m.File) {
		return
	}
	d := msg6.MapData{CRC: int32(m.CRC), Chunk: int32(chunk), Data: m.File[from:]}
	if len(d.Data) > msg6.MapChunkSize {
		d.Data = d.Data[:msg6.MapChunkSize]
	} else {
		d.Last = 1
	}
	s.protocol.buf = d.Append(s.protocol.buf[:0]) // through send, d would escape to the heap
	s.session.Queue(s.protocol.buf, true)
}

func (s *serverSide) MapChunkSize() int { return msg6.MapChunkSize }

func (s *serverSide) SendConReady() { s.send(&msg6.ConReady{}) }

func (s *serverSide) SendReadyToEnter() { s.send(&msg6.SvReadyToEnter{}) }

// SendServerInfo sends nothing: 0.6 clients request the server info without a connection.
func (s *serverSide) SendServerInfo(*bridge.ServerInfo) {}

func (s *serverSide) SendMotd(text string) { s.send(&msg6.SvMotd{Message: []byte(text)}) }

// SendGameInfo sends nothing: the snapshots contain the game info.
func (s *serverSide) SendGameInfo(*game.World) {}

func (s *serverSide) SendTuning(w *game.World, id game.PlayerID) {
	if t, params := w.DDRaceTuning(id); params > 0 {
		s.send(&msg6.SvTuneParams{Params: t[:params]})
		return
	}
	t := w.PredictedTuning(id)
	if s.knowsStates() {
		t = w.PlayerTuning(id)
	}
	s.sendTuning(&t)
}

// knowsStates reports whether the client shows and predicts character states such as freeze.
func (s *serverSide) knowsStates() bool { return s.ddnetVersion >= msg6.VersionNewHUD || s.isDemo }

func (s *serverSide) sendTuning(t *game.Tuning) {
	var params [msg6.TuneParamsVanilla]int32
	n := copy(params[:], t[:laserDamageIndex])
	params[n] = laserDamage
	copy(params[n+1:], t[laserDamageIndex:])
	s.send(&msg6.SvTuneParams{Params: params[:]})
}

// The tuning parameter laser_damage exists only in 0.6.
const (
	laserDamageIndex = 30
	laserDamage      = 500 // 5.00
)

// SendSettings writes a line when teams are locked or unlocked. 0.6 has none of the other settings.
func (s *serverSide) SendSettings(w *game.World) { s.tellTeamsLocked(w.TeamsLocked()) }

func (s *serverSide) tellTeamsLocked(locked bool) {
	if s.hasSentTeamsLocked && locked != s.sentTeamsLocked {
		if locked {
			s.sendServerChat("Teams were locked")
		} else {
			s.sendServerChat("Teams were unlocked")
		}
	}
	s.sentTeamsLocked, s.hasSentTeamsLocked = locked, true
}

func (s *serverSide) SendVoteOptionsCleared() { s.send(&msg6.SvVoteClearOptions{}) }

// maxVoteOptionBytes is the maximum number of bytes of vote options in one message. A 0.6 chunk
// holds 1023 bytes.
const maxVoteOptionBytes = 960

func (s *serverSide) SendVoteOptions(texts []string) {
	m, size := msg6.SvVoteOptionListAdd{}, 0
	for _, t := range texts {
		if m.Count == msg6.VoteOptionsPerMessage || m.Count > 0 && size+len(t) > maxVoteOptionBytes {
			s.send(&m)
			m, size = msg6.SvVoteOptionListAdd{}, 0
		}
		m.Descriptions[m.Count] = []byte(t)
		m.Count++
		size += len(t)
	}
	if m.Count > 0 {
		s.send(&m)
	}
}

func (s *serverSide) SendVoteOption(text string) {
	s.send(&msg6.SvVoteOptionAdd{Description: []byte(text)})
}

func (s *serverSide) SendVoteOptionRemoved(text string) {
	s.send(&msg6.SvVoteOptionRemove{Description: []byte(text)})
}

func (s *serverSide) SendVote(v *bridge.Vote) {
	switch v.Kind {
	case event.VoteOption, event.VoteKick, event.VoteSpectate:
		if text := voteCalledText(v, s.protocol.playerName(v.Caller)); text != "" {
			s.sendServerChat(text)
		}
		if v.Timeout > 0 {
			s.send(&msg6.SvVoteSet{
				Timeout:     min(v.Timeout, msg6.MaxVoteTimeout),
				Description: []byte(voteDescription(v)), Reason: []byte(v.Reason),
			})
		}
	default:
		s.send(&msg6.SvVoteSet{})
		if text := voteEndedText(v); text != "" {
			s.sendServerChat(text)
		}
	}
}

func (s *serverSide) SendVoteStatus(yes, no, pass, total int32) {
	maxVotes := int32(s.ids.Limit())
	clamp := func(n int32) int32 { return min(max(n, 0), maxVotes) }
	s.send(&msg6.SvVoteStatus{Yes: clamp(yes), No: clamp(no), Pass: clamp(pass), Total: clamp(total)})
}

func (s *serverSide) SendRconType(names bool) {
	m := msg6.RconType{}
	if names {
		m.NameRequired = 1
	}
	s.send(&m)
}

func (s *serverSide) SendRconAuthStatus(on bool) {
	m := msg6.RconAuthStatus{}
	if on {
		m = msg6.RconAuthStatus{Authed: 1, CmdList: 1}
	}
	s.send(&m)
}

func (s *serverSide) SendRconLine(line string) { s.send(&msg6.RconLine{Line: []byte(line)}) }

func (s *serverSide) SendRconCommand(c *bridge.CommandInfo) {
	if s.wantsCommands {
		s.send(&msg6.RconCmdAdd{Name: []byte(c.Name), Help: []byte(c.Help), Params: []byte(c.Params)})
	}
}

func (s *serverSide) SendRconCommandRemoved(name string) {
	if s.wantsCommands {
		s.send(&msg6.RconCmdRem{Name: []byte(name)})
	}
}

func (s *serverSide) SendChatCommand(c *bridge.CommandInfo) {
	s.send(&msg6.SvCommandInfo{Name: []byte(c.Name), ArgsFormat: []byte(c.Params), HelpText: []byte(c.Help)})
}

func (s *serverSide) SendChatCommandRemoved(name string) {
	s.send(&msg6.SvCommandInfoRemove{Name: []byte(name)})
}

func (s *serverSide) SendRedirect(port int) bool {
	return s.send(&msg6.Redirect{Port: int32(port)})
}

// SendMapListEntry sends nothing: 0.6 has no list of maps.
func (s *serverSide) SendMapListEntry(string) {}

// SendMapListEntryRemoved sends nothing.
func (s *serverSide) SendMapListEntryRemoved(string) {}

func (s *serverSide) BuildSnapshot(b *snapshot.Builder, v *game.View, latency *[game.MaxPlayers]int32) {
	v = s.viewOf(v)
	before := s.ids.Changes()
	if s.ids.Update(v); s.ids.Changes() != before {
		s.sendChangedTeams(s.protocol.world)
	}
	s.announceTimeLeft(&v.Game, v.Tick)
	s.protocol.snapshot.buildSnapshot(b, v, latency, &s.ids, s.ddnetVersion, s.knowsStates())
	s.shown = s.protocol.snapshot.visible
}

func (s *serverSide) ItemSizes() *snapshot.ItemSizes { return &itemSizes }

func (s *serverSide) SendSnapshotPart(h snapshot.PartHeader, part int, data []byte) {
	b, delta := s.protocol.buf[:0], h.Tick-h.BaseTick
	switch h.Parts {
	case 0:
		b = (&msg6.SnapEmpty{Tick: h.Tick, DeltaTick: delta}).Append(b)
	case 1:
		b = (&msg6.SnapSingle{Tick: h.Tick, DeltaTick: delta, CRC: h.CRC, Data: data}).Append(b)
	default:
		b = (&msg6.Snap{Tick: h.Tick, DeltaTick: delta, Parts: h.Parts, Part: int32(part), CRC: h.CRC, Data: data}).Append(b)
	}
	s.protocol.buf = b
	s.session.Queue(b, false)
}

// SendOtherInput sends the input only to players of the same DDRace team, and neither for nor to
// players who are away.
func (s *serverSide) SendOtherInput(id game.PlayerID, tick int32, in *game.Input) bool {
	m := &s.protocol.preInput
	if !msg6.Fit(m, s.ddnetVersion) || !s.shown.Has(id) || s.ids.ID(id) < 0 {
		return false
	}
	other, own := s.protocol.snapshot.player(id), s.protocol.snapshot.player(s.ownID)
	if other == nil || own == nil || other.AFK || own.AFK || own.Team == game.TeamSpectators || own.DDRaceTeam != other.DDRaceTeam {
		return false
	}
	*m = msg6.SvPreInput{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Fire: in.Fire,
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
		Owner: s.ids.ID(id), IntendedTick: tick,
	}
	if in.Jump {
		m.Jump = 1
	}
	if in.Hook {
		m.Hook = 1
	}
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, false)
	return true
}

func (s *serverSide) SendInputTiming(tick, timeLeft int32) {
	m := msg6.InputTiming{IntendedTick: tick, TimeLeft: timeLeft}
	s.protocol.buf = m.Append(s.protocol.buf[:0])
	s.session.Queue(s.protocol.buf, false)
}
