package game_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/internal/bots"
	"github.com/teeyard/teeyard/game/mode/dm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// noHooks is a mod that does nothing.
type noHooks struct{}

func (noHooks) Start(*game.Setup) {}

// These have methods that nothing would call.
type (
	misspelt       struct{ noHooks }
	misspelt2      struct{ noHooks }
	lowercase      struct{ noHooks }
	unlike         struct{ noHooks }
	wrongParameter struct{ noHooks }
	wrongRule      struct{ noHooks }
	halfSaver      struct{ noHooks }
	byPointer      struct{ noHooks }
)

func (misspelt) OnDeaths(*game.Ctx, *game.Death)       {}
func (misspelt2) OnDamgeTaken(*game.Ctx)               {}
func (lowercase) Ontick(*game.Ctx)                     {}
func (unlike) OnWeather(*game.Ctx)                     {}
func (wrongParameter) OnDeath(*game.Ctx, game.Death)   {}
func (*wrongRule) CheckWin(*game.Tx) game.MatchResult  { return 0 }
func (halfSaver) AppendState(b []byte) []byte          { return b }
func (*byPointer) OnTick(*game.Ctx)                    {}
func (misspelt) Once(*game.Ctx)                        {}
func (wrongParameter) Only(game.PlayerID) (int, error) { return 0, nil }

func TestMethodsThatFitNoHook(t *testing.T) {
	for _, c := range []struct {
		mod  game.Mod
		want string
	}{
		{misspelt{}, "game_test.misspelt.OnDeaths: unknown hook; did you mean OnDeath? Other methods must not begin with On"},
		{misspelt2{}, "game_test.misspelt2.OnDamgeTaken: unknown hook; did you mean OnDamageTaken? Other methods must not begin with On"},
		{lowercase{}, "game_test.lowercase.Ontick: unknown hook; did you mean OnTick? Other methods must not begin with On"},
		{unlike{}, "game_test.unlike.OnWeather: unknown hook; other methods must not begin with On"},
		{wrongParameter{}, "game_test.wrongParameter.OnDeath(*game.Ctx, game.Death): the method of DeathHook is OnDeath(*game.Ctx, *game.Death)"},
		{&wrongRule{}, "*game_test.wrongRule.CheckWin(*game.Tx) game.MatchResult: the method of WinRule is CheckWin(*game.Ctx) game.MatchResult"},
		{halfSaver{}, "game_test.halfSaver.AppendState: the type lacks another method of StateSaver"},
		{byPointer{}, "game_test.byPointer.OnTick: only a pointer to the type has this method; pass a pointer"},
		{nil, "a mod is nil"},
		{&byPointer{}, ""},
	} {
		_, err := game.New(game.Config{Terrain: bots.Arena(), Mode: dm.Mode{}, Rules: bots.Rules(), Mods: []game.Mod{c.mod}})
		if c.want == "" {
			testenv.Check(t, err == nil, "%T: %v", c.mod, err)
			continue
		}
		testenv.Check(t, errors.Is(err, game.ErrHook) && strings.HasSuffix(err.Error(), ": "+c.want), "%T: %v", c.mod, err)
	}
}

// endless is a mod without an end of the match, if it is on.
type endless struct {
	noHooks
	on bool
}

func (m endless) UsesHook(method string) bool       { return m.on || method != "CheckWin" }
func (endless) CheckWin(*game.Ctx) game.MatchResult { return game.MatchContinues }

func TestTheFirstModWithARuleDecides(t *testing.T) {
	for _, on := range []bool{false, true} {
		w := newWorld(t, game.Config{Mods: []game.Mod{noHooks{}, endless{on: on}}, Rules: rules(func(r *game.Rules) { r.TimeLimit = 1 })})
		w.Step(join(0, 1))
		w.steps(62 * game.TickRate)
		w.Step([]game.Command{{Kind: game.CmdKill, Player: 0}})
		testenv.Check(t, w.Running() == on, "the mod's rule is used %v: the match goes on %v", on, w.Running())
	}
}

func TestHooksAreListed(t *testing.T) {
	all := game.Hooks()
	testenv.Check(t, slices.Contains(all, game.HookInfo{Interface: "DamageHook", Method: "OnDamage",
		Signature: "OnDamage(*game.Ctx, *game.Damage)", Order: game.ModsFirst}), "%+v", all)
	seen := map[string]bool{}
	for _, h := range all {
		testenv.Check(t, !seen[h.Method], "two hooks have the method %s", h.Method)
		seen[h.Method] = true
	}
}
