package bot

import (
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// The values of game.GameState.FlagCarrier that are no players.
const (
	flagDropped = -1 - iota
	flagAtStand
	flagMissing
)

// flagSight is what the bot knows about a flag.
type flagSight struct {
	carrier int32    // as in game.GameState.FlagCarrier
	pos     vec.Vec2 // where it was last seen, or its stand
	known   bool     // pos is known
}

// flagPlace is a goal of kind goalFlag by its index.
type flagPlace int

// The places that a bot runs to.
const (
	redFlag  flagPlace = flagPlace(game.TeamRed)
	blueFlag flagPlace = flagPlace(game.TeamBlue)
	ownStand flagPlace = 2
)

// updateFlags reads where the flags are. Everybody is told who has them, but sees only
// those nearby.
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

// flagPos returns where a place is.
func (b *Bot) flagPos(p flagPlace) vec.Vec2 {
	if p == ownStand {
		return b.graph.flagStands[b.team&1]
	}
	return b.flags[p].pos
}

// flagValue returns how useful it is for the bot to be at a place, 0 for not at all.
// One of three bots defends.
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
		return 150 // to return it, or to hunt the carrier
	case p == flagPlace(b.team^1) && other.carrier < 0 && !defends:
		return 80
	}
	return 0
}

// considerFlags offers the flags as goals.
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
