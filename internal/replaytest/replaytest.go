// Package replaytest has replay logs for tests.
package replaytest

import (
	"bytes"
	"errors"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/race"
	"github.com/teeyard/teeyard/game/modtest"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/maps"
)

// Modes finds the modes of the logs.
func Modes(name string) (game.Mode, bool) {
	switch name {
	case "dm":
		return dm.Mode{}, true
	case "race":
		return new(race.Mode), true
	}
	return nil, false
}

// match is a world with its log.
type match struct {
	world *game.World
	log   bytes.Buffer
	w     *replay.Writer
}

// begin begins a match with the mode of the header.
func begin(h *replay.Header, name string) (*match, error) {
	mode, _ := Modes(name)
	h.SetMode(name, mode, nil)
	w, err := game.New(game.Config{Mode: mode, Terrain: h.Terrain, Rules: h.Rules, Seed: h.Seed})
	if err != nil {
		return nil, err
	}
	h.Tuning = w.Tuning()
	h.SetVariables(w)
	m := new(match)
	if m.world, err = h.NewWorld(replay.VerifyConfig{Modes: Modes}); err != nil {
		return nil, err
	}
	m.w, err = replay.NewWriter(&m.log, h)
	return m, err
}

// step runs a tick.
func (m *match) step(cmds ...game.Command) ([]game.Event, error) {
	if err := m.w.RecordTick(cmds); err != nil {
		return nil, err
	}
	events := m.world.Step(cmds)
	return events, m.w.AfterStep(m.world)
}

// join returns the commands of a player who joins.
func join(id game.PlayerID, name string) []game.Command {
	return []game.Command{
		{Kind: game.CmdJoin, Player: id},
		{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: name}},
		{Kind: game.CmdEnterGame, Player: id},
	}
}

// Deathmatch returns a log of ten seconds on the embedded map testbox. Two players join. One of
// them has a control character in the name and kills itself.
func Deathmatch(program string) ([]byte, error) {
	file, _ := maps.Find("testbox")
	parsed, err := twmap.Parse(file.Data)
	if err != nil {
		return nil, err
	}
	layer := parsed.GameLayer()
	m, err := begin(&replay.Header{
		Program: program, StartTime: 1795231813000, Map: "testbox", MapSHA256: parsed.SHA256,
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Rules:   game.DefaultRules(), Seed: 1, IdleTicks: 100,
	}, "dm")
	if err != nil {
		return nil, err
	}
	for i := range 500 {
		var cmds []game.Command
		switch i {
		case 0:
			cmds = join(0, "nameless tee")
		case 50:
			cmds = join(1, "evil\x1b[2J")
		case 300:
			cmds = []game.Command{{Kind: game.CmdKill, Player: 1}, {Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Text: "ha"}}
		}
		if _, err := m.step(cmds...); err != nil {
			return nil, err
		}
	}
	err = m.w.Close(m.world, replay.EndMapChange)
	return m.log.Bytes(), err
}

// Joins returns a log in which players with these names join and leave, one after another. Its end
// is missing, and with it the result of the match.
func Joins(names ...string) ([]byte, error) {
	h := replay.Header{Program: "replaytest", Map: "box", Terrain: modtest.ParseMap(nil, "###", "#S#", "###"), Rules: game.DefaultRules()}
	m, err := begin(&h, "dm")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		_, err1 := m.step(join(0, name)...)
		_, err2 := m.step(game.Command{Kind: game.CmdLeave, Player: 0})
		err = errors.Join(err, err1, err2)
	}
	for range replay.BlockTicks { // the last block with names becomes whole
		_, stepErr := m.step()
		err = errors.Join(err, stepErr)
	}
	return m.log.Bytes(), err
}

// Race returns a log in which ann finishes three times: first after a detour, then faster, then
// slower again. finishes are the requests that the match makes of the ranks.
func Race() (log []byte, finishes []game.RankRequest, err error) {
	terrain := modtest.ParseMap(map[byte]byte{'s': 33, 'f': 34},
		"#######################",
		"#     S  s       f    #",
		"#######################")
	h := replay.Header{Program: "replaytest", Map: "course", Terrain: terrain, Rules: game.DefaultRules(), Seed: 4}
	h.Rules.Warmup = 0
	m, err := begin(&h, "race")
	if err != nil {
		return nil, nil, err
	}
	step := func(cmds ...game.Command) {
		events, stepErr := m.step(cmds...)
		err = errors.Join(err, stepErr)
		for _, e := range events {
			if e.Kind == game.EvStore && e.Store.Rank != nil && e.Store.Rank.Op == game.RankFinish {
				finishes = append(finishes, *e.Store.Rank)
			}
		}
	}
	step(join(0, "ann")...)
	for _, pause := range []int{60, 20, 90} {
		done := len(finishes)
		for tick := 0; len(finishes) == done && tick < 800; tick++ {
			in := game.Input{Direction: 1, TargetX: 1}
			if f := m.world.Frame(); len(f.Characters) > 0 && pause > 0 && f.Characters[0].Pos.X > 10*32 {
				in.Direction = 0
				pause--
			}
			step(game.Command{Kind: game.CmdInput, Player: 0, Input: in})
		}
		step(game.Command{Kind: game.CmdKill, Player: 0})
		for range 200 {
			step(game.Command{Kind: game.CmdInput, Player: 0, Input: game.Input{TargetX: 1}})
		}
	}
	err = errors.Join(err, m.w.Close(m.world, replay.EndShutdown))
	if f := finishes; err == nil && (len(f) != 3 || f[1].Time >= f[0].Time || f[0].Time >= f[2].Time) {
		err = errors.New("replaytest: ann does not finish as intended")
	}
	return m.log.Bytes(), finishes, err
}
