//go:build peers

package pictures

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/teeyard/teeyard/bot"
	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/builtin"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// names are the players of all pictures.
var names = []string{"Momo", "kitty", "Juniper", "zero", "Tilda", "bopp", "Nimbus", "ranger", "Pip", "Olive"}

// skin returns the look of a player.
func skin(i int) game.Skin {
	bodies := []string{"standard", "kitty", "bear", "fox", "koala", "mouse", "piglet", "raccoon", "spiky", "beaver"}
	markings := []string{"stripes", "", "duodonny", "unibop", "", "toptri", "donny", "bear", "lowcross", "stripe"}
	colors := []int32{0x1BB86E, 0x95A850, 0x0AC870, 0x55A060, 0xC8A078, 0x28C060, 0xE0B070, 0x70B068, 0xA8A870, 0x3CB858}
	return peers.NewSkin(colors[i%len(colors)], bodies[i%len(bodies)], markings[i%len(markings)], "", "standard", "standard", "standard")
}

// match is a match to record. The same match gives the same file.
type match struct {
	file       string // its name in replays
	mapName    string // a map of Teeworlds
	mode       string
	start      time.Time
	players    int
	length     time.Duration
	seed       uint64
	scoreLimit int32
}

// record records a match of bots with the names of players.
func record(t *testing.T, dir string, m match) {
	t.Helper()
	modes := func(name string) (game.Mode, bool) {
		for _, known := range builtin.Modes() {
			if known.Name == name {
				return known.New(), true
			}
		}
		return nil, false
	}
	file := testenv.Must(twmap.Parse(testenv.Must(os.ReadFile(filepath.Join(peers.OriginalMaps, m.mapName+".map")))))
	layer := file.GameLayer()
	h := &replay.Header{
		Program: "teeyard", StartTime: m.start.UnixMilli(), Map: m.mapName, MapSHA256: file.SHA256,
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Rules:   game.DefaultRules(), Seed: m.seed, IdleTicks: 100,
	}
	h.Rules.MaxClients, h.Rules.PlayerSlots = 16, 16
	h.Rules.Warmup, h.Rules.SpamProtection, h.Rules.ScoreLimit = 0, false, m.scoreLimit
	mode, _ := modes(m.mode)
	h.SetMode(m.mode, mode, nil)
	first := testenv.Must(game.New(game.Config{Mode: mode, Terrain: h.Terrain, Rules: h.Rules, Seed: h.Seed}))
	h.Tuning = first.Tuning()
	h.SetVariables(first)
	w := testenv.Must(h.NewWorld(replay.VerifyConfig{Modes: modes}))
	path := filepath.Join(dir, m.file)
	out := testenv.Must(os.Create(path))
	defer out.Close()
	log := testenv.Must(replay.NewWriter(out, h))
	step := func(cmds []game.Command) {
		testenv.NoError(t, log.RecordTick(cmds))
		w.Step(cmds)
		testenv.NoError(t, log.AfterStep(w))
	}

	nav := testenv.Must(bot.NewNavGraph(h.Terrain, nil))
	bots := make([]*bot.Bot, m.players)
	var join []game.Command
	for i := range bots {
		id := game.PlayerID(i)
		bots[i] = testenv.Must(bot.New(bot.Config{Nav: nav, Skill: bot.MaxSkill, Seed: m.seed + uint64(i)}))
		join = append(join,
			game.Command{Kind: game.CmdJoin, Player: id, AddrHash: uint64(i)},
			game.Command{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: names[i], Skin: skin(i)}},
			game.Command{Kind: game.CmdEnterGame, Player: id})
	}
	step(join)
	for tick := range int(m.length.Seconds() * game.TickRate) {
		var cmds []game.Command
		for i, b := range bots {
			v := w.View(game.PlayerID(i))
			in := b.NextInput(&v)
			cmds = append(cmds, game.Command{Kind: game.CmdDirectInput, Player: game.PlayerID(i), Input: in},
				game.Command{Kind: game.CmdInput, Player: game.PlayerID(i), Input: in})
		}
		const often, turns = 170, 90
		if tick%often == turns {
			cmds = append(cmds, game.Command{Kind: game.CmdEmoticon, Player: game.PlayerID(tick / often % m.players), Value: int32(tick / often % 16)})
		}
		step(cmds)
	}
	testenv.NoError(t, log.Close(w, replay.EndMapChange))
	end := m.start.Add(m.length)
	testenv.NoError(t, os.Chtimes(path, end, end)) // the server lists files that nothing writes any more
}
