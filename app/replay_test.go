package app

import (
	"bytes"
	"os"

	"github.com/teeyard/teeyard/format/twmap"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/maps"
	"github.com/teeyard/teeyard/server"
)

// writeReplay writes a log of ten seconds in which two players join. One of them has a control
// character in the name and kills itself.
func writeReplay(name, program string) error {
	m, _ := maps.Find("testbox")
	parsed, err := twmap.Parse(m.Data)
	if err != nil {
		return err
	}
	layer := parsed.GameLayer()
	h := &replay.Header{
		Program: program, StartTime: 1795231813000, Map: "testbox", MapSHA256: parsed.SHA256,
		Terrain: game.Terrain{Width: layer.Width, Height: layer.Height, Tiles: layer.Indices()},
		Rules:   game.DefaultRules(), Seed: 1, IdleTicks: 100,
	}
	mode, _ := server.BuiltinModes().New("dm")
	h.SetMode("dm", mode, nil)
	w, err := h.NewWorld(replay.VerifyConfig{Modes: server.BuiltinModes().New})
	if err != nil {
		return err
	}
	var out bytes.Buffer
	wr, err := replay.NewWriter(&out, h)
	if err != nil {
		return err
	}
	for i := range 500 {
		var cmds []game.Command
		switch i {
		case 0, 50:
			id := game.PlayerID(i / 50)
			cmds = []game.Command{
				{Kind: game.CmdJoin, Player: id},
				{Kind: game.CmdProfile, Player: id, Profile: &game.Profile{Name: []string{"nameless tee", "evil\x1b[2J"}[id]}},
				{Kind: game.CmdEnterGame, Player: id},
			}
		case 300:
			cmds = []game.Command{{Kind: game.CmdKill, Player: 1}, {Kind: game.CmdSay, Player: 0, Chat: game.ChatAll, Text: "ha"}}
		}
		if err := wr.RecordTick(cmds); err != nil {
			return err
		}
		w.Step(cmds)
		if err := wr.AfterStep(w); err != nil {
			return err
		}
	}
	if err := wr.Close(w, replay.EndMapChange); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o600)
}
