package bridge6

import (
	"math"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/vec"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// ddraceDecoder is the part of a clientSide that decodes items specific to DDRace.
type ddraceDecoder struct {
	ddraceTeams [game.MaxPlayers]int32    // received in a message, not in snapshots
	gameFlags   game.GameFlags            // from GameInfoEx, which DDNet-Server omits in its first snapshot
	plainLasers int                       // number of plain lasers; they come first in the frame
	mapEntities map[uint16]game.MapEntity // map entities of this snapshot by item id, from EntityEx items
}

func (d *ddraceDecoder) begin() {
	d.plainLasers = 0
	clear(d.mapEntities)
}

// isDDRaceProjectile reports whether the integers of a Projectile are in fact a DDRaceProjectile.
// The test is a flag in the fourth integer; a plain projectile has a smaller number there.
func isDDRaceProjectile(ints []int32) bool {
	const data = 3
	return len(ints) == msg6.SizeDDRaceProjectile && ints[data] >= 0 && ints[data]&int32(msg6.DDRaceProjectileIsDDNet) != 0
}

// addDDRaceProjectile adds a projectile. The encoder truncates numbers, so each is decoded to the
// middle of its possible values: encoding it again gives the same number.
func (c *clientSide) addDDRaceProjectile(id int, o *msg6.DDRaceProjectile) {
	sin, cos := math.Sincos(middle(o.Angle) / 1e6)
	c.AddProjectile(id, o.X/100, o.Y/100, int32(-sin*100), int32(cos*100), game.Weapon(max(o.Type, 0)), o.StartTick)
	p := &c.Frame.Projectiles[len(c.Frame.Projectiles)-1]
	p.Start = vec.Vec2{X: float32(middle(o.X) / 100), Y: float32(middle(o.Y) / 100)}
	p.Direction = vec.Vec2{X: float32(-sin), Y: float32(cos)}
	const owner = 255
	if p.Owner = bridge.PlayerIDOf(int32(o.Data & owner)); o.Data&msg6.DDRaceProjectileNoOwner != 0 {
		p.Owner = game.Nobody
	}
	for _, f := range ddraceProjectileFlags {
		if o.Data&f.wire != 0 {
			p.Flags |= f.flag
		}
	}
}

// middle returns the middle of the range of numbers that are truncated to n.
func middle(n int32) float64 {
	switch {
	case n > 0:
		return float64(n) + 0.5
	case n < 0:
		return float64(n) - 0.5
	}
	return 0
}

func (c *clientSide) addDDNetProjectile(id int, o *msg6.DDNetProjectile) {
	x, y := float64(o.VelX)/1e6, float64(o.VelY)/1e6
	if o.Flags&msg6.ProjectileNormalizeVel != 0 {
		if n := math.Hypot(x, y); n > 0 {
			x, y = x/n, y/n
		}
	}
	c.AddProjectile(id, o.X/100, o.Y/100, int32(x*100), int32(y*100), game.Weapon(max(o.Type, 0)), o.StartTick)
	p := &c.Frame.Projectiles[len(c.Frame.Projectiles)-1]
	p.Start = vec.Vec2{X: float32(o.X) / 100, Y: float32(o.Y) / 100}
	p.Direction = vec.Vec2{X: float32(x), Y: float32(y)}
	p.Owner, p.TuneZone = bridge.PlayerIDOf(o.Owner), uint8(min(max(o.TuneZone, 0), math.MaxUint8))
	c.addSwitched(id, o.SwitchNumber, msg6.EntityProjectile)
	for i, flag := range [...]msg6.ProjectileFlags{
		msg6.ProjectileBounceHorizontal, msg6.ProjectileBounceVertical, msg6.ProjectileExplosive, msg6.ProjectileFreeze,
	} {
		if o.Flags&flag != 0 {
			p.Flags |= game.ProjectileBouncesX << i
		}
	}
}

func (c *clientSide) addDDNetLaser(id int, o *msg6.DDNetLaser) {
	c.AddLaser(id, o.ToX, o.ToY, o.FromX, o.FromY, o.StartTick)
	l := &c.Frame.Lasers[len(c.Frame.Lasers)-1]
	l.Owner, l.Kind = bridge.PlayerIDOf(o.Owner), game.LaserBeam
	if o.Type == msg6.LaserRifle || o.Type == msg6.LaserShotgun {
		l.Kind = game.LaserKind(o.Type)
	}
}

func (c *clientSide) addEntity(id int, o *msg6.EntityEx) {
	if o.EntityClass < msg6.EntityProjectile || o.EntityClass > msg6.EntityPickup {
		return
	}
	if c.mapEntities == nil {
		c.mapEntities = map[uint16]game.MapEntity{}
	}
	c.mapEntities[uint16(id)] = game.MapEntity{
		Kind:  game.MapProjectile + game.MapEntityKind(o.EntityClass),
		Layer: ddrace.Layer(min(max(o.Layer, 0), int32(ddrace.LayerTune))), Switch: uint8(min(max(o.SwitchNumber, 0), math.MaxUint8)),
	}
}

// addSwitched notes the switch of an item that contains its number. 0 is none.
func (c *clientSide) addSwitched(id int, number int32, class msg6.EntityClass) {
	if number > 0 {
		c.addEntity(id, &msg6.EntityEx{SwitchNumber: number, Layer: int32(ddrace.LayerSwitch), EntityClass: class})
	}
}

func (c *clientSide) addSwitches(team int, o *msg6.SwitchState) {
	if team >= game.TeamSuper {
		return
	}
	s := game.SwitchState{Team: int32(team), Highest: min(max(o.HighestSwitchNumber, 0), math.MaxUint8)}
	for i := range s.Active {
		s.Active[i] = uint32(o.Status[i])
	}
	for i := range s.Timers {
		if n := o.SwitchNumbers[i]; n > 0 && n <= math.MaxUint8 {
			s.Timers[i] = game.SwitchTimer{Number: n, EndTick: o.EndTicks[i]}
		}
	}
	c.Frame.Switches = append(c.Frame.Switches, s)
}

func (c *clientSide) addGameInfoEx(o *msg6.GameInfoEx) {
	if c.gameFlags = 0; o.Flags&msg6.GameInfoPredictDDRaceTiles != 0 {
		c.gameFlags = game.GameFlagDDRace | game.GameFlagRace
	}
	if o.Flags2&msg6.GameInfo2NoWeakHook != 0 {
		c.gameFlags |= game.GameFlagNoWeakHook
	}
}

func decodeExPlayerFlags(p *game.PlayerState, f msg6.ExPlayerFlags) {
	p.AFK = f&msg6.ExPlayerFlagAFK != 0
	switch {
	case f&msg6.ExPlayerFlagSpec != 0:
		p.Pause = game.PauseVanished
	case f&msg6.ExPlayerFlagPaused != 0:
		p.Pause = game.PauseInPlace
	}
}

// decodeTimeScore is the inverse of encodeTimeScore. Fractions of a second are lost.
func decodeTimeScore(score int32) int32 {
	if score == noTimeScore {
		return game.NoRaceTime
	}
	return int32(min(max(-int64(score), 0)*1000, math.MaxInt32))
}

// endDDRace combines the facts that DDRace spreads over several items.
func (c *clientSide) endDDRace() {
	f := &c.Frame
	f.Game.Flags |= c.gameFlags
	if f.Game.Flags&game.GameFlagDDRace == 0 {
		return
	}
	f.Extended, c.CurrentView.Range = true, game.DDRaceRange
	for i := range f.Players {
		p := &f.Players[i]
		p.Score = decodeTimeScore(p.Score)
		c.Players[p.ID].Score = p.Score
	}
	if msg6.TypeKnownBy(msg6.TypeDDNetLaser, c.cfg.DDNetVersion) { // tees' lasers are DDNetLaser items
		for i := range f.Lasers[:c.plainLasers] {
			f.Lasers[i].Kind, f.Lasers[i].Owner = game.LaserBeam, game.Nobody
		}
	}
	if len(c.mapEntities) == 0 {
		return
	}
	for i := range f.Lasers {
		l := &f.Lasers[i]
		if e, ok := c.mapEntities[l.ID]; ok {
			l.Kind, l.Owner, l.Entity, l.StartTick = game.LaserBeam, game.Nobody, e, f.Tick
		}
	}
	for i := range f.Projectiles {
		f.Projectiles[i].Entity = c.mapEntities[f.Projectiles[i].ID]
	}
	for i := range f.Pickups {
		f.Pickups[i].Entity = c.mapEntities[f.Pickups[i].ID]
	}
}

// receiveTeams handles the DDRace teams of all players.
func (c *clientSide) receiveTeams(teams []int32) {
	for i := range c.ddraceTeams {
		team := int32(0)
		if i < len(teams) && teams[i] > 0 {
			team = min(teams[i], game.TeamSuper)
		}
		if team != c.ddraceTeams[i] {
			c.ddraceTeams[i] = team
			c.onEvent(game.Event{Kind: game.EvDDRaceTeam, Player: game.PlayerID(i), Target: game.Nobody, Value: team})
		}
	}
}
