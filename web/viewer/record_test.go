package viewer

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/format/demo"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/recorder"
)

// recorded caches the demos of record, since bots are slow.
var recorded sync.Map

// recordedMap is the map of record's demos. It has flags.
var recordedMap, _ = maps.Find("testbox")

// record records a capture-the-flag match of bots, who sometimes chat.
func record(t testing.TB, players, ticks int) []byte {
	t.Helper()
	key := fmt.Sprint(players, " ", ticks)
	if b, ok := recorded.Load(key); ok {
		return b.([]byte)
	}
	file := recordedMap
	layer := testenv.Must(twmap.Parse(file.Data)).GameLayer()
	terrain := game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()}
	rules := game.DefaultRules()
	rules.MaxClients, rules.PlayerSlots, rules.SpamProtection, rules.ScoreLimit = 64, 64, false, 0
	w := testenv.Must(game.New(game.Config{Terrain: terrain, Mode: ctf.Mode{}, Rules: rules, Seed: 7}))
	nav := testenv.Must(bot.NewNavGraph(terrain, nil))

	cfg := recorder.Config{}
	m := &bridge.Map{Name: file.Name, File: file.Data, CRC: crc32.ChecksumIEEE(file.Data), SHA256: sha256.Sum256(file.Data)}
	var out memFile
	demoWriter := testenv.Must(demo.NewWriter(&out, cfg.Header(m, time.Unix(0, 0)), m.File))
	r := recorder.New(cfg)
	var rec recorder.Record
	step := func(cmds []game.Command) {
		events := w.Step(cmds)
		r.Tick(w, events)
		for i := range events {
			r.Event(w, &events[i])
		}
		if r.Due(w) {
			r.Take(w, &rec)
			testenv.NoError(t, rec.WriteTo(demoWriter))
		}
	}

	bots := make([]*bot.Bot, players)
	var join []game.Command
	for id := range bots {
		bots[id] = testenv.Must(bot.New(bot.Config{Nav: nav, Skill: 1 + id%bot.MaxSkill, Seed: uint64(id)}))
		p := game.Profile{Name: fmt.Sprintf("player %d ü", id), Clan: "clän", Country: int32(id), Skin: game.Skin{
			PartNames:       [...]string{"standard", "stripes", "", "standard", "standard", "standard"},
			UseCustomColors: [...]bool{true, id%2 == 0, false, false, true, false},
			PartColors:      [...]int32{int32(id) << 16 * 9, -1, 0, 0, int32(id) << 12, 0},
		}}
		join = append(join,
			game.Command{Kind: game.CmdJoin, Player: game.PlayerID(id), AddrHash: uint64(id)},
			game.Command{Kind: game.CmdProfile, Player: game.PlayerID(id), Profile: &p},
			game.Command{Kind: game.CmdEnterGame, Player: game.PlayerID(id)})
	}
	step(join)
	for tick := range ticks {
		var cmds []game.Command
		for id, b := range bots {
			v := w.View(game.PlayerID(id))
			in := b.NextInput(&v)
			cmds = append(cmds,
				game.Command{Kind: game.CmdDirectInput, Player: game.PlayerID(id), Input: in},
				game.Command{Kind: game.CmdInput, Player: game.PlayerID(id), Input: in})
		}
		speaker := game.PlayerID(tick / 50 % players)
		switch tick % 150 {
		case 20:
			cmds = append(
				cmds,
				game.Command{Kind: game.CmdSay, Player: speaker, Chat: game.ChatAll, Target: game.Nobody, Text: fmt.Sprintf("<b>it is %d</b>", tick)},
			)
		case 70:
			cmds = append(cmds, game.Command{Kind: game.CmdEmoticon, Player: speaker, Value: int32(tick / 50 % 16)})
		case 140:
			cmds = append(cmds, game.Command{Kind: game.CmdKill, Player: speaker})
		}
		step(cmds)
	}
	testenv.NoError(t, demoWriter.Close())
	recorded.Store(key, out.Bytes())
	return out.Bytes()
}

// memFile is a file in memory. The writer later overwrites its header.
type memFile struct{ bytes.Buffer }

// WriteAt implements io.WriterAt.
func (f *memFile) WriteAt(b []byte, at int64) (int, error) {
	if at < 0 || at+int64(len(b)) > int64(f.Len()) {
		return 0, io.ErrShortWrite
	}
	return copy(f.Bytes()[at:], b), nil
}
