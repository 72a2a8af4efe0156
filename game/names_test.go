package game_test

import (
	"encoding"
	"fmt"
	"testing"

	"github.com/teeyard/teeyard/game"
)

// word is a value with a word.
type word interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// testWords checks that the values from first to last have words that are not numbers, each another
// one, and that the words become the values again.
func testWords[T interface {
	~int8 | ~uint8
	word
}, P interface {
	*T
	encoding.TextUnmarshaler
}](t *testing.T, first, last T) {
	t.Helper()
	seen := map[string]bool{}
	for i := int(first); i <= int(last); i++ {
		v := T(i)
		text, err := v.MarshalText()
		if err != nil || string(text) != v.String() || seen[v.String()] || text[0] <= '9' {
			t.Errorf("%T %d: %q, %v", v, i, text, err)
		}
		seen[v.String()] = true
		var back T
		if err := P(&back).UnmarshalText(text); err != nil || back != v {
			t.Errorf("%T %q becomes %d, %v", v, text, back, err)
		}
	}
	var other, back T = last + 1, 0
	if err := P(&back).UnmarshalText([]byte(other.String())); err != nil || back != other {
		t.Errorf("%T %d: %q becomes %d, %v", other, other, other, back, err)
	}
	if other.String() != fmt.Sprint(int(other)) {
		t.Errorf("%T: what comes after the last is %q", other, other)
	}
	for _, bad := range []string{"", "nonsense", "999"} {
		if P(&back).UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%T: %q is accepted", back, bad)
		}
	}
}

func TestWords(t *testing.T) {
	testWords(t, game.WeaponGame, game.WeaponNinja)
	testWords(t, game.TeamSpectators, game.TeamBlue)
	testWords(t, game.ChatNone, game.ChatWhisper)
	testWords(t, game.SpectateFree, game.SpectateFlagBlue)
	testWords(t, game.PickupHealth, game.PickupArmorLaser)
	testWords(t, game.EmoteNormal, game.EmoteBlink)
	testWords(t, game.EmoticonOop, game.EmoticonQuestion)
	testWords(t, game.SoundGunFire, game.SoundMenu)
	testWords(t, game.GameMsgTeamSwap, game.GameMsgGamePaused)
	testWords(t, game.RecordNone, game.RecordOfAll)
	testWords(t, game.NotPaused, game.PauseVanished)
	testWords(t, game.LaserRifle, game.LaserBeam)
	testWords(t, game.NoMapEntity, game.MapPickup)
	testWords(t, game.ShowOthersOff, game.ShowOthersTeam)
}

func TestFlagWords(t *testing.T) {
	for _, tt := range []struct {
		flags interface {
			word
			encoding.TextMarshaler
		}
		want string
	}{
		{game.GameFlags(0), ""}, {game.GameFlagTeams | game.GameFlagFlags, "teams|flags"},
		{game.GameFlagRace | game.GameFlagDDRace | game.GameFlagNoWeakHook, "race|no_weak_hook|ddrace"}, {game.GameFlagFNG, "fng"},
		{game.StatePaused | game.StateCountdown, "paused|countdown"}, {game.PlayerFlagBot | game.PlayerFlagAim, "bot|aim"},
		{game.RaceFlagKeepWantedWeapon, "keep_wanted_weapon"}, {game.ProjectileFreezes, "freezes"},
		{game.CharacterFlagSolo | game.CharacterFlagInvincible, "solo|invincible"}, {game.CharacterFlagCannotMove, "cannot_move"},
		{game.CharacterFlagHasWeapon << game.WeaponNinja, "has_ninja"}, {game.CharacterFlagPractice, "practice"},
		{game.CharacterFlagInFreeze, "in_freeze"}, {game.CharacterFlagTelegunLaser, "telegun_laser"}, {game.CharacterFlagNoHook, "no_hook"},
		{game.CharacterFlags(1 << 30), "1073741824"},
	} {
		if got := tt.flags.String(); got != tt.want {
			t.Errorf("%T: %q, want %q", tt.flags, got, tt.want)
		}
	}
	var f game.GameFlags
	for text, want := range map[string]game.GameFlags{"": 0, "teams|RACE": game.GameFlagTeams | game.GameFlagRace, "16|1": 17} {
		if err := f.UnmarshalText([]byte(text)); err != nil || f != want {
			t.Errorf("%q becomes %d, %v", text, f, err)
		}
	}
	for _, bad := range []string{"teams|", "nonsense", "256"} {
		if f.UnmarshalText([]byte(bad)) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}
