package game

import (
	"fmt"
	"strconv"
	"strings"
)

// The words for the values of enumerations, the same in texts, JSON and scripts.
var (
	weaponNames   = words{first: int(WeaponGame), list: strings.Fields("game self world hammer gun shotgun grenade laser ninja")}
	teamNames     = words{first: int(TeamSpectators), list: strings.Fields("spectators red blue")}
	chatNames     = words{list: strings.Fields("none all team whisper")}
	spectateNames = words{list: strings.Fields("free player flag_red flag_blue")}
	pickupNames   = words{list: strings.Fields("health armor grenade shotgun laser ninja gun hammer armor_shotgun armor_grenade armor_ninja armor_laser")}
	emoteNames    = words{list: strings.Fields("normal pain happy surprise angry blink")}
	emoticonNames = words{list: strings.Fields("oop exclamation hearts drop dotdot music sorry ghost sushi splattee deviltee zomg zzz wtf eyes question")}
	soundNames    = words{list: strings.Fields(`gun_fire shotgun_fire grenade_fire hammer_fire hammer_hit ninja_fire grenade_explode ninja_hit
		laser_fire laser_bounce weapon_switch pain_short pain_long body_land air_jump jump die spawn skid cry hook_loop hook_attach_ground
		hook_attach_player hook_no_attach pickup_health pickup_armor pickup_grenade pickup_shotgun pickup_ninja weapon_spawn weapon_no_ammo
		hit chat_server chat_client chat_highlight ctf_drop ctf_return ctf_grab_own ctf_grab_enemy ctf_capture menu`)}
	gameMsgNames = words{list: strings.Fields(`team_swap spec_invalid_id team_shuffle team_balance ctf_drop ctf_return team_all
		team_balance_victim ctf_grab ctf_capture game_paused`)}
	recordNames    = words{list: strings.Fields("none personal of_all")}
	pauseNames     = words{list: strings.Fields("none in_place vanished")}
	laserNames     = words{list: strings.Fields("rifle shotgun beam")}
	mapEntityNames = words{list: strings.Fields(
		"none projectile door dragger_weak dragger_normal dragger_strong turret_explosive turret_both turret_freeze turret_unfreeze light pickup")}
	showOthersNames = words{list: strings.Fields("off on team")}

	gameFlagNames       = words{list: strings.Fields("teams flags survival race 16 no_weak_hook ddrace fng")}
	gameStateNames      = words{list: strings.Fields("warmup sudden_death round_over game_over paused countdown")}
	playerFlagNames     = words{list: strings.Fields("admin chatting scoreboard ready dead watching bot aim")}
	raceFlagNames       = words{list: strings.Fields("hide_kills finish_as_chat keep_wanted_weapon")}
	projectileFlagNames = words{list: strings.Fields("bounces_x bounces_y explosive freezes")}
	characterFlagNames  = words{list: strings.Fields(`solo jetpack no_collision endless_hook endless_jump super no_hammer_hit no_shotgun_hit
		no_grenade_hit no_laser_hit no_hook telegun telegun_grenade telegun_laser has_hammer has_gun has_shotgun has_grenade has_laser has_ninja
		cannot_move in_freeze practice locked_team as_team_0 invincible`)}
)

// words are the words for consecutive numbers, or for bits.
type words struct {
	first int // number of the first word
	list  []string
}

// number is the type of an enumeration.
type number interface{ ~int8 | ~uint8 | ~uint32 }

// wordFor returns the word for a value, or its number.
func wordFor[T number](w *words, v T) string {
	if i := int(v) - w.first; i >= 0 && i < len(w.list) {
		return w.list[i]
	}
	return strconv.Itoa(int(v))
}

// parseWord is the inverse of wordFor. Case does not matter.
func parseWord[T number](w *words, what string, text []byte, v *T) error {
	for i, name := range w.list {
		if strings.EqualFold(name, string(text)) {
			*v = T(w.first + i)
			return nil
		}
	}
	if n, err := strconv.Atoi(string(text)); err == nil && int(T(n)) == n {
		*v = T(n)
		return nil
	}
	return fmt.Errorf("game: unknown %s %q; use one of %s", what, text, strings.Join(w.list, ", "))
}

// flagWords returns the words for the bits of a value, joined by bars.
func flagWords[T number](w *words, v T) string {
	var parts []string
	for i := 0; v != 0; i++ {
		if bit := T(1) << i; v&bit != 0 {
			v &^= bit
			if i < len(w.list) {
				parts = append(parts, w.list[i])
			} else {
				parts = append(parts, strconv.Itoa(int(bit)))
			}
		}
	}
	return strings.Join(parts, "|")
}

// parseFlagWords is the inverse of flagWords.
func parseFlagWords[T number](w *words, what string, text []byte, v *T) error {
	all := T(0)
	for part := range strings.SplitSeq(string(text), "|") {
		if part == "" && len(text) == 0 {
			break
		}
		i := 0
		for i < len(w.list) && !strings.EqualFold(w.list[i], part) {
			i++
		}
		if i < len(w.list) {
			all |= T(1) << i
		} else if n, err := strconv.Atoi(part); err == nil && int(T(n)) == n {
			all |= T(n)
		} else {
			return fmt.Errorf("game: unknown %s %q; use one of %s", what, part, strings.Join(w.list, ", "))
		}
	}
	*v = all
	return nil
}

// String returns the name of the value, or its number if it has none.
func (v Weapon) String() string { return wordFor(&weaponNames, v) }

// MarshalText returns the text of String.
func (v Weapon) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *Weapon) UnmarshalText(text []byte) error { return parseWord(&weaponNames, "weapon", text, v) }

// String returns the name of the value, or its number if it has none.
func (v Team) String() string { return wordFor(&teamNames, v) }

// MarshalText returns the text of String.
func (v Team) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *Team) UnmarshalText(text []byte) error { return parseWord(&teamNames, "team", text, v) }

// String returns the name of the value, or its number if it has none.
func (v ChatMode) String() string { return wordFor(&chatNames, v) }

// MarshalText returns the text of String.
func (v ChatMode) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *ChatMode) UnmarshalText(text []byte) error {
	return parseWord(&chatNames, "chat mode", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v SpectateMode) String() string { return wordFor(&spectateNames, v) }

// MarshalText returns the text of String.
func (v SpectateMode) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *SpectateMode) UnmarshalText(text []byte) error {
	return parseWord(&spectateNames, "spectator mode", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v PickupKind) String() string { return wordFor(&pickupNames, v) }

// MarshalText returns the text of String.
func (v PickupKind) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *PickupKind) UnmarshalText(text []byte) error {
	return parseWord(&pickupNames, "pickup", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v Emote) String() string { return wordFor(&emoteNames, v) }

// MarshalText returns the text of String.
func (v Emote) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *Emote) UnmarshalText(text []byte) error { return parseWord(&emoteNames, "emote", text, v) }

// String returns the name of the value, or its number if it has none.
func (v Emoticon) String() string { return wordFor(&emoticonNames, v) }

// MarshalText returns the text of String.
func (v Emoticon) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *Emoticon) UnmarshalText(text []byte) error {
	return parseWord(&emoticonNames, "emoticon", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v Sound) String() string { return wordFor(&soundNames, v) }

// MarshalText returns the text of String.
func (v Sound) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *Sound) UnmarshalText(text []byte) error { return parseWord(&soundNames, "sound", text, v) }

// String returns the name of the value, or its number if it has none.
func (v GameMsg) String() string { return wordFor(&gameMsgNames, v) }

// MarshalText returns the text of String.
func (v GameMsg) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *GameMsg) UnmarshalText(text []byte) error {
	return parseWord(&gameMsgNames, "game message", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v Record) String() string { return wordFor(&recordNames, v) }

// MarshalText returns the text of String.
func (v Record) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *Record) UnmarshalText(text []byte) error { return parseWord(&recordNames, "record", text, v) }

// String returns the name of the value, or its number if it has none.
func (v PauseKind) String() string { return wordFor(&pauseNames, v) }

// MarshalText returns the text of String.
func (v PauseKind) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *PauseKind) UnmarshalText(text []byte) error { return parseWord(&pauseNames, "pause", text, v) }

// String returns the name of the value, or its number if it has none.
func (v LaserKind) String() string { return wordFor(&laserNames, v) }

// MarshalText returns the text of String.
func (v LaserKind) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *LaserKind) UnmarshalText(text []byte) error {
	return parseWord(&laserNames, "kind of laser", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v MapEntityKind) String() string { return wordFor(&mapEntityNames, v) }

// MarshalText returns the text of String.
func (v MapEntityKind) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *MapEntityKind) UnmarshalText(text []byte) error {
	return parseWord(&mapEntityNames, "kind of map object", text, v)
}

// String returns the name of the value, or its number if it has none.
func (v ShowOthers) String() string { return wordFor(&showOthersNames, v) }

// MarshalText returns the text of String.
func (v ShowOthers) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *ShowOthers) UnmarshalText(text []byte) error {
	return parseWord(&showOthersNames, "value of ShowOthers", text, v)
}

// String returns the names of the flags, joined by bars (|).
func (v GameFlags) String() string { return flagWords(&gameFlagNames, v) }

// MarshalText returns the text of String.
func (v GameFlags) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *GameFlags) UnmarshalText(text []byte) error {
	return parseFlagWords(&gameFlagNames, "game flag", text, v)
}

// String returns the names of the flags, joined by bars (|).
func (v GameStateFlags) String() string { return flagWords(&gameStateNames, v) }

// MarshalText returns the text of String.
func (v GameStateFlags) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *GameStateFlags) UnmarshalText(text []byte) error {
	return parseFlagWords(&gameStateNames, "state of the match", text, v)
}

// String returns the names of the flags, joined by bars (|).
func (v PlayerFlags) String() string { return flagWords(&playerFlagNames, v) }

// MarshalText returns the text of String.
func (v PlayerFlags) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *PlayerFlags) UnmarshalText(text []byte) error {
	return parseFlagWords(&playerFlagNames, "player flag", text, v)
}

// String returns the names of the flags, joined by bars (|).
func (v RaceFlags) String() string { return flagWords(&raceFlagNames, v) }

// MarshalText returns the text of String.
func (v RaceFlags) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *RaceFlags) UnmarshalText(text []byte) error {
	return parseFlagWords(&raceFlagNames, "race flag", text, v)
}

// String returns the names of the flags, joined by bars (|).
func (v ProjectileFlags) String() string { return flagWords(&projectileFlagNames, v) }

// MarshalText returns the text of String.
func (v ProjectileFlags) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *ProjectileFlags) UnmarshalText(text []byte) error {
	return parseFlagWords(&projectileFlagNames, "projectile flag", text, v)
}

// String returns the names of the flags, joined by bars (|).
func (v CharacterFlags) String() string { return flagWords(&characterFlagNames, v) }

// MarshalText returns the text of String.
func (v CharacterFlags) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the text of MarshalText. Case does not matter.
func (v *CharacterFlags) UnmarshalText(text []byte) error {
	return parseFlagWords(&characterFlagNames, "character flag", text, v)
}
