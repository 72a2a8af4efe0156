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

// TestRecordedScript replays matches with a script that earlier builds recorded. The costs of calls
// are part of a script's state, so the costs of a version never change. New costs are a new
// version.
func TestRecordedScript(t *testing.T) {
	for _, name := range []string{"costs1/numbers", "numbers"} {
		verifyRecorded(t, name)
	}
}

func verifyRecorded(t *testing.T, name string) {
	t.Helper()
	log := testenv.Must(os.ReadFile("../app/testdata/replays/" + name + ".twreplay"))
	res, err := replay.Verify(testenv.Must(replay.NewReader(bytes.NewReader(log))), replay.VerifyConfig{
		Modes: func(string) (game.Mode, bool) { return dm.Mode{}, true },
		NewMod: func(info replay.ModInfo) (game.Mod, error) {
			return script.New(script.Config{Name: "mods/" + info.Name + ".lua", Source: string(info.Source), Costs: info.Costs})
		},
	})
	testenv.Check(t, err == nil && res.HashesMatched > 20, "%s: %+v, %v; if it is meant to: go test ./app -run TestRecordedMatches/%[1]s -record", name,
		res, err)
}
