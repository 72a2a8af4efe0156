// Package convert turns values of messages and snapshots into values of the game and the bridge.
package convert

import (
	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/event"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/internal/safetext"
)

// Point returns the position (x, y), in world units.
func Point(x, y int32) vec.Vec2 { return vec.Vec2{X: float32(x), Y: float32(y)} }

// Record returns the record that a message's two flags report.
func Record(personal, ofAll bool) game.Record {
	switch {
	case ofAll:
		return game.RecordOfAll
	case personal:
		return game.RecordPersonal
	}
	return game.RecordNone
}

// WeaponPickup returns the pickup that gives a weapon. For no weapon it returns PickupHealth, the
// value 0.
func WeaponPickup(w game.Weapon) game.PickupKind {
	if w < 0 || w >= game.NumWeapons {
		return 0
	}
	return [game.NumWeapons]game.PickupKind{
		game.PickupHammer, game.PickupGun, game.PickupShotgun, game.PickupGrenade, game.PickupLaser, game.PickupNinja,
	}[w]
}

// VoteKind returns the kind with the given name in Cl_CallVote. VoteKind ignores case.
func VoteKind(name string) (event.VoteKind, bool) {
	var k event.VoteKind
	if k.UnmarshalText([]byte(name)) != nil || k < event.VoteOption || k > event.VoteSpectate {
		return event.VoteNone, false
	}
	return k, true
}

// CommandInfo makes a CommandInfo and cleans its texts for display.
func CommandInfo(name, params, help []byte) *bridge.CommandInfo {
	return &bridge.CommandInfo{Name: safetext.Line(name), Params: safetext.Line(params), Help: safetext.Line(help)}
}

// SafeTexts cleans texts for display.
func SafeTexts(texts [][]byte) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = safetext.Line(t)
	}
	return out
}
