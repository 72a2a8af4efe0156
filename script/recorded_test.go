package script_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/script"
)

// TestRecordedScript runs a match with a script again that an earlier build recorded. What calls of
// scripts cost is part of their state: after a change of that the match is recorded anew.
func TestRecordedScript(t *testing.T) {
	log := testenv.Must(os.ReadFile("../app/testdata/replays/numbers.twreplay"))
	res, err := replay.Verify(testenv.Must(replay.NewReader(bytes.NewReader(log))), replay.VerifyConfig{
		Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true },
		NewMod: func(info replay.ModInfo) (game.Mod, error) {
			return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
		},
	})
	testenv.Check(t, err == nil && res.HashesMatched > 20, "%+v, %v; if it is meant to: go test ./app -run TestRecordedMatches -record", res, err)
}
