package client_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/protocol/conn"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/packet"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// villain is a server that sends what a test tells it to.
type villain struct {
	t       testing.TB
	now     conn.Time
	tokens  *conn.TokenIssuer
	conn    *conn.Conn
	dec     msg7.Decoder
	scratch packet.Scratch
	back    ring // to the client
	in      [1400]byte
	asked   int // REQUEST_MAP_DATA
	ready   bool
	entered bool
	acks    []int32
	// onInfo is what it does first, in place of announcing a map.
	onInfo func()
	// handleRcon takes a line for the remote console.
	onRcon func(line string)
	lines  []string
	// onRequest answers REQUEST_MAP_DATA.
	onRequest func()

	// held keeps what the client sends, from whatever goroutine, in later.
	gate  sync.Mutex
	held  bool
	later [][]byte

	c      *client.Client
	events []event.Event
}

var home = netip.MustParseAddr("10.0.0.1")

func newVillain(t testing.TB, cfg client.Config) *villain {
	t.Helper()
	v := &villain{t: t, now: conn.Time(time.Hour)}
	var err error
	if v.tokens, err = conn.NewTokenIssuer(bytes.NewReader(make([]byte, 24))); err != nil {
		t.Fatal(err)
	}
	if v.conn, err = conn.New(conn.Config{Send: v.back.push, ResendBuffer: 1 << 20}); err != nil {
		t.Fatal(err)
	}
	cfg.Send = func(b []byte) {
		v.gate.Lock()
		held := v.held
		if held {
			v.later = append(v.later, bytes.Clone(b))
		}
		v.gate.Unlock()
		if !held {
			v.feed(v.in[:copy(v.in[:], b)])
		}
	}
	cfg.Token = func() packet.Token { return 0x01020304 }
	cfg.OnEvent = func(_ *client.Client, e event.Event) { v.events = append(v.events, e) }
	if cfg.Version == "" {
		cfg.Version = client.Version07
	}
	if cfg.Maps == nil {
		cfg.Maps = client.NewMaps("-")
	}
	if v.c, err = client.New(cfg); err != nil {
		t.Fatal(err)
	}
	return v
}

// ring is a queue of datagrams that keeps its memory.
type ring struct {
	slots     [256][]byte
	from, len int
}

func (r *ring) push(b []byte) {
	s := &r.slots[(r.from+r.len)%len(r.slots)]
	if *s == nil {
		for i := range r.slots {
			r.slots[i] = make([]byte, 0, 1400)
		}
	}
	*s = append((*s)[:0], b...)
	r.len = min(r.len+1, len(r.slots))
}

func (r *ring) pop() ([]byte, bool) {
	if r.len == 0 {
		return nil, false
	}
	b := r.slots[r.from]
	r.from, r.len = (r.from+1)%len(r.slots), r.len-1
	return b, true
}

func (v *villain) feed(b []byte) {
	if v.conn.State() == conn.StateOffline {
		var p packet.Packet
		if err := p.Parse(b, &v.scratch); err != nil {
			v.t.Fatal(err)
		}
		switch verdict, _ := v.tokens.Inspect(v.now, home, &p); verdict {
		case conn.ActionReplyToken:
			v.back.push(packet.AppendTokenReply(nil, p.ResponseToken, v.tokens.Token(v.now, home)))
		case conn.ActionAccept:
			if err := v.conn.Accept(v.now, p.Token, p.ResponseToken); err != nil {
				v.t.Fatal(err)
			}
		}
		return
	}
	v.conn.Feed(v.now, b, v)
}

// Chunk implements conn.Handler.
func (v *villain) Chunk(b []byte, _ bool) {
	m, err := v.dec.Decode(b)
	if err != nil {
		v.t.Fatalf("the client sent %x: %v", b, err)
	}
	switch m := m.(type) {
	case *msg7.Info:
		v.onInfo()
	case *msg7.RequestMapData:
		v.asked++
		if v.onRequest != nil {
			v.onRequest()
		}
	case *msg7.Ready:
		v.ready = true
		v.send(&msg7.ConReady{})
	case *msg7.ClStartInfo:
		v.send(&msg7.SvReadyToEnter{})
	case *msg7.EnterGame:
		v.entered = true
		v.send(&msg7.SvClientInfo{ClientID: 0, Local: true, Name: []byte("me")})
	case *msg7.RconCmd:
		v.lines = append(v.lines, string(m.Command))
		if v.onRcon != nil {
			v.onRcon(string(m.Command))
		}
	case *msg7.Input:
		v.acks = append(v.acks, m.AckTick)
	}
}

func (v *villain) send(m msg7.Message) {
	v.queue(m.Append(nil), true)
}

func (v *villain) queue(b []byte, vital bool) {
	if err := v.conn.Queue(v.now, b, vital); err != nil {
		v.t.Fatal(err)
	}
}

// pump carries datagrams to and fro until nobody has more to say.
func (v *villain) pump() {
	for range 1000 {
		v.conn.Flush(v.now)
		b, ok := v.back.pop()
		if !ok {
			return
		}
		v.c.Feed(v.now, b)
	}
}

// run lets time pass.
func (v *villain) run(span time.Duration) {
	for end := v.now.Add(span); v.now < end; v.now = v.now.Add(10 * time.Millisecond) {
		v.conn.Update(v.now)
		v.c.Step(v.now)
		v.pump()
	}
}

func (v *villain) connect() {
	if err := v.c.Connect(v.now); err != nil {
		v.t.Fatal(err)
	}
	v.pump()
	v.run(100 * time.Millisecond)
}

// welcome makes it an honest server up to the first snapshots.
func (v *villain) welcome() {
	v.onInfo = func() { v.announce("yard", nil) }
	v.connect()
	if !v.entered {
		v.t.Fatalf("the client did not enter: %v", v.c.Err())
	}
	for tick := int32(2); tick <= 8; tick += 2 {
		v.snap(tick, -1, nil)
		v.run(40 * time.Millisecond)
	}
	if v.c.State() != client.Playing {
		v.t.Fatalf("the client is in state %v: %v", v.c.State(), v.c.Err())
	}
}

// announce sends a MAP_CHANGE; change may spoil it.
func (v *villain) announce(name string, change func(m *msg7.MapChange)) []byte {
	file := smallMap()
	m := &msg7.MapChange{Name: []byte(name), CRC: int32(crc32.ChecksumIEEE(file)), Size: int32(len(file)), ChunksPerRequest: 8, ChunkSize: 1384}
	m.SHA256.Present, m.SHA256.Sum = true, sha256.Sum256(file)
	if v.onRequest == nil {
		rest := file
		v.onRequest = func() {
			for range 8 {
				n := min(1384, len(rest))
				if n == 0 {
					return
				}
				v.send(&msg7.MapData{Data: rest[:n]})
				rest = rest[n:]
			}
		}
	}
	if change != nil {
		change(m)
	}
	v.send(m)
	return file
}

func smallMap() []byte {
	m, _ := maps.Find("teeyard1")
	return m.Data
}

// snap sends a snapshot of the items that fill adds, without a base.
func (v *villain) snap(tick, base int32, fill func(b *snapshot.Builder)) {
	var b snapshot.Builder
	if fill != nil {
		fill(&b)
	}
	put := b.Add(msg7.TypePlayerInfo, 0, msg7.SizePlayerInfo)
	put[1] = tick // so that something changes
	var s snapshot.Snapshot
	b.Finish(&s)
	sizes := snapshot.ItemSizes(msg7.Sizes)
	delta, _ := snapshot.AppendDelta(nil, nil, &s, &sizes)
	if n := snapshot.PartCount(len(delta)); n > 1 {
		for i := range n {
			v.queue((&msg7.Snap{Tick: tick, DeltaTick: tick - base, Parts: int32(n), Part: int32(i), CRC: s.CRC(), Data: snapshot.Part(delta, i)}).Append(nil), false)
		}
		return
	}
	v.queue((&msg7.SnapSingle{Tick: tick, DeltaTick: tick - base, CRC: s.CRC(), Data: delta}).Append(nil), false)
}

// TestHostileMapNames: no name of a map leads out of the cache folder.
func TestHostileMapNames(t *testing.T) {
	refused := []string{"../../etc/passwd", "..\\..\\x", "a/b", "/etc/passwd", "C:evil", ".hidden", "..", "."}
	for _, name := range refused {
		v := newVillain(t, client.Config{})
		v.onInfo = func() { v.announce(name, nil) }
		v.connect()
		if err := v.c.Err(); !errors.Is(err, client.ErrMap) || v.asked != 0 {
			t.Errorf("%q: asked %d times, %v", name, v.asked, err)
		}
	}
	for _, name := range []string{"ctf 5", "\x1b]0;x\a", "\u202egnp", strings.Repeat("x", 300), "NUL", "a\xffb", "café"} {
		dir := t.TempDir()
		v := newVillain(t, client.Config{Maps: client.NewMaps(filepath.Join(dir, "maps"))})
		v.onInfo = func() { v.announce(name, nil) }
		v.connect()
		m := v.c.Map()
		if !v.ready || m == nil || filepath.Dir(m.Path) != filepath.Join(dir, "maps") {
			t.Errorf("%q: ready %v, kept in %+v, %v", name, v.ready, m.Path, v.c.Err())
			continue
		}
		base := filepath.Base(m.Path)
		for _, r := range base {
			if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.", r) {
				t.Errorf("%q: file %q", name, base)
				break
			}
		}
		if all, _ := os.ReadDir(dir); len(all) != 1 {
			t.Errorf("%q: %v", name, all)
		}
	}
}

// TestHostileMapData: what was not announced is refused, and memory is taken for
// what came only.
func TestHostileMapData(t *testing.T) {
	chunk := func(n int) *msg7.MapData { return &msg7.MapData{Data: make([]byte, n)} }
	for _, c := range []struct {
		name   string
		change func(m *msg7.MapChange)
		answer func(v *villain)
		want   string
	}{
		{"no size", func(m *msg7.MapChange) { m.Size = 0 }, nil, "invalid map size"},
		{"below nothing", func(m *msg7.MapChange) { m.Size = -5 }, nil, "invalid map size"},
		{"too large", func(m *msg7.MapChange) { m.Size = 1<<31 - 1 }, nil, "invalid map size"},
		{"no chunks", func(m *msg7.MapChange) { m.ChunksPerRequest = 0 }, nil, "chunks"},
		{"chunks below nothing", func(m *msg7.MapChange) { m.ChunkSize = -1384 }, nil, "chunks"},
		{"a chunk too long", nil, func(v *villain) { v.send(chunk(1385)) }, "has 1385 bytes instead of 1384"},
		{"a chunk too short", nil, func(v *villain) { v.send(chunk(1)) }, "has 1 bytes instead of 1384"},
		{"an empty chunk", nil, func(v *villain) { v.send(chunk(0)) }, "has 0 bytes"},
		{"beyond the end", func(m *msg7.MapChange) { m.Size = 1000 }, func(v *villain) { v.send(chunk(1384)) }, "has 1384 bytes instead of 1000"},
		{"other bytes", func(m *msg7.MapChange) { m.Size = 1000 }, func(v *villain) { v.send(chunk(1000)) }, "not what was announced"},
		{"right checksum, wrong hash", func(m *msg7.MapChange) { m.SHA256.Sum[0] ^= 1 }, nil, "not what was announced"},
		{"no map", func(m *msg7.MapChange) {
			b := make([]byte, 1000)
			m.Size, m.CRC, m.SHA256.Sum = 1000, int32(crc32.ChecksumIEEE(b)), sha256.Sum256(b)
		}, func(v *villain) { v.send(chunk(1000)) }, "bad map"},
	} {
		v := newVillain(t, client.Config{})
		if c.answer != nil {
			v.onRequest = func() { c.answer(v) }
		}
		v.onInfo = func() { v.announce("yard", c.change) }
		v.connect()
		if err := v.c.Err(); !errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), c.want) || v.ready {
			t.Errorf("%s: ready %v, %v", c.name, v.ready, err)
		}
	}

	// 64 MB announced, one chunk sent.
	v := newVillain(t, client.Config{})
	v.onRequest = func() { v.send(chunk(1384)) }
	v.onInfo = func() { v.announce("yard", func(m *msg7.MapChange) { m.Size = 64 << 20 }) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v.connect()
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 8<<20 {
		t.Errorf("an announcement costs %d bytes", n)
	}
	// Chunks after the end, and without having been asked for.
	v = newVillain(t, client.Config{})
	v.welcome()
	for range 20 {
		v.send(chunk(1384))
	}
	v.run(100 * time.Millisecond)
	if v.c.State() != client.Playing {
		t.Errorf("chunks that nobody asked for: %v", v.c.Err())
	}
}

// TestHostileTexts: whatever texts a server sends, none steers a terminal.
func TestHostileTexts(t *testing.T) {
	v := newVillain(t, client.Config{})
	v.welcome()
	evil := []byte("\x1b[2J\x9b31m\u009b31m\x7f\u202e\u200e\u061c\u2028\x07x")
	// The encoders of messages cut and keep; write some by hand.
	v.send(&msg7.SvClientInfo{ClientID: 5, Name: evil[:14], Clan: evil[:9], Skin: msg7.Skin{Parts: [6][]byte{evil[:10]}}})
	v.send(&msg7.SvChat{Mode: msg7.ChatAll, ClientID: 5, TargetID: -1, Message: evil})
	v.send(&msg7.SvMotd{Message: append([]byte("one\n"), evil...)})
	v.send(&msg7.SvBroadcast{Message: evil})
	v.send(&msg7.RconAuthOn{})
	v.send(&msg7.RconLine{Line: evil})
	v.send(&msg7.RconCmdAdd{Name: evil, Help: evil, Params: evil})
	v.send(&msg7.MaplistEntryAdd{Name: evil})
	v.send(&msg7.SvCommandInfo{Name: evil, ArgsFormat: evil, HelpText: evil})
	v.send(&msg7.SvVoteOptionListAdd{Descriptions: [][]byte{evil, evil}})
	v.send(&msg7.SvVoteOptionAdd{Description: evil})
	v.send(&msg7.SvVoteSet{ClientID: 5, Type: msg7.VoteStartOption, Timeout: 25, Description: evil, Reason: evil})
	v.send(&msg7.ServerInfo{Record: msg7.InfoRecord{Version: evil, Name: evil, Hostname: evil, Map: evil, GameType: evil}})
	v.send(&msg7.SvClientDrop{ClientID: 5, Reason: evil})
	v.run(100 * time.Millisecond)
	if n := v.c.Stats().BadMessage; n != 0 {
		t.Errorf("%d messages were not understood", n)
	}
	seen := map[string]bool{}
	check := func(what, text string) {
		seen[what] = true
		for _, r := range text {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028') {
				t.Errorf("%s has %U: %q", what, r, text)
			}
		}
		if !strings.Contains(text, "x") && !strings.Contains(text, "[2J") {
			t.Errorf("%s lost its text: %q", what, text)
		}
	}
	for _, e := range v.events {
		switch e := e.(type) {
		case event.Chat:
			check("chat", e.Text)
			check("name", e.From.Name)
			check("clan", e.From.Clan)
		case event.Motd:
			check("motd", e.Text)
		case event.Broadcast:
			check("broadcast", e.Text)
		case event.RconLine:
			check("line", e.Text)
		case event.VoteStart:
			check("vote", e.What+e.Reason)
		case event.ServerInfo:
			check("info", e.Name+e.Version+e.GameType+e.Map)
		case event.Left:
			check("reason", e.Reason)
		}
		if b, err := json.Marshal(e); err != nil || bytes.IndexFunc(b, unicode.IsControl) >= 0 {
			t.Errorf("%T: %q, %v", e, b, err)
		}
	}
	info, _ := v.c.PlayerInfo(5)
	check("skin", info.Profile.Skin.PartNames[0])
	for _, c := range append(v.c.RconCommands(), v.c.ChatCommands()...) {
		check("command", c.Name+c.Params+c.Help)
	}
	for _, s := range append(v.c.MapList(), v.c.VoteOptions()...) {
		check("list", s)
	}
	if len(seen) != 12 {
		t.Errorf("only saw %v", seen)
	}
	// The reason for being thrown out goes to terminals, too.
	v.conn.Close(v.now, string(evil))
	v.pump()
	d, ok := v.events[len(v.events)-1].(event.Disconnected)
	if !ok || strings.ContainsAny(d.Text, "\x1b\x07\x7f") || strings.ContainsAny(v.c.Err().Error(), "\x1b\x07\x7f\u202e\u009b") {
		t.Errorf("got %q", v.c.Err())
	}
}

// TestEndlessLists: lists stop growing.
func TestEndlessLists(t *testing.T) {
	v := newVillain(t, client.Config{})
	v.welcome()
	v.send(&msg7.RconAuthOn{})
	for i := range 9000 {
		text := fmt.Appendf(nil, "n%d", i)
		v.send(&msg7.RconCmdAdd{Name: text})
		v.send(&msg7.MaplistEntryAdd{Name: text})
		v.send(&msg7.SvVoteOptionAdd{Description: text})
		v.send(&msg7.SvCommandInfo{Name: text})
		if i%20 == 0 {
			v.snap(int32(10+i/10), -1, nil) // without snapshots it sends, and acknowledges, little
			v.run(40 * time.Millisecond)
		}
	}
	v.run(100 * time.Millisecond)
	for what, n := range map[string]int{"commands": len(v.c.RconCommands()), "maps": len(v.c.MapList()), "votes": len(v.c.VoteOptions()), "chat": len(v.c.ChatCommands())} {
		if n != 4096 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// TestHostileSnapshots: parts without end, ids and values out of range, speeds
// beyond reason.
func TestHostileSnapshots(t *testing.T) {
	v := newVillain(t, client.Config{PredictAll: true, Play: func(*client.Client, *game.View) game.Input { return game.Input{Direction: 1} }})
	v.welcome()
	tick := int32(1000)
	for range 50 {
		// First parts of ever new snapshots; a part twice; parts out of range.
		for _, m := range []*msg7.Snap{
			{Tick: tick, DeltaTick: tick + 1, Parts: 64, Part: 0, Data: make([]byte, 900)},
			{Tick: tick, DeltaTick: tick + 1, Parts: 64, Part: 0, Data: make([]byte, 900)},
			{Tick: tick, DeltaTick: tick + 1, Parts: 65, Part: 64, Data: make([]byte, 900)},
			{Tick: tick, DeltaTick: tick + 1, Parts: -1, Part: -1},
			{Tick: tick, DeltaTick: -1 << 31, Parts: 2, Part: 1, Data: []byte{1}},
		} {
			v.queue(m.Append(nil), false)
		}
		tick += 2
		v.run(20 * time.Millisecond)
	}
	big := int32(1<<31 - 1)
	v.snap(tick, -1, func(b *snapshot.Builder) {
		// Every type with every kind of nonsense.
		for typ := 0; typ < 30; typ++ {
			for _, id := range []int{1, 63, 64, 65535} {
				n := 3
				if typ < len(msg7.Sizes) && msg7.Sizes[typ] != 0 {
					n = int(msg7.Sizes[typ])
				}
				for i, slot := 0, b.Add(typ, id, n); i < len(slot); i++ {
					slot[i] = big - int32(i*id)
				}
			}
		}
		// A tee that is well formed and absurdly fast, and one far in the past.
		for id := range 64 {
			o := msg7.Character{CharacterCore: msg7.CharacterCore{Tick: tick - int32(id*3), VelX: big, VelY: -big, X: big, Y: -big, HookedPlayer: -1, HookX: -big, HookState: 4, HookDX: big}}
			if id%2 == 0 {
				o.VelX, o.VelY, o.Tick = 100*256, 9*256, tick-149
			}
			o.PutInts(b.Add(msg7.TypeCharacter, id, msg7.SizeCharacter))
		}
	})
	start := time.Now()
	v.run(40 * time.Millisecond)
	if v.c.State() != client.Playing {
		t.Fatalf("%v", v.c.Err())
	}
	seen := 0
	v.c.WithView(func(w *game.View) {
		if w.Tick == tick {
			seen = len(w.Characters)
		}
		for _, c := range w.Characters {
			if c.Player < 0 || c.Player >= game.MaxPlayers {
				t.Errorf("player %d", c.Player)
			}
		}
		for _, p := range w.Players {
			if p.ID < 0 || p.ID >= game.MaxPlayers {
				t.Errorf("player %d", p.ID)
			}
		}
	})
	if seen != 64 {
		t.Errorf("%d tees in sight", seen)
	}
	v.c.WithPredictedView(func(*game.View) {})
	t.Logf("the absurd snapshot took %v", time.Since(start))

	// Ids out of range in messages are no messages.
	before := v.c.Stats().BadMessage
	for _, id := range []msg7.ID{msg7.IDSvClientInfo, msg7.IDSvClientDrop, msg7.IDSvSkinChange, msg7.IDSvEmoticon, msg7.IDSvKillMsg, msg7.IDSvChat} {
		for _, cid := range []int32{-100, 64, 1 << 30} {
			b := packer.AppendInt(nil, int32(id))
			for range 40 {
				b = packer.AppendInt(b, cid)
			}
			v.queue(append(b, 0, 0, 0), true)
		}
	}
	v.run(100 * time.Millisecond)
	if n := v.c.Stats().BadMessage - before; n != 18 || v.c.State() != client.Playing {
		t.Errorf("%d of 18 messages were refused; %v", n, v.c.Err())
	}
}

// TestCRCFailures: after more than ten snapshots with a wrong checksum the client
// asks for a whole one at once, and recovers.
func TestCRCFailures(t *testing.T) {
	v := newVillain(t, client.Config{})
	v.welcome()
	sizes := snapshot.ItemSizes(msg7.Sizes)
	for i := range int32(11) {
		var b snapshot.Builder
		b.Add(msg7.TypePlayerInfo, 0, msg7.SizePlayerInfo)[1] = 7
		var s snapshot.Snapshot
		b.Finish(&s)
		delta, _ := snapshot.AppendDelta(nil, nil, &s, &sizes)
		v.acks = nil
		v.queue((&msg7.SnapSingle{Tick: 10 + 2*i, DeltaTick: 11 + 2*i, CRC: s.CRC() + 1, Data: delta}).Append(nil), false)
		v.pump()
		asked := len(v.acks) > 0 && v.acks[0] == -1
		if asked != (i == 10) {
			t.Errorf("failure %d: acks %v", i+1, v.acks)
		}
		v.now = v.now.Add(time.Millisecond)
	}
	if n := v.c.Stats().CRCFailures; n != 11 {
		t.Errorf("%d failures counted", n)
	}
	v.snap(40, -1, nil)
	v.acks = nil
	v.run(100 * time.Millisecond)
	if len(v.acks) == 0 || v.acks[len(v.acks)-1] != 40 {
		t.Errorf("afterwards it acknowledges %v", v.acks)
	}
	// A base that the client does not have: nothing is acknowledged any more.
	var b snapshot.Builder
	var s snapshot.Snapshot
	b.Finish(&s)
	v.queue((&msg7.SnapSingle{Tick: 42, DeltaTick: 3, CRC: 0, Data: []byte{0, 0, 0}}).Append(nil), false)
	v.acks = nil
	v.run(100 * time.Millisecond)
	if len(v.acks) == 0 || v.acks[len(v.acks)-1] != -1 || v.c.Stats().NoBase != 1 {
		t.Errorf("without base it acknowledges %v", v.acks)
	}
}
