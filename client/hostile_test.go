package client_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/teeyard/teeyard/client"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/packer"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// TestMapNamesStayInTheCache checks that no map name leads out of the cache folder.
func TestMapNamesStayInTheCache(t *testing.T) {
	refused := []string{"../../etc/passwd", "..\\..\\x", "a/b", "/etc/passwd", "C:evil", ".hidden", "..", "."}
	for _, name := range refused {
		hs := newHostileServer(t, client.Config{})
		hs.onInfo = func() { hs.announceMap(name, nil) }
		hs.connect()
		if err := hs.client.Err(); !errors.Is(err, client.ErrMap) || len(hs.mapRequests) != 0 {
			t.Errorf("%q: asked %d times, %v", name, len(hs.mapRequests), err)
		}
	}
	for _, name := range []string{"ctf 5", "\x1b]0;x\a", "\u202egnp", strings.Repeat("x", 300), "NUL", "a\xffb", "café"} {
		dir := t.TempDir()
		hs := newHostileServer(t, client.Config{Maps: client.NewMaps(filepath.Join(dir, "maps"))})
		hs.onInfo = func() { hs.announceMap(name, nil) }
		hs.connect()
		m := hs.client.Map()
		if !hs.ready || m == nil || filepath.Dir(m.Path) != filepath.Join(dir, "maps") {
			t.Errorf("%q: ready %v, kept in %+v, %v", name, hs.ready, m.Path, hs.client.Err())
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

// TestMapDataMustBeAsAnnounced checks that data that differs from the announcement is rejected, and
// that memory is allocated only for received data.
func TestMapDataMustBeAsAnnounced(t *testing.T) {
	chunk := func(n int) *msg7.MapData { return &msg7.MapData{Data: make([]byte, n)} }
	for _, c := range []struct {
		name   string
		change func(m *msg7.MapChange)
		answer func(hs *hostileServer)
		want   string
	}{
		{"no size", func(m *msg7.MapChange) { m.Size = 0 }, nil, "invalid map size"},
		{"below nothing", func(m *msg7.MapChange) { m.Size = -5 }, nil, "invalid map size"},
		{"too large", func(m *msg7.MapChange) { m.Size = 1<<31 - 1 }, nil, "invalid map size"},
		{"no chunks", func(m *msg7.MapChange) { m.ChunksPerRequest = 0 }, nil, "chunks"},
		{"chunks below nothing", func(m *msg7.MapChange) { m.ChunkSize = -1384 }, nil, "chunks"},
		{"a chunk too long", nil, func(hs *hostileServer) { hs.send(chunk(1385)) }, "has 1385 bytes instead of 1384"},
		{"a chunk too short", nil, func(hs *hostileServer) { hs.send(chunk(1)) }, "has 1 bytes instead of 1384"},
		{"an empty chunk", nil, func(hs *hostileServer) { hs.send(chunk(0)) }, "has 0 bytes"},
		{"beyond the end", func(m *msg7.MapChange) { m.Size = 1000 }, func(hs *hostileServer) { hs.send(chunk(1384)) }, "has 1384 bytes instead of 1000"},
		{"other bytes", func(m *msg7.MapChange) { m.Size = 1000 }, func(hs *hostileServer) { hs.send(chunk(1000)) }, "is not the announced map"},
		{"right checksum, wrong hash", func(m *msg7.MapChange) { m.SHA256.Sum[0] ^= 1 }, nil, "is not the announced map"},
		{"no map", func(m *msg7.MapChange) {
			b := make([]byte, 1000)
			m.Size, m.CRC, m.SHA256.Sum = 1000, int32(crc32.ChecksumIEEE(b)), sha256.Sum256(b)
		}, func(hs *hostileServer) { hs.send(chunk(1000)) }, "bad map"},
	} {
		hs := newHostileServer(t, client.Config{})
		if c.answer != nil {
			hs.onMapRequest = func(int32) { c.answer(hs) }
		}
		hs.onInfo = func() { hs.announceMap("yard", c.change) }
		hs.connect()
		if err := hs.client.Err(); !errors.Is(err, client.ErrMap) || !strings.Contains(err.Error(), c.want) || hs.ready {
			t.Errorf("%s: ready %v, %v", c.name, hs.ready, err)
		}
	}

	// 64 MB announced, one chunk sent.
	hs := newHostileServer(t, client.Config{})
	hs.onMapRequest = func(int32) { hs.send(chunk(1384)) }
	hs.onInfo = func() { hs.announceMap("yard", func(m *msg7.MapChange) { m.Size = 64 << 20 }) }
	if n := testenv.Allocated(hs.connect); n > 8<<20 {
		t.Errorf("an announcement costs %d bytes", n)
	}
	// Chunks after the end, and chunks that were not requested.
	hs = newHostileServer(t, client.Config{})
	hs.letIn()
	for range 20 {
		hs.send(chunk(1384))
	}
	hs.run(100 * time.Millisecond)
	if hs.client.State() != client.Playing {
		t.Errorf("chunks that nobody asked for: %v", hs.client.Err())
	}
}

// TestTextsAreSanitised checks that no text from a server can control a terminal.
func TestTextsAreSanitised(t *testing.T) {
	hs := newHostileServer(t, client.Config{})
	hs.letIn()
	evil := []byte("\x1b[2J\x9b31m\u009b31m\x7f\u202e\u200e\u061c\u2028\x07x")
	// The encoders of messages truncate texts, so write some messages by hand.
	hs.send(&msg7.SvClientInfo{ClientID: 5, Name: evil[:14], Clan: evil[:9], Skin: msg7.Skin{Parts: [6][]byte{evil[:10]}}})
	hs.send(&msg7.SvChat{Mode: msg7.ChatAll, ClientID: 5, TargetID: -1, Message: evil})
	hs.send(&msg7.SvMotd{Message: append([]byte("one\n"), evil...)})
	hs.send(&msg7.SvBroadcast{Message: evil})
	hs.send(&msg7.RconAuthOn{})
	hs.send(&msg7.RconLine{Line: evil})
	hs.send(&msg7.RconCmdAdd{Name: evil, Help: evil, Params: evil})
	hs.send(&msg7.MaplistEntryAdd{Name: evil})
	hs.send(&msg7.SvCommandInfo{Name: evil, ArgsFormat: evil, HelpText: evil})
	hs.send(&msg7.SvVoteOptionListAdd{Descriptions: [][]byte{evil, evil}})
	hs.send(&msg7.SvVoteOptionAdd{Description: evil})
	hs.send(&msg7.SvVoteSet{ClientID: 5, Type: msg7.VoteStartOption, Timeout: 25, Description: evil, Reason: evil})
	hs.send(&msg7.ServerInfo{Record: msg7.InfoRecord{Version: evil, Name: evil, Hostname: evil, Map: evil, GameType: evil}})
	hs.send(&msg7.SvClientDrop{ClientID: 5, Reason: evil})
	hs.run(100 * time.Millisecond)
	if n := hs.client.Stats().BadMessage; n != 0 {
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
	for _, e := range hs.events {
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
	info, _ := hs.client.PlayerInfo(5)
	check("skin", info.Profile.Skin.PartNames[0])
	for _, c := range append(hs.client.RconCommands(), hs.client.ChatCommands()...) {
		check("command", c.Name+c.Params+c.Help)
	}
	for _, s := range append(hs.client.MapList(), hs.client.VoteOptions()...) {
		check("list", s)
	}
	if len(seen) != 12 {
		t.Errorf("only saw %v", seen)
	}
	// The reason for a kick is shown on terminals, too.
	hs.conn.Close(hs.now, string(evil))
	hs.exchange()
	d, ok := hs.events[len(hs.events)-1].(event.Disconnected)
	if !ok || strings.ContainsAny(d.Text, "\x1b\x07\x7f") || strings.ContainsAny(hs.client.Err().Error(), "\x1b\x07\x7f\u202e\u009b") {
		t.Errorf("got %q", hs.client.Err())
	}
}

// TestListsAreBounded checks that lists stop growing.
func TestListsAreBounded(t *testing.T) {
	testenv.OneGoroutine(t)
	hs := newHostileServer(t, client.Config{})
	hs.letIn()
	hs.send(&msg7.RconAuthOn{})
	for i := range 9000 {
		text := fmt.Appendf(nil, "n%d", i)
		hs.send(&msg7.RconCmdAdd{Name: text})
		hs.send(&msg7.MaplistEntryAdd{Name: text})
		hs.send(&msg7.SvVoteOptionAdd{Description: text})
		hs.send(&msg7.SvCommandInfo{Name: text})
		if i%20 == 0 {
			hs.snapshot(int32(10+i/10), nil) // without snapshots the client sends and acknowledges little
			hs.run(40 * time.Millisecond)
		}
	}
	hs.run(100 * time.Millisecond)
	for what, n := range map[string]int{"commands": len(hs.client.RconCommands()), "maps": len(hs.client.MapList()), "votes": len(hs.client.VoteOptions()),
		"chat": len(hs.client.ChatCommands())} {
		if n != 4096 {
			t.Errorf("%d %s", n, what)
		}
	}
}

// TestHostileSnapshotsAreHarmless sends endless parts, ids and values out of range, and absurd
// speeds.
func TestHostileSnapshotsAreHarmless(t *testing.T) {
	hs := newHostileServer(t, client.Config{PredictAll: true, Play: func(*client.Client, *game.View) game.Input { return game.Input{Direction: 1} }})
	hs.letIn()
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
			hs.queue(m.Append(nil), false)
		}
		tick += 2
		hs.run(20 * time.Millisecond)
	}
	big := int32(1<<31 - 1)
	hs.snapshot(tick, func(b *snapshot.Builder) {
		// Every item type with every kind of invalid data.
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
		// Well-formed tees that are absurdly fast, and one far in the past.
		for id := range 64 {
			o := msg7.Character{
				CharacterCore: msg7.CharacterCore{
					Tick:         tick - int32(id*3),
					VelX:         big,
					VelY:         -big,
					X:            big,
					Y:            -big,
					HookedPlayer: -1,
					HookX:        -big,
					HookState:    4,
					HookDX:       big,
				},
			}
			if id%2 == 0 {
				o.VelX, o.VelY, o.Tick = 100*256, 9*256, tick-149
			}
			o.PutInts(b.Add(msg7.TypeCharacter, id, msg7.SizeCharacter))
		}
	})
	start := time.Now()
	hs.run(40 * time.Millisecond)
	if hs.client.State() != client.Playing {
		t.Fatalf("%v", hs.client.Err())
	}
	seen := 0
	hs.client.WithView(func(w *game.View) {
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
	hs.client.WithPredictedView(func(*game.View) {})
	t.Logf("the absurd snapshot took %v", time.Since(start))

	// Messages with ids out of range are rejected.
	before := hs.client.Stats().BadMessage
	for _, id := range []msg7.ID{msg7.IDSvClientInfo, msg7.IDSvClientDrop, msg7.IDSvSkinChange, msg7.IDSvEmoticon, msg7.IDSvKillMsg, msg7.IDSvChat} {
		for _, cid := range []int32{-100, 64, 1 << 30} {
			b := packer.AppendInt(nil, int32(id))
			for range 40 {
				b = packer.AppendInt(b, cid)
			}
			hs.queue(append(b, 0, 0, 0), true)
		}
	}
	hs.run(100 * time.Millisecond)
	if n := hs.client.Stats().BadMessage - before; n != 18 || hs.client.State() != client.Playing {
		t.Errorf("%d of 18 messages were refused; %v", n, hs.client.Err())
	}
}

// TestCRCFailuresAskForAWholeSnapshot checks that the client requests a snapshot without a base
// after more than ten with a wrong checksum, and recovers.
func TestCRCFailuresAskForAWholeSnapshot(t *testing.T) {
	hs := newHostileServer(t, client.Config{})
	hs.letIn()
	sizes := snapshot.ItemSizes(msg7.Sizes)
	for i := range int32(11) {
		var b snapshot.Builder
		b.Add(msg7.TypePlayerInfo, 0, msg7.SizePlayerInfo)[1] = 7
		var s snapshot.Snapshot
		b.Finish(&s)
		delta, _ := snapshot.AppendDelta(nil, nil, &s, &sizes)
		hs.acks = nil
		hs.queue((&msg7.SnapSingle{Tick: 10 + 2*i, DeltaTick: 11 + 2*i, CRC: s.CRC() + 1, Data: delta}).Append(nil), false)
		hs.exchange()
		asked := len(hs.acks) > 0 && hs.acks[0] == -1
		if asked != (i == 10) {
			t.Errorf("failure %d: acks %v", i+1, hs.acks)
		}
		hs.now = hs.now.Add(time.Millisecond)
	}
	if n := hs.client.Stats().CRCFailures; n != 11 {
		t.Errorf("%d failures counted", n)
	}
	hs.snapshot(40, nil)
	hs.acks = nil
	hs.run(100 * time.Millisecond)
	if len(hs.acks) == 0 || hs.acks[len(hs.acks)-1] != 40 {
		t.Errorf("afterwards it acknowledges %v", hs.acks)
	}
	// A base that the client does not have: it acknowledges nothing more.
	var b snapshot.Builder
	var s snapshot.Snapshot
	b.Finish(&s)
	hs.queue((&msg7.SnapSingle{Tick: 42, DeltaTick: 3, CRC: 0, Data: []byte{0, 0, 0}}).Append(nil), false)
	hs.acks = nil
	hs.run(100 * time.Millisecond)
	if len(hs.acks) == 0 || hs.acks[len(hs.acks)-1] != -1 || hs.client.Stats().NoBase != 1 {
		t.Errorf("without base it acknowledges %v", hs.acks)
	}
}

// openRcon lets the client join and log in. The server passes its commands to run.
func (hs *hostileServer) openRcon(run func(line string)) {
	hs.onRcon = run
	hs.letIn()
	hs.send(&msg7.RconAuthOn{})
	hs.run(20 * time.Millisecond)
}

// rconRun calls RconRun while time passes. It calls then when the server has received the command.
func (hs *hostileServer) rconRun(t *testing.T, line string, then func()) (lines []string, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	asked := len(hs.rconLines)
	hs.held = true
	defer func() { hs.held = false }()
	done := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(done)
		lines, err = hs.client.RconRun(ctx, line)
	}()
	for {
		select {
		case <-done:
			return lines, err
		default:
		}
		hs.run(10 * time.Millisecond)
		hs.mu.Lock()
		datagrams := hs.heldBack
		hs.heldBack = nil
		hs.mu.Unlock()
		for _, b := range datagrams {
			hs.feed(b)
		}
		if len(hs.rconLines) >= asked+2 && then != nil {
			once.Do(then)
		}
		time.Sleep(100 * time.Microsecond)
	}
}

// TestRconRunReturnsAllLines checks that RconRun returns the whole output of a command, whatever
// commands the server knows.
func TestRconRunReturnsAllLines(t *testing.T) {
	hs := newHostileServer(t, client.Config{NoMap: true})
	hs.openRcon(func(line string) {
		if line == "status" {
			hs.send(&msg7.RconLine{Line: []byte("one")})
			hs.send(&msg7.RconLine{Line: []byte("two")})
			return
		}
		hs.send(&msg7.RconLine{Line: []byte("No such command: " + line + ".")})
	})
	for range 2 {
		if lines, err := hs.rconRun(t, "status", nil); err != nil || !slices.Equal(lines, []string{"one", "two"}) {
			t.Fatalf("%q, %v", lines, err)
		}
	}
	if lines, err := hs.rconRun(t, "nonsense", nil); err != nil || len(lines) != 1 || !strings.Contains(lines[0], "nonsense") {
		t.Fatalf("%q, %v", lines, err)
	}
}

// TestRconRunEndsWithTheConnection checks that RconRun returns when the connection ends.
func TestRconRunEndsWithTheConnection(t *testing.T) {
	for name, c := range map[string]struct {
		then func(hs *hostileServer)
		want error
	}{
		"server closes": {func(hs *hostileServer) { hs.conn.Close(hs.now, "bye"); hs.exchange() }, client.ErrClosed},
		"logged out":    {func(hs *hostileServer) { hs.send(&msg7.RconAuthOff{}) }, client.ErrRcon},
		"we leave":      {func(hs *hostileServer) { hs.client.Close() }, client.ErrClosed},
		"reconnected":   {func(hs *hostileServer) { hs.client.Connect(hs.now) }, client.ErrClosed},
	} {
		hs := newHostileServer(t, client.Config{NoMap: true})
		hs.openRcon(func(string) {}) // answers nothing
		if lines, err := hs.rconRun(t, "status", func() { c.then(hs) }); !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, lines, err)
		}
	}
	hs := newHostileServer(t, client.Config{NoMap: true})
	hs.letIn()
	if _, err := hs.rconRun(t, "status", nil); !errors.Is(err, client.ErrRcon) {
		t.Errorf("not logged in: %v", err)
	}
}
