package game

import (
	"math"

	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// Hash is a number over everything that influences the world's future,
// floating point numbers by their bits. Two worlds made of the same Config have
// equal hashes if, and but for chance only if, they will go on alike.
//
// Its value is not part of the API: it may change between versions.
func (w *World) Hash() uint64 {
	h := hasher(0x9e3779b97f4a7c15)
	h.i32(w.tick)
	h.add(w.rand.state)
	h.rules(&w.rules)
	for _, v := range w.tuning {
		h.i32(v)
	}
	h.bools(w.paused, w.resetRequested, w.teamsLocked)
	h.match(&w.match)
	for i := range w.players {
		if w.players[i].seated {
			h.i32(int32(i))
			h.player(&w.players[i])
		}
		if w.chars[i].exists {
			h.i32(int32(i))
			h.character(&w.chars[i])
		}
		h.bools(w.phys.Cores[i] != nil)
	}
	for _, id := range w.alive.id[:w.alive.n] {
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
	h.i32(w.ids.fresh)
	for _, id := range w.ids.freed {
		h.add(uint64(id))
	}
	for _, s := range w.hooks.state {
		w.hashBuf = s.AppendState(w.hashBuf[:0])
		h.text(string(w.hashBuf))
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
	h.pair(m.startTick, m.count)
	h.pair(m.rounds, m.unbalanced)
	h.bools(m.sudden, m.wish)
	h.pair(m.teamScore[0], m.teamScore[1])
	h.pair(m.teamSize[0], m.teamSize[1])
	h.pair(m.info.cur, m.info.num)
	h.pair(m.info.scoreLimit, m.info.limit)
}

func (h *hasher) player(p *player) {
	h.bools(p.profiled, p.inGame, p.admin, p.bot, p.spawning, p.ready, p.respawnDisabled, p.deadSpec, p.specHeld)
	h.add(p.origin)
	h.profile(&p.profile)
	h.pair(int32(p.team), p.score)
	h.vec(p.viewPos)
	h.pair(int32(p.flags), int32(p.specMode))
	h.pair(int32(p.specID), int32(p.specFlag))
	h.pair(p.respawnTick, p.dieTick)
	h.pair(p.scoreStart, p.lastAction)
	h.pair(p.teamChangeTick, p.inactivity)
	h.pair(p.cursorX, p.cursorY)
	h.pair(p.lastChat, p.lastSetTeam)
	h.pair(p.lastSpectate, p.lastInfo)
	h.pair(p.lastEmote, p.lastKill)
	h.i32(p.lastReady)
}

func (h *hasher) profile(p *Profile) {
	h.text(p.Name)
	h.text(p.Clan)
	h.i32(p.Country)
	for i := range p.Skin.Part {
		h.text(p.Skin.Part[i])
		h.bools(p.Skin.UseCustom[i])
		h.i32(p.Skin.Color[i])
	}
}

func (h *hasher) character(c *character) {
	h.bools(c.alive, c.listed)
	h.add(uint64(c.id))
	h.vec(c.pos)
	h.core(&c.core)
	h.core(&c.send)
	h.core(&c.ghost)
	h.pair(c.reckonTick, c.queued)
	h.pair(c.health, c.armor)
	for i := range c.weapons {
		s := &c.weapons[i]
		h.bools(s.got)
		h.pair(s.ammo, s.regen)
	}
	h.pair(int32(c.active), int32(c.last))
	h.pair(c.reload, c.attack)
	h.pair(c.noAmmo, int32(c.numHits))
	for _, id := range c.hits[:c.numHits] {
		h.i32(int32(id))
	}
	h.vec(c.ninja.dir)
	h.pair(c.ninja.start, c.ninja.move)
	h.pair(c.ninja.oldSpeed, int32(c.emote))
	h.pair(c.emoteStop, c.lastAction)
	h.input(&c.input)
	h.input(&c.latest)
	h.i32(c.numInputs) // latestPrev equals latest between steps
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
	h.vec(p.pos)
	h.vec(p.dir)
	h.pair(p.life, p.damage)
	h.pair(p.startTick, int32(p.impact))
	h.bools(p.explosive, p.gone)
}

func (h *hasher) laser(l *laser) {
	h.add(uint64(l.id)<<32 | uint64(uint8(l.owner))<<24 | uint64(uint8(l.team))<<16)
	h.vec(l.pos)
	h.vec(l.from)
	h.vec(l.dir)
	h.float(l.energy)
	h.pair(l.bounces, l.evalTick)
	h.bools(l.gone)
}

func (h *hasher) flag(f *flag) {
	h.bools(f.present, f.atStand)
	h.vec(f.pos)
	h.vec(f.vel)
	h.i32(int32(f.carrier))
	h.pair(f.dropTick, f.grabTick)
}
