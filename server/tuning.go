package server

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/server/console"
	"github.com/teeyard/teeyard/server/internal/rules"
)

// tuneCommands is the server with the console commands for its tuning.
type tuneCommands struct{ *Server }

// impureTuning is printed when a game type wants the standard tuning.
const impureTuning = "resetting tuning due to pure server"

// set changes the world's tuning. The modes of the original allow standard tuning only. Before the
// start, the mode is not known.
func (s tuneCommands) set(call *console.Call, t game.Tuning) {
	if pure := physics.DefaultTuning(); t != pure && s.started && s.world.Rules().PureTuning && rules.IsPure(s.mods.Settings.GameType) {
		call.Warn("server", impureTuning)
		t = pure
	}
	s.tuning = t
	s.queueCommand(game.Command{Kind: game.CmdTuneParams, Player: game.Nobody, Target: game.Nobody, Tuning: &t})
}

// tuneParamArg returns the index of the tuning parameter that the first argument names. For an
// unknown name, it prints an error and returns a number below 0.
func tuneParamArg(call *console.Call) int {
	i := physics.TuneParamIndex(call.Arg(0))
	if i < 0 {
		call.Warn("tuning", "No such tuning parameter")
		var names []string
		for i := range physics.NumTuneParams {
			names = append(names, physics.TuneParamName(i))
		}
		if name := console.Similar(call.Arg(0), names); name != "" {
			call.Print("tuning", "did you mean %s? tunes lists all parameters", name)
		} else {
			call.Print("tuning", "tunes lists all parameters")
		}
	}
	return i
}

func (s tuneCommands) tune(call *console.Call) {
	if !s.started && physics.TuneParamIndex(call.Arg(0)) < 0 && ddrace.TuneParamIndex(call.Arg(0)) >= 0 {
		return // for maps of DDRace
	}
	i := tuneParamArg(call)
	if i < 0 {
		return
	}
	name := physics.TuneParamName(i)
	if len(call.Args) < 2 {
		t := s.inForce()
		call.Print("tuning", "%s %.2f", name, float64(t[i])/100)
		return
	}
	t := s.tuning
	t.SetAt(i, float32(call.Float(1)))
	call.Print("tuning", "%s changed to %.2f", name, float64(t[i])/100)
	s.set(call, t)
}

func (s tuneCommands) reset(call *console.Call) {
	if call.Arg(0) == "" {
		s.set(call, physics.DefaultTuning())
		call.Print("tuning", "Tuning reset")
		return
	}
	i := tuneParamArg(call)
	if i < 0 {
		return
	}
	t := s.tuning
	t[i] = physics.DefaultTuning()[i]
	call.Print("tuning", "%s reset to %.2f", physics.TuneParamName(i), float64(t[i])/100)
	s.set(call, t)
}

func (s tuneCommands) list(call *console.Call) {
	for i, v := range s.inForce() {
		call.Print("tuning", "%s %.2f", physics.TuneParamName(i), float64(v)/100)
	}
}

// inForce returns the standard tuning if the world allows no other one, and the configured tuning
// otherwise.
func (s tuneCommands) inForce() game.Tuning {
	if s.started && s.world.Rules().PureTuning {
		return physics.DefaultTuning()
	}
	return s.tuning
}
