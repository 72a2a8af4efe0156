package game

import (
	"encoding/binary"
	"math"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Hash returns a hash of everything that influences the future of the world, with
// floating point numbers as their bits. Two worlds with the same Config and equal
// hashes develop equally with equal commands, except for hash collisions.
//
// The value is not part of the API and can change between versions.
func (w *World) Hash() uint64 {
	h := hasher(0x9e3779b97f4a7c15)
	h.i32(w.tick)
	h.add(uint64(w.rand))
	h.rules(&w.rules)
	for _, v := range w.tuning {
		h.i32(v)
	}
	h.bools(w.paused, w.resetRequested, w.teamsLocked)
	h.match(&w.match)
	for i := range w.players {
		if w.players[i].connected {
			h.i32(int32(i))
			h.player(&w.players[i])
		}
		if w.characters[i].exists {
			h.i32(int32(i))
			h.character(&w.characters[i])
		}
		h.bools(w.coreWorld.Cores[i] != nil)
	}
	for _, id := range w.charOrder.ids[:w.charOrder.count] {
		h.i32(int32(id))
	}
	h.i32(int32(len(w.projectiles)))
	for i := range w.projectiles {
		h.projectile(&w.projectiles[i])
	}
	h.i32(int32(len(w.lasers)))
	for i := range w.lasers {
		h.laser(&w.lasers[i])
	}
	for i := range w.pickups {
		h.i32(w.pickups[i].spawnTick)
	}
	for i := range w.flags {
		h.flag(&w.flags[i])
	}
	h.i32(w.entityIDs.nextUnused)
	for _, id := range w.entityIDs.freed {
		h.add(uint64(id))
	}
	if w.match.flags&GameFlagRace != 0 {
		h.pair(w.race.BestTime, w.race.Precision)
		h.i32(int32(w.race.Flags))
		for i := range w.players {
			h.i32(w.players[i].raceStart)
		}
	}
	for _, s := range w.hooks.state {
		w.stateBuf, _ = binary.Append(w.stateBuf[:0], binary.LittleEndian, s.State())
		h.bytes(w.stateBuf)
	}
	for _, s := range w.hooks.savers {
		w.stateBuf = s.AppendState(w.stateBuf[:0])
		h.bytes(w.stateBuf)
	}
	return uint64(h)
}

// hasher mixes 64 bits at a time.
type hasher uint64

func (h *hasher) add(v uint64) {
	x := (uint64(*h) ^ v) * 0xff51afd7ed558ccd
	*h = hasher(x ^ x>>32)
}

func (h *hasher) i32(v int32)      { h.add(uint64(uint32(v))) }
func (h *hasher) pair(a, b int32)  { h.add(uint64(uint32(a))<<32 | uint64(uint32(b))) }
func (h *hasher) vec(v vec.Vec2)   { h.pair(int32(math.Float32bits(v.X)), int32(math.Float32bits(v.Y))) }
func (h *hasher) float(v float32)  { h.add(uint64(math.Float32bits(v))) }
func (h *hasher) bools(vs ...bool) { h.add(packBools(vs)) }

func packBools(vs []bool) uint64 {
	n := uint64(1)
	for _, v := range vs {
		n <<= 1
		if v {
			n |= 1
		}
	}
	return n
}

func (h *hasher) text(s string) {
	h.i32(int32(len(s)))
	for i := 0; i < len(s); i++ {
		h.add(uint64(s[i]))
	}
}

func (h *hasher) bytes(b []byte) {
	h.i32(int32(len(b)))
	for ; len(b) >= 8; b = b[8:] {
		h.add(binary.LittleEndian.Uint64(b))
	}
	for _, v := range b {
		h.add(uint64(v))
	}
}

func (h *hasher) rules(r *Rules) {
	h.pair(r.Warmup, r.Countdown)
	h.pair(r.ScoreLimit, r.TimeLimit)
	h.pair(r.MatchesPerMap, r.PlayerSlots)
	h.pair(r.MaxClients, r.TournamentMode)
	h.pair(r.RespawnDelayTDM, r.TeamBalanceTime)
	h.pair(r.InactiveTime, r.InactiveAction)
	h.i32(r.VoteKickMin)
	h.bools(r.MapRotation, r.MatchSwap, r.Powerups, r.TeamDamage, r.ReadyMode, r.SpamProtection,
		r.InactiveSpecKick, r.SilentSpectators, r.StrictSpectate, r.PureTuning, r.VoteKick, r.VoteSpectate)
}

func (h *hasher) match(m *match) {
	h.pair(int32(m.state), m.timer)
	h.pair(m.startTick, m.matchesOnMap)
	h.pair(m.roundsInMatch, m.unbalancedTick)
	h.bools(m.suddenDeath, m.mapChangeRequested)
	h.pair(m.teamScore[0], m.teamScore[1])
	h.pair(m.teamSize[0], m.teamSize[1])
	h.pair(m.sentInfo.matchCurrent, m.sentInfo.matchNum)
	h.pair(m.sentInfo.scoreLimit, m.sentInfo.timeLimit)
}

func (h *hasher) player(p *player) {
	h.bools(p.hasProfile, p.inGame, p.admin, p.bot, p.spawning, p.ready, p.respawnDisabled, p.deadSpec, p.specFireHeld)
	h.add(p.addrHash)
	h.profile(&p.profile)
	h.pair(int32(p.team), p.score)
	h.vec(p.viewPos)
	h.pair(int32(p.flags), int32(p.specMode))
	h.pair(int32(p.specID), int32(p.specFlag))
	h.pair(p.respawnTick, p.dieTick)
	h.pair(p.scoreStartTick, p.lastActionTick)
	h.pair(p.teamChangeTick, p.inactivity)
	h.pair(p.cursorX, p.cursorY)
	h.pair(p.lastChat, p.lastSetTeam)
	h.pair(p.lastSpectate, p.lastInfo)
	h.pair(p.lastEmote, p.lastKill)
	h.i32(p.lastReady)
	if p.lastEyes != 0 {
		h.pair(p.lastEyes, p.eyesUntil)
		h.i32(int32(p.eyes))
	}
}

func (h *hasher) profile(p *Profile) {
	h.text(p.Name)
	h.text(p.Clan)
	h.i32(p.Country)
	for i := range p.Skin.PartNames {
		h.text(p.Skin.PartNames[i])
		h.bools(p.Skin.UseCustomColors[i])
		h.i32(p.Skin.PartColors[i])
	}
}

func (h *hasher) character(c *character) {
	h.bools(c.alive, c.inWorld)
	h.add(uint64(c.entityID))
	h.vec(c.pos)
	h.core(&c.core)
	h.core(&c.sendCore)
	h.core(&c.reckoningCore)
	h.pair(c.reckonTick, c.queuedWeapon)
	h.pair(c.health, c.armor)
	for i := range c.weapons {
		s := &c.weapons[i]
		h.bools(s.owned)
		h.pair(s.ammo, s.ammoRegenStart)
	}
	h.pair(int32(c.activeWeapon), int32(c.lastWeapon))
	h.pair(c.reloadTimer, c.attackTick)
	h.pair(c.lastNoAmmoSound, int32(c.numObjectsHit))
	for _, id := range c.hitObjects[:c.numObjectsHit] {
		h.i32(int32(id))
	}
	h.vec(c.ninja.activationDir)
	h.pair(c.ninja.activationTick, c.ninja.currentMoveTime)
	h.pair(c.ninja.oldVelAmount, int32(c.emote))
	h.pair(c.emoteStop, c.lastActionTick)
	h.input(&c.input)
	h.input(&c.latestInput)
	h.i32(c.numInputs) // latestPrevInput equals latestInput between steps
}

func (h *hasher) core(c *physics.Core) {
	h.vec(c.Pos)
	h.vec(c.Vel)
	h.vec(c.HookPos)
	h.vec(c.HookDir)
	h.pair(c.HookTick, c.HookState)
	h.pair(c.HookedPlayer, c.Jumped)
	h.pair(c.Direction, c.Angle)
}

func (h *hasher) input(in *Input) {
	h.pair(in.Direction, in.Fire)
	h.pair(in.TargetX, in.TargetY)
	h.pair(in.WantedWeapon, int32(in.Flags))
	h.pair(in.NextWeapon, in.PrevWeapon)
	h.bools(in.Jump, in.Hook)
}

func (h *hasher) projectile(p *projectile) {
	h.add(uint64(p.id)<<32 | uint64(uint8(p.owner))<<24 | uint64(uint8(p.team))<<16 | uint64(uint8(p.weapon)))
	h.vec(p.startPos)
	h.vec(p.direction)
	h.pair(p.lifeSpan, p.damage)
	h.pair(p.startTick, int32(p.impactSound))
	h.bools(p.explosive, p.markedForDestroy)
}

func (h *hasher) laser(l *laser) {
	h.add(uint64(l.id)<<32 | uint64(uint8(l.owner))<<24 | uint64(uint8(l.team))<<16)
	h.vec(l.pos)
	h.vec(l.segmentStart)
	h.vec(l.direction)
	h.float(l.energy)
	h.pair(l.bounces, l.evalTick)
	h.bools(l.markedForDestroy)
}

func (h *hasher) flag(f *flag) {
	h.bools(f.exists, f.atStand)
	h.vec(f.pos)
	h.vec(f.vel)
	h.i32(int32(f.carrier))
	h.pair(f.dropTick, f.grabTick)
}
