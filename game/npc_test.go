package game_test

import (
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/mode/tdm"
	"github.com/teeyard/teeyard/internal/testenv"
)

// guards is a mod with an NPC in the blue team that runs to the right.
type guards struct {
	entered game.PlayerID
	input   game.Input
	refused bool
}

func (m *guards) Start(setup *game.Setup) {
	m.entered = game.Nobody
	setup.AddNPC(game.NPC{Profile: game.Profile{Name: "guard"}, Team: game.TeamBlue, Tag: 7})
}

func (m *guards) OnEnter(ctx *game.Ctx, id game.PlayerID) {
	if tag, ok := ctx.Player(id).NPC(); ok && tag == 7 {
		m.entered = id
	}
}

func (m *guards) OnTick(ctx *game.Ctx) {
	if m.entered != game.Nobody {
		m.refused = !ctx.Player(m.entered).SetInput(m.input)
	}
}

func TestNPCsPlayAsTheModSays(t *testing.T) {
	m := &guards{}
	w := newWorld(t, game.Config{Mode: tdm.Mode{}, Terrain: twoTeesMap(8), Mods: []game.Mod{m}})
	w.Step(join(63))
	add, _ := w.NPCRequests()
	testenv.Require(t, add == 1, "%d are wanted", add)
	cmds := w.AppendNPCCommands(nil)
	evs := w.do(cmds...)
	info, ok := w.Player(62)
	testenv.Require(t, ok && info.Profile.Name == "guard" && info.Team == game.TeamBlue && info.Flags&game.PlayerFlagBot != 0 && m.entered == 62,
		"entered as %d: %+v", m.entered, info)
	testenv.Check(t, len(eventsOf(evs, game.EvPlayerEntered)) == 1 && w.NPCs() == game.MaskOne(62) && w.NPCSkill(62) == 0, "events %+v", evs)
	evs = w.do(game.Command{Kind: game.CmdAddNPC, Player: 61})
	testenv.Check(t, w.NPCs() == game.MaskOne(62) && len(evs) == 0, "one that nobody wants came")

	w.steps(100)
	m.input = game.Input{Direction: 1, TargetX: 100, Fire: 1}
	x := w.char(62).Pos.X
	evs = w.steps(10)
	testenv.Check(t, !m.refused && w.char(62).Pos.X > x+20 && sounds(evs, game.SoundGunFire) == 1,
		"refused %v, moved %v, fired %d times", m.refused, w.char(62).Pos.X-x, sounds(evs, game.SoundGunFire))
	m.input.Direction = 5
	w.steps(1)
	testenv.Check(t, m.refused, "an impossible input is taken")
	w.inTick(func(ctx *game.Ctx) {
		testenv.Check(t, !ctx.Player(63).SetInput(game.Input{}), "a player is moved")
		ctx.Player(62).SetNPCSkill(9)
		ctx.Player(63).RemoveNPC()
		ctx.Player(62).RemoveNPC()
	})
	testenv.Check(t, w.NPCSkill(62) == 3, "skill %d", w.NPCSkill(62))
	w.do(w.AppendNPCCommands(nil)...)
	_, guard := w.Player(62)
	_, player := w.Player(63)
	_, leave := w.NPCRequests()
	testenv.Check(t, !guard && player && w.NPCs().IsEmpty() && leave.IsEmpty() && w.NPCSkill(62) == 0, "guard %v, player %v", guard, player)
}

// TestNPCsAreNeverInactive keeps one that does nothing, where a player would be kicked.
func TestNPCsAreNeverInactive(t *testing.T) {
	w := newWorld(t, game.Config{Mods: []game.Mod{&guards{}}, Rules: rules(func(r *game.Rules) { r.InactiveTime, r.InactiveAction = 1, 3 })})
	w.Step(w.AppendNPCCommands(join(0)))
	evs := w.steps(70 * game.TickRate)
	kicks := eventsOf(evs, game.EvKick)
	testenv.Check(t, len(kicks) > 0 && kicks[0].Player == 0, "kicked: %+v", kicks)
	for _, k := range kicks {
		testenv.Check(t, k.Player != 63, "the NPC is kicked")
	}
}

func TestModsCannotAskForNPCsWithoutEnd(t *testing.T) {
	w := newWorld(t, game.Config{})
	asked := 0
	w.inTick(func(ctx *game.Ctx) {
		for ctx.AddNPC(game.NPC{Profile: game.Profile{Name: "a name that is far too long for a tee"}, Skill: -3, Team: 99}) {
			asked++
		}
	})
	testenv.Check(t, asked == 64, "%d are wanted", asked)
	for range 3 {
		w.Step(w.AppendNPCCommands(nil))
	}
	testenv.Check(t, w.NumConnected() == 64 && len(w.AppendNPCCommands(nil)) == 0, "%d came", w.NumConnected())
}
