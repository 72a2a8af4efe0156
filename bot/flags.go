package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Values of game.GameState.FlagCarrier that are not player ids.
const (
	flagDropped = -1 - iota
	flagAtStand
	flagMissing
)

// flagSight is the bot's knowledge of a flag.
type flagSight struct {
	carrier int32    // as in game.GameState.FlagCarrier
	pos     vec.Vec2 // where it was last seen, or its stand
	known   bool     // whether pos is known
}

// flagPlace is the index of a goal of kind goalFlag.
type flagPlace int

// The places that a bot can run to.
const (
	redFlag  flagPlace = flagPlace(game.TeamRed)
	blueFlag flagPlace = flagPlace(game.TeamBlue)
	ownStand flagPlace = 2
)

// updateFlags updates the positions of the flags. Every player knows the carriers, but sees only
// flags nearby.
func (b *Bot) updateFlags(v *game.View) {
	b.id = v.Viewer
	if v.Game.Flags&game.GameFlagFlags == 0 {
		b.flags = [2]flagSight{{carrier: flagMissing}, {carrier: flagMissing}}
		return
	}
	for i := range b.flags {
		f := &b.flags[i]
		if f.carrier = v.Game.FlagCarrier[i]; f.carrier == flagAtStand {
			f.pos, f.known = b.graph.flagStands[i], true
		}
	}
	for i := range v.Flags {
		if f := &v.Flags[i]; (f.Team == game.TeamRed || f.Team == game.TeamBlue) && v.Sees(f.Pos) {
			b.flags[f.Team].pos, b.flags[f.Team].known = f.Pos, true
		}
	}
}

// flagPos returns the position of a place.
func (b *Bot) flagPos(p flagPlace) vec.Vec2 {
	if p == ownStand {
		return b.graph.flagStands[b.team&1]
	}
	return b.flags[p].pos
}

// flagValue returns how useful it is for the bot to go to a place, 0 for not at all. One bot in
// three defends.
func (b *Bot) flagValue(p flagPlace) float32 {
	own, other := &b.flags[b.team&1], &b.flags[b.team&1^1]
	if own.carrier == flagMissing || b.team == game.TeamSpectators {
		return 0
	}
	defends := b.id%3 == 2
	carries := other.carrier == int32(b.id)
	switch {
	case p == ownStand && carries:
		return 1000
	case p == ownStand && defends && vec.Distance(b.self.Pos, b.flagPos(p)) > 10*physics.TileSize:
		return 30
	case p == ownStand, !b.flags[p].known:
		return 0
	case p == flagPlace(b.team) && own.carrier != flagAtStand && !carries:
		return 150 // to return it, or to hunt its carrier
	case p == flagPlace(b.team^1) && other.carrier < 0 && !defends:
		return 80
	}
	return 0
}

// considerFlags proposes the flags as goals.
func (b *Bot) considerFlags(consider func(kind goalKind, index int, score float32)) {
	if b.tick < b.avoidFlagsUntil {
		return
	}
	for _, p := range [3]flagPlace{redFlag, blueFlag, ownStand} {
		if v := b.flagValue(p); v > 0 {
			consider(goalFlag, int(p), v/(vec.Distance(b.self.Pos, b.flagPos(p))/8+60))
		}
	}
}
