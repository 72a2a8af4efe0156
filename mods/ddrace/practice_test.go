package ddrace_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/testenv"
)

func names(list []game.CommandSpec) (names []string) {
	for _, c := range list {
		names = append(names, c.Name)
	}
	return names
}

// TestCommandsOf20 checks that worlds with the rules of 16.4 do not offer these commands, and the
// reply when the rules change during the match.
func TestCommandsOf20(t *testing.T) {
	old, p := newParty(t, 1), newParty(t, 1, "sv_ddnet_physics 20")
	for _, name := range []string{"tc", "lasttp", "back", "tpxy", "jetpack", "unpractice", "rescuemode", "practicecmdlist"} {
		testenv.Check(t, !slices.Contains(names(old.Game.ChatCommands()), name) && slices.Contains(names(p.Game.ChatCommands()), name), "/%s", name)
	}
	for _, name := range []string{"deep", "invincible", "setswitch"} {
		testenv.Check(t, !slices.Contains(names(old.Game.ConsoleCommands()), name) && slices.Contains(names(p.Game.ConsoleCommands()), name), "%s", name)
	}
	both := names(old.Game.ChatCommands())
	testenv.Check(t, slices.Contains(both, "tp") && !slices.Contains(both, "hitothers") && len(names(p.Game.ChatCommands())) > len(both)+40, "/tp")
	p.set("sv_ddnet_physics", "16")
	p.types(0, "jetpack")
	p.heard(0, "jetpack needs sv_ddnet_physics 20")
}

// TestPracticeOf20 lets a team practise with the commands of DDNet 20.
func TestPracticeOf20(t *testing.T) {
	const not = "You're not in a team with /practice turned on. Note that you can't earn a rank with practice enabled."
	p := newParty(t, 3, "sv_ddnet_physics 20")
	for _, line := range []string{"tpxy 3 1", "tc", "back", "lasttp", "jetpack"} {
		p.types(0, line)
	}
	p.heard(0, not, not, not, not, not)
	p.types(0, "rescuemode")
	p.heard(0, "Rescue is not enabled on this server and you're not in a team with /practice turned on. Note that you can't earn a rank with practice enabled.")
	p.types(0, "unpractice")
	p.types(0, "team 5")
	p.types(0, "unpractice")
	p.types(1, "team 5")
	p.heard(0, "Practice mode can't be disabled for team 0", "'player 0' joined team 5", "Team isn't in practice mode", "'player 1' joined team 5")
	p.types(0, "practice")
	p.types(1, "practice")
	heard := p.told[0]
	testenv.Check(t, len(heard) == 4 && strings.Contains(heard[0], "which means you can use practice commands, but") &&
		strings.HasPrefix(heard[3], "See /practicecmdlist for"), "told %q", heard)
	p.told[0] = nil

	begin := p.at(0)
	moved := func(what string, by int32) {
		t.Helper()
		testenv.Check(t, p.at(0) == begin+by, "%s: moved by %d, want %d", what, p.at(0)-begin, by)
	}
	p.types(0, "lasttp")
	p.types(0, "back")
	p.types(0, "tpxy x 1")
	p.types(0, "tpxy 1 x")
	p.heard(0, "You haven't previously teleported. Use /tp before using this command.", "There is nowhere to go back to.", "Invalid X coordinate.",
		"Invalid Y coordinate.")
	p.types(0, "tpxy ~2 ~")
	moved("tpxy", 64)
	p.inputs[0] = game.Input{TargetX: 33}
	p.run(2)
	p.types(0, "tc")
	moved("tc", 97)
	p.types(0, "rescuemode manual")
	p.types(0, "r")
	p.run(1, game.ChatCommand(0, "tpxy", "~", "~-1"), game.ChatCommand(0, "r"))
	moved("r in the air", 97)
	p.types(0, "tpxy ~-3 ~")
	p.types(0, "r")
	moved("r on the ground", 1)
	p.types(0, "rescuemode")
	p.types(0, "rescuemode list")
	p.types(0, "rescuemode x")
	p.heard(0, "Rescue mode changed to manual.", "Current rescue mode: manual.", "Available rescue modes: auto, manual",
		"Unknown argument. Check '/rescuemode list'")

	p.types(0, "unpractice")
	p.heard(0, "'player 0' disabled practice mode for your team")
	p.team(0, 0, 0)
	p.run(200)
	p.types(0, "jetpack")
	p.heard(0, not)
}

// TestPracticeList checks that the list has all commands, in lines that clients do not cut off.
func TestPracticeList(t *testing.T) {
	p := newParty(t, 1, "sv_ddnet_physics 20")
	p.types(0, "practicecmdlist")
	all := strings.Join(p.told[0], "")
	testenv.Check(t, len(p.told[0]) > 1 && strings.HasPrefix(all, "Available practice commands: /addweapon, /back, /collision, ") &&
		strings.HasSuffix(all, ", /unweapons, /weapons"), "%q", all)
	for _, line := range p.told[0] {
		testenv.Check(t, len(line) <= 255, "%d bytes", len(line))
	}
}

// TestShownInPractice checks that clients see the effects of the commands, within the limits of
// their messages.
func TestShownInPractice(t *testing.T) {
	p := newParty(t, 1, "sv_ddnet_physics 20")
	p.types(0, "team 5")
	p.types(0, "practice")
	for _, c := range []struct {
		jumps string
		want  int32
	}{{"2147483647", 255}, {"-5", -1}, {"7", 7}} {
		p.types(0, "invincible")
		p.types(0, "setjumps "+c.jumps)
		tee := p.Frame().Characters[0]
		testenv.Check(t, tee.Jumps == c.want, "%s jumps are shown as %d", c.jumps, tee.Jumps)
	}
	tee := p.Frame().Characters[0]
	const both = game.CharacterFlagInvincible | game.CharacterFlagEndlessJump
	testenv.Check(t, tee.Flags&both == both, "flags %x", tee.Flags)
}

// TestDeathAlone checks that a solo player stays in practice after a death outside the map, but not
// after a kill.
func TestDeathAlone(t *testing.T) {
	hole := func(m *game.Terrain) { m.Tiles[3*m.Width+20] = 0 }
	p := newPartyOn(t, 1, hole, "sv_ddnet_physics 20", "sv_team 3")
	p.types(0, "practice")
	p.told[0] = nil
	p.types(0, "tpxy 20.5 190")
	p.heard(0, "You died, but will stay in practice until you use kill.")
	p.run(200)
	p.types(0, "jetpack")
	p.heard(0)
	p.run(1, game.Command{Kind: game.CmdKill, Player: 0})
	p.run(200)
	p.types(0, "jetpack")
	p.heard(0, "You're not in a team with /practice turned on. Note that you can't earn a rank with practice enabled.")
}
