package bridge7

import (
	"github.com/teeyard/teeyard/bridge/internal/clientids"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg7"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// buildStates adds DDRace and mod states that 0.7 does not define, for programs that read more of a
// demo than the 0.7 client does.
func (e *snapshotEncoder) buildStates(b *snapshot.Builder, v *game.View, ids *clientids.Map) {
	f := e.frame
	if !f.Extended {
		return
	}
	for i := range f.Characters {
		c := &f.Characters[i]
		if !e.characters[i].IsVisible(v) {
			continue
		}
		if dst := b.Add(msg7.TypeDeCharacter, int(ids.ID(c.Player)), msg7.SizeDeCharacter); dst != nil {
			o := msg7.DeCharacter{
				Flags: int32(c.Flags), Weapon: msg7.Weapon(c.Weapon), FreezeStart: c.FreezeStart, FreezeEnd: c.FreezeEnd,
				Jumps: c.Jumps, AirJumps: c.AirJumps, NinjaStart: c.NinjaStart, TeleCheckpoint: c.TeleCheckpoint,
			}
			o.PutInts(dst)
		}
	}
	if f.Game.Flags&game.GameFlagDDRace == 0 {
		return
	}
	for i := range f.Lasers {
		l := &f.Lasers[i]
		if l.Kind == game.LaserRifle || !v.Shows(l.NotFor) {
			continue
		}
		if dst := b.Add(msg7.TypeDeLaser, int(l.ID), msg7.SizeDeLaser); dst != nil {
			(&msg7.DeLaser{Kind: int32(l.Kind), Entity: int32(l.Entity.Kind)}).PutInts(dst)
		}
	}
	for i := range f.Players {
		p := &f.Players[i]
		if p.DDRaceTeam == 0 {
			continue
		}
		if dst := b.Add(msg7.TypeDeTeam, int(ids.ID(p.ID)), msg7.SizeDeTeam); dst != nil {
			(&msg7.DeTeam{Team: p.DDRaceTeam}).PutInts(dst)
		}
	}
}

// statesSize returns an upper bound on the items and integers that buildStates adds.
func (e *snapshotEncoder) statesSize() (items, ints int) {
	f := e.frame
	if !f.Extended {
		return 0, 0
	}
	items, ints = len(f.Characters), len(f.Characters)*msg7.SizeDeCharacter
	if f.Game.Flags&game.GameFlagDDRace != 0 {
		items += len(f.Lasers) + len(f.Players)
		ints += len(f.Lasers)*msg7.SizeDeLaser + len(f.Players)*msg7.SizeDeTeam
	}
	return items, ints
}
