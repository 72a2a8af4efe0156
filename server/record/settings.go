package record

import (
	"github.com/teeyard/teeyard/game/replay"
	"github.com/teeyard/teeyard/server/console"
)

// Settings holds the variables of the recordings. Switches are 0 or 1. "ours" and "DDNet's" mark
// names that Teeworlds 0.7.5 lacks.
type Settings struct {
	AutoDemoRecord       int    // sv_auto_demo_record
	AutoDemoMax          int    // sv_auto_demo_max
	DemoFormat           string // sv_demo_format, ours
	Replay               int    // sv_replay, ours
	ReplayMaxSize        int    // sv_replay_max_size, ours
	ReplayMaxFiles       int    // sv_replay_max_files, ours
	TeeHistorian         int    // sv_tee_historian, DDNet's
	TeeHistorianMaxSize  int    // sv_tee_historian_max_size, ours
	TeeHistorianMaxFiles int    // sv_tee_historian_max_files, ours
}

// Register adds the variables and commands to a console.
func (r *Recorder) Register(c *console.Console) error {
	s := &r.Settings
	format := console.StringVar{Name: "sv_demo_format", Help: "Formats of recorded demos (tw07, ddnet, or both separated by a comma)",
		Flags: console.Server | console.Save, Value: &s.DemoFormat, Default: "tw07", Size: 16}
	if err := c.RegisterString(format); err != nil {
		return err
	}
	for _, v := range []console.IntVar{
		{Name: "sv_auto_demo_record", Help: "Record a demo of each match", Value: &s.AutoDemoRecord, Max: 1},
		{Name: "sv_auto_demo_max", Help: "Number of automatically recorded demos to keep (0 = all)", Value: &s.AutoDemoMax, Default: 10, Max: 1000},
		{Name: "sv_replay", Help: "Record matches as replay logs (1 takes effect with the next map)", Value: &s.Replay, Default: 1, Max: 1},
		{Name: "sv_replay_max_size", Help: "Largest size of a replay log in megabytes", Value: &s.ReplayMaxSize, Default: 64, Min: 1, Max: 4096},
		{Name: "sv_replay_max_files", Help: "Number of replay logs to keep; the server deletes the oldest (0 = keep all)",
			Value: &s.ReplayMaxFiles, Default: 30, Max: 10000},
		{Name: "sv_tee_historian", Help: "Record DDRace matches as teehistorians, as DDNet-Server does (1 takes effect with the next map)",
			Value: &s.TeeHistorian, Max: 1},
		{Name: "sv_tee_historian_max_size", Help: "Largest size of a teehistorian in megabytes",
			Value: &s.TeeHistorianMaxSize, Default: 1024, Min: 1, Max: 65536},
		{Name: "sv_tee_historian_max_files", Help: "Number of teehistorians to keep; the server deletes the oldest (0 = keep all)",
			Value: &s.TeeHistorianMaxFiles, Max: 10000},
	} {
		v.Flags = console.Server | console.Save
		if err := c.RegisterInt(v); err != nil {
			return err
		}
	}
	for _, cmd := range []console.Command{
		{Name: "record", Params: "?s[file]", Help: "Record to a file", Flags: console.Server | console.Store, Run: r.cmdRecord},
		{Name: "stoprecord", Help: "Stop recording", Flags: console.Server, Run: r.cmdStopRecord},
	} {
		if err := c.Register(cmd); err != nil {
			return err
		}
	}
	for name, f := range map[string]func(*console.Call){
		"sv_demo_format": r.checkDemoFormat,
		"sv_replay": func(*console.Call) {
			if s.Replay == 0 {
				r.endReplay(replay.EndTurnedOff)
			}
		},
		"sv_tee_historian": func(*console.Call) {
			if s.TeeHistorian == 0 {
				r.endTeehistorian()
			}
		},
	} {
		if err := c.After(name, f); err != nil {
			return err
		}
	}
	return nil
}
