package script

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	rt "github.com/arnodel/golua/runtime"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/ctf"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/game/mode/lms"
	"github.com/teeyard/teeyard/game/mode/lts"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/game/vec"
)

// Mode is a whole game type written in Lua: a script that declares mode{name = "CATCH"}. With like
// it changes the rules of an original game type, as a mod does.
type Mode struct {
	Mod
	modeSpec // of the first source: a reload does not change it
}

var (
	_ game.Mode     = (*Mode)(nil)
	_ game.Reloader = (*Mode)(nil)
)

// modeSpec holds the fields of mode{}.
type modeSpec struct {
	name  string
	flags game.GameFlags
	like  game.Mode // nil: the file has all rules
}

// alikes are the values of like.
var alikes = newNames("dm, tdm, ctf, lms or lts", map[string]game.Mode{
	"dm": dm.Mode{}, "tdm": tdm.Mode{}, "ctf": ctf.Mode{}, "lms": lms.Mode{}, "lts": lts.Mode{},
})

// maxModeName is the length of the longest name that every client shows, in bytes.
const maxModeName = 15

// The errors for a mod used as a game type and the other way round.
var (
	errIsMode = errors.New("this script is a game type, because it has mode{}; use sv_gametype, not sv_mods")
	errNoMode = errors.New(`this script is a mod; use sv_mods, not sv_gametype, or declare mode{name = "NAME"}`)
)

// NewMode reads a script that is a game type. The error begins with the name of the file.
func NewMode(cfg Config) (*Mode, error) {
	m := &Mode{Mod: newMod(cfg)}
	m.isMode = true
	var err error
	if m.vm, err = m.load(cfg.Source); err != nil {
		return nil, err
	}
	m.modeSpec = *m.vm.declared.mode
	return m, nil
}

// declareMode is the function mode{name = "CATCH", like = "tdm"}.
func declareMode(v *vm, c *rt.GoCont) error {
	f := v.declaration(c, "name", "like", "teams", "flags", "survival")
	spec := &modeSpec{name: f.text("name"), like: word(f, "like", alikes, nil)}
	for _, x := range []struct {
		field string
		flag  game.GameFlags
	}{{"teams", game.GameFlagTeams}, {"flags", game.GameFlagFlags}, {"survival", game.GameFlagSurvival}} {
		switch on := f.get(x.field); {
		case on.IsNil():
		case on.Type() != rt.BoolType:
			f.wrong(x.field, "true or false")
		case spec.like != nil:
			f.err = cmp.Or(f.err, fmt.Errorf("like says whether there are %s, so leave out %[1]s", x.field))
		case rt.Truth(on):
			spec.flags |= x.flag
		}
	}
	if spec.like != nil {
		spec.flags = spec.like.Flags()
	}
	switch {
	case f.err != nil:
		return f.err
	case v.declared.mode != nil:
		return errors.New("mode is declared twice; a file is one game type")
	case spec.name == "" || len(spec.name) > maxModeName:
		return fmt.Errorf("name is %q, want a text of 1 to %d bytes", spec.name, maxModeName)
	}
	v.declared.mode = spec
	return nil
}

// Name returns the name in mode{}.
func (m *Mode) Name() string { return m.name }

// Flags returns the flags of mode{}, or those of like.
func (m *Mode) Flags() game.GameFlags { return m.flags }

// UsesHook reports whether the script or its like has the hook of a method.
func (m *Mode) UsesHook(method string) bool {
	if m.like != nil {
		if _, ok := reflect.TypeOf(m.like).MethodByName(method); ok {
			return true
		}
	}
	return m.Mod.UsesHook(method)
}

// decides reports whether the script decides a rule itself, instead of its like.
func (m *Mode) decides(rule hookID) bool {
	return m.like == nil || m.off == "" && !m.vm.hooks[rule].IsNil()
}

// OnDeath calls on_death(death). Unless that returns false, the like mode scores.
func (m *Mode) OnDeath(ctx *game.Ctx, d *game.Death) {
	m.Mod.OnDeath(ctx, d)
	if h, ok := m.like.(game.DeathHook); ok && !ctx.Cancelled() {
		h.OnDeath(ctx, d)
	}
}

// OnEntity calls on_entity(tile, pos). Unless that returns false, the like mode handles the tile.
func (m *Mode) OnEntity(ctx *game.Ctx, tile uint8, pos vec.Vec2) {
	m.Mod.OnEntity(ctx, tile, pos)
	if h, ok := m.like.(game.EntityHook); ok && !ctx.Cancelled() {
		h.OnEntity(ctx, tile, pos)
	}
}

// OnSpawn calls on_spawn(player).
func (m *Mode) OnSpawn(ctx *game.Ctx, id game.PlayerID) {
	if h, ok := m.like.(game.SpawnHook); ok {
		h.OnSpawn(ctx, id)
	}
	m.Mod.OnSpawn(ctx, id)
}

// OnTick calls on_tick().
func (m *Mode) OnTick(ctx *game.Ctx) {
	if h, ok := m.like.(game.TickHook); ok {
		h.OnTick(ctx)
	}
	m.Mod.OnTick(ctx)
}

// OnFlagReturn calls on_flag_return(team).
func (m *Mode) OnFlagReturn(ctx *game.Ctx, t game.Team) {
	if h, ok := m.like.(game.FlagReturnHook); ok {
		h.OnFlagReturn(ctx, t)
	}
	m.Mod.OnFlagReturn(ctx, t)
}

// CheckWin calls check_win().
func (m *Mode) CheckWin(ctx *game.Ctx) game.MatchResult {
	if m.decides(hookCheckWin) {
		return m.Mod.CheckWin(ctx)
	}
	return m.like.(game.WinRule).CheckWin(ctx)
}

// RoundOver calls round_over().
func (m *Mode) RoundOver(ctx *game.Ctx) bool {
	if h, ok := m.like.(game.RoundRule); ok && !m.decides(hookRoundOver) {
		return h.RoundOver(ctx)
	}
	return m.Mod.RoundOver(ctx)
}

// CanBeMoved calls can_be_moved(player).
func (m *Mode) CanBeMoved(ctx *game.Ctx, id game.PlayerID) bool {
	if h, ok := m.like.(game.BalanceRule); ok && !m.decides(hookCanBeMoved) {
		return h.CanBeMoved(ctx, id)
	}
	return m.Mod.CanBeMoved(ctx, id)
}
