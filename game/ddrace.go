package game

import (
	"strings"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/physics"
	"github.com/teeyard/teeyard/game/vec"
)

// DDRaceRule is for modes with GameFlagDDRace. In their worlds, package ddrace simulates the tees,
// shots, pickups and tiles, instead of this package. [Tx.DDRace] returns the simulation.
//
// The world calls these hooks: the hooks for players, chat, match, storage, ticks, tiles and
// inputs, and SpawnHook, DeathHook, SelfKillHook and FinishHook. It does not call the hooks for
// damage, pickups, firing and spawn points, since the simulation decides these.
//
// These methods of Tx have no effect: TakeDamage, Explode, Heal, GiveArmor, SetHealth, SetArmor,
// SetAmmo, MaskInput, SetPlayerTuning, TuneZone, DisableRespawn and DelayRespawn. Neither has
// CharacterFlagInvincible. SpawnProjectile, SpawnLaser and SpawnPickup return NoEntity.
// [Tx.SpawnEntity] and all other methods work.
type DDRaceRule interface {
	// DDRaceSettings returns the server's settings; the map's settings override them. [New] calls
	// it after Start.
	DDRaceSettings() ddrace.Settings
	// DDRaceTeams returns the rules of team races, or nil if each tee races alone. The mode can
	// keep the Tx and use it in the methods of the result. They run in the middle of a tick, before
	// the events of DDRaceEvent.
	DDRaceTeams(tx *Tx) ddrace.Teams
	// DDRaceEvent is called after the tees have moved, once for each event of the tick that clients
	// neither see nor hear, in order.
	DDRaceEvent(tx *Tx, e *ddrace.Event)
}

// ddraceHost is the simulation of a world of DDRace.
type ddraceHost struct {
	rule    DDRaceRule
	world   *ddrace.World
	played  DDRacePlayedRule // runs another one, nil for none
	own     *ddrace.World    // with played, the world's own
	entered PlayerMask       // players in the simulation
	lines   []ddrace.Line
	pickups []ddrace.Pickup
	notFor  [MaxPlayers]PlayerMask // players who do not see a player's tee
	teams   [MaxPlayers]uint8      // of the players when the tick began
	tick    DDRaceTick
	visitor visitor // while it is visited
	options DDRaceOptions
}

// startDDRace makes the simulation if the mode has one.
func (w *World) startDDRace() error {
	rule, ok := w.mode.(DDRaceRule)
	if !ok || w.match.flags&GameFlagDDRace == 0 {
		return nil
	}
	m, err := ddrace.NewMap(&w.terrain, rule.DDRaceSettings())
	if err != nil {
		return err
	}
	seed := [2]uint64{w.rand.Next(), w.rand.Next()}
	world := ddrace.New(ddrace.Config{Map: m, Seed: seed, Teams: rule.DDRaceTeams(&w.tx)})
	w.ddrace = &ddraceHost{rule: rule, options: DDRaceOptions{MaxAFK: 300}, world: world}
	w.ddrace.tick.Seed, w.ddrace.tick.Settings = seed, m.Settings
	if w.ddrace.played, ok = rule.(DDRacePlayedRule); ok {
		w.ddrace.own = world
	}
	w.extended = true
	w.tuning = shownTuning(&m.Settings.Tuning)
	return nil
}

// DDRace returns the simulation of a DDRace world, or nil in other worlds. Do not call its Step
// method.
func (tx *Tx) DDRace() *ddrace.World {
	if d := tx.w.ddrace; d != nil {
		return d.world
	}
	return nil
}

// IsDDRace reports whether package ddrace simulates the world; see [DDRaceRule].
func (w *World) IsDDRace() bool { return w.ddrace != nil }

// DDRaceFaults returns the parts of the map that are not supported, in DDRace worlds.
func (w *World) DDRaceFaults() ddrace.Faults {
	if w.ddrace == nil {
		return ddrace.Faults{}
	}
	return w.ddrace.world.Map().Faults
}

// DDRaceSettings returns a copy of the simulation's settings, and false if the world is not a
// DDRace world.
func (w *World) DDRaceSettings() (s ddrace.Settings, ok bool) {
	if w.ddrace == nil {
		return s, false
	}
	return w.ddrace.world.Settings().Clone(), true
}

// shownTuning returns the part of a tuning that all clients know.
func shownTuning(t *ddrace.Tuning) (s Tuning) {
	copy(s[:physics.PlayerCollision], t[:])
	s[physics.PlayerCollision], s[physics.PlayerHooking] = t[ddrace.PlayerCollision], t[ddrace.PlayerHooking]
	return s
}

// DDRaceTuning returns the tuning that a player's client is sent in DDRace worlds, and the number
// of its parameters. The number is 0 in other worlds. For Nobody it returns the world's tuning.
func (w *World) DDRaceTuning(id PlayerID) (t ddrace.Tuning, params int) {
	if w.ddrace == nil {
		return t, 0
	}
	s := w.ddrace.world.Settings()
	if id < 0 || id >= MaxPlayers {
		return s.Tuning, s.NumTuneParams()
	}
	return w.ddrace.world.SentTuning(int(id)), s.NumTuneParams()
}

// DDRaceFreezeTicks returns the duration of a freeze by a tile in DDRace worlds, in ticks, and 0 in
// others.
func (w *World) DDRaceFreezeTicks() int32 {
	if w.ddrace == nil {
		return 0
	}
	return w.ddrace.world.Settings().FreezeDelay * TickRate
}

// tellDDRaceTuning tells a player the tuning.
func (w *World) tellDDRaceTuning(id PlayerID) {
	t := w.PlayerTuning(id)
	w.addEvent(Event{Kind: EvPlayerTuning, To: MaskOne(id), Player: id, Tuning: &t, Flag: true})
}

// tune changes the tuning of the simulation.
func (d *ddraceHost) tune(t *Tuning) {
	s := *d.world.Settings()
	copy(s.Tuning[:physics.PlayerCollision], t[:])
	s.Tuning[ddrace.PlayerCollision], s.Tuning[ddrace.PlayerHooking] = t[physics.PlayerCollision], t[physics.PlayerHooking]
	d.world.SetSettings(s)
}

// tickDDRace runs one tick of the simulation, instead of tickEntities.
func (w *World) tickDDRace(cmds []Command) {
	d := w.ddrace
	if d.played != nil {
		w.tickPlayed()
		return
	}
	if w.resetRequested {
		for id := range PlayerID(MaxPlayers) {
			w.killCharacter(id, WeaponGame)
		}
		w.resetPlayers()
		w.resetRequested = false
	}
	for i := range w.players {
		p, bit := &w.players[i], MaskOne(PlayerID(i))
		switch spectator := p.team == TeamSpectators; {
		case p.inGame && d.entered&bit == 0:
			d.world.Enter(i, spectator)
			d.entered |= bit
		case !p.inGame && d.entered&bit != 0:
			d.world.Leave(i)
			d.entered &^= bit
		case p.inGame:
			d.world.SetSpectator(i, spectator)
			if w.characters[i].exists != (d.world.Tee(i) != nil) || spectator {
				d.world.SetView(i, p.viewPos)
			}
		}
	}
	d.tick.Inputs = d.tick.Inputs[:0]
	for i := range cmds {
		if c := &cmds[i]; c.Kind == CmdInput && c.Player >= 0 && c.Player < MaxPlayers && w.players[c.Player].inGame && c.Input.valid() {
			w.addInput(int(c.Player), w.changedInput(c.Player, &c.Input))
		}
	}
	d.beginRecord(w)
	events := d.world.Step(d.tick.Inputs)
	d.endRecord()
	for i := range events {
		w.ddraceEvent(&events[i])
	}
	w.mirrorTees()
	if w.usesEntities {
		w.tickKinds()
	}
	w.tickTiles()
}

// beginTick stores the state that the tick can change.
func (d *ddraceHost) beginTick() {
	d.tick.Notes = d.tick.Notes[:0]
	if d.played != nil {
		d.beginPlayed()
		return
	}
	for id := range d.teams {
		d.teams[id] = d.world.Team(id)
	}
}

// tellRaceTeams emits an event for each player whose DDRace team changed in the tick.
func (w *World) tellRaceTeams() {
	for id, before := range w.ddrace.teams {
		if team := w.ddrace.world.Team(id); team != before {
			w.addEvent(Event{Kind: EvRaceTeam, To: MaskAll, Player: PlayerID(id), Value: int32(team)})
			w.ddrace.teams[id] = team
		}
	}
}

// beforeChat emits the events of team changes before a chat line, in DDNet-Server's order.
func (w *World) beforeChat() {
	if w.ddrace != nil && w.ddrace.played == nil {
		w.tellRaceTeams()
	}
}

// addInput adds an input, ascending by players.
func (w *World) addInput(id int, in *Input) {
	p, d := &w.players[id], w.ddrace
	if last := &p.sight.input; *in != *last {
		*last = *in
		p.sight.moved(w.tick)
	}
	list := append(d.tick.Inputs, ddrace.PlayerInput{Player: id, Input: ddraceInput(in)})
	for i := len(list) - 1; i > 0 && list[i-1].Player > id; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	d.tick.Inputs = list
}

// ddraceInput returns an input as the simulation has it.
func ddraceInput(in *Input) ddrace.Input {
	n := ddrace.Input{
		Direction: in.Direction, TargetX: in.TargetX, TargetY: in.TargetY, Jump: in.Jump, Fire: in.Fire, Hook: in.Hook,
		WantedWeapon: in.WantedWeapon, NextWeapon: in.NextWeapon, PrevWeapon: in.PrevWeapon,
	}
	if in.Flags&PlayerFlagChatting != 0 {
		n.Flags = ddrace.FlagChatting
	}
	return n
}

// ddraceSounds are the sounds of the simulation. Clients derive the sounds that are missing here
// from the cores of tees.
var ddraceSounds = map[ddrace.Sound]Sound{
	ddrace.SoundGunFire: SoundGunFire, ddrace.SoundShotgunFire: SoundShotgunFire, ddrace.SoundGrenadeFire: SoundGrenadeFire,
	ddrace.SoundHammerFire: SoundHammerFire, ddrace.SoundHammerHit: SoundHammerHit, ddrace.SoundNinjaFire: SoundNinjaFire,
	ddrace.SoundGrenadeExplode: SoundGrenadeExplode, ddrace.SoundNinjaHit: SoundNinjaHit, ddrace.SoundLaserFire: SoundLaserFire,
	ddrace.SoundLaserBounce: SoundLaserBounce, ddrace.SoundWeaponSwitch: SoundWeaponSwitch, ddrace.SoundPlayerPainShort: SoundPainShort,
	ddrace.SoundPlayerPainLong: SoundPainLong, ddrace.SoundPickupHealth: SoundPickupHealth, ddrace.SoundPickupArmor: SoundPickupArmor,
	ddrace.SoundPickupGrenade: SoundPickupGrenade, ddrace.SoundPickupShotgun: SoundPickupShotgun, ddrace.SoundPickupNinja: SoundPickupNinja,
	ddrace.SoundWeaponSpawn: SoundWeaponSpawn, ddrace.SoundWeaponNoAmmo: SoundWeaponNoAmmo, ddrace.SoundHit: SoundHit,
}

// ddraceEvent makes an event of the simulation one of the world.
func (w *World) ddraceEvent(e *ddrace.Event) {
	id := PlayerID(e.Tee)
	to := MaskAll
	if id >= 0 {
		to = ^w.ddraceHidden(id)
	}
	switch e.Kind {
	case ddrace.EventSound:
		if s, ok := ddraceSounds[ddrace.Sound(e.Value)]; ok {
			w.sound(e.Pos, s, to)
		}
		return
	case ddrace.EventExplosion:
		w.addEvent(Event{Kind: EvExplosion, To: to, Pos: e.Pos})
		return
	case ddrace.EventHammerHit:
		w.addEvent(Event{Kind: EvHammerHit, To: to, Pos: e.Pos})
		return
	case ddrace.EventDamage:
		n := Event{Kind: EvDamage, To: to, Player: max(id, 0), Target: Nobody, Pos: e.Pos, Angle: vec.Trunc(float32(e.Angle * 256)), Value: e.Value}
		if n.Weapon = WeaponGun; e.Extra == 1 {
			n.Weapon = WeaponNinja
		}
		w.addEvent(n)
		return
	case ddrace.EventSpawnEffect:
		return
	case ddrace.EventDeathEffect:
		if w.isAlive(id) { // a teleport, or it vanishes; deaths have their own
			w.addEvent(Event{Kind: EvDeath, To: to, Player: id, Pos: e.Pos})
		}
		return
	case ddrace.EventDeath:
		if w.isAlive(id) {
			w.characters[id].pos = e.Pos
			w.die(id, id, Weapon(e.Value))
		}
	case ddrace.EventSpawn:
		if w.characters[id].exists {
			w.removeCharacter(id)
		}
		if w.spawnCharacter(id, e.Pos) {
			w.addEvent(Event{Kind: EvSpawn, To: to, Player: id, Pos: e.Pos})
		}
	case ddrace.EventTuning:
		w.tellDDRaceTuning(id)
	case ddrace.EventMessage:
		w.tx.SayTo(id, ddrace.Message(e.Value).Text(e.Extra))
	case ddrace.EventPlaysOn:
		if e.Value == 1 {
			w.addEvent(Event{Kind: EvSpawn, To: to, Player: id, Pos: e.Pos})
		}
	case ddrace.EventZone:
		s := w.ddrace.world.Settings()
		w.sayZone(id, s.ZoneLeave, e.Extra)
		w.sayZone(id, s.ZoneEnter, e.Value)
	case ddrace.EventPickup:
		weapon := Weapon(e.Value)
		kind := [NumWeapons]PickupKind{PickupHammer, PickupGun, PickupShotgun, PickupGrenade, PickupLaser, PickupNinja}
		if weapon >= 0 && weapon < NumWeapons {
			w.addEvent(Event{Kind: EvPickup, To: MaskOne(id), Player: id, Pickup: kind[weapon], Weapon: weapon, Pos: e.Pos})
		}
	}
	w.ddrace.rule.DDRaceEvent(&w.tx, e)
}

// sayZone tells a player the message of a tune zone.
func (w *World) sayZone(id PlayerID, messages []string, zone int32) {
	if zone < 0 || int(zone) >= len(messages) || messages[zone] == "" {
		return
	}
	const limit = 16 // lines
	for i, line := range strings.SplitN(messages[zone], `\n`, limit+1) {
		if i < limit {
			w.tx.SayTo(id, line)
		}
	}
}

// ddraceHidden returns the players who do not see a player's tee: players of other teams who do not
// want to see others.
func (w *World) ddraceHidden(id PlayerID) PlayerMask { return w.ddrace.notFor[id] }

// mirrorTees copies the tees of the simulation to the characters of the world.
func (w *World) mirrorTees() {
	d := w.ddrace
	w.charOrder.count = 0
	for t := range d.world.Tees {
		w.charOrder.ids[w.charOrder.count] = PlayerID(t.ID())
		w.charOrder.count++
	}
	for i := range w.characters {
		w.players[i].raceStart = 0
		if t := d.world.AliveTee(i); t != nil && t.Race == ddrace.RaceStarted {
			if w.players[i].raceStart = w.tick - (d.world.Tick() - t.StartTick); w.players[i].raceStart == 0 {
				w.players[i].raceStart = 1
			}
		}
		c := &w.characters[i]
		if !c.exists || !c.alive {
			continue
		}
		t := d.world.Tee(i)
		if c.inWorld = t != nil; t == nil {
			continue
		}
		k := &t.Core
		w.movedFrom[i], c.pos = t.PrevPos, t.Pos
		core := &c.core
		core.Pos, core.Vel, core.HookPos, core.HookDir = k.Pos, k.Vel, k.HookPos, k.HookDir
		core.HookTick, core.HookState, core.HookedPlayer = k.HookTick, k.HookState, k.HookedPlayer
		core.Jumped, core.Direction, core.Angle = k.Jumped, k.Direction, k.Angle
		c.triggeredEvents |= triggered(k.Events)
		c.health, c.armor = maxHealth, t.Armor
		c.activeWeapon, c.lastWeapon = Weapon(t.ActiveWeapon), Weapon(t.LastWeapon)
		c.attackTick = t.AttackTick
		c.ninja.activationTick = t.Ninja.ActivationTick
		c.input.Direction = k.Direction
		for weapon, owned := range t.Weapons {
			c.weapons[weapon].owned, c.weapons[weapon].ammo = owned, -1
		}
	}
	w.hideTees()
}

// triggered returns the events of a core as clients know them.
func triggered(e uint32) (events int32) {
	for _, m := range [...]struct{ from, to uint32 }{
		{ddrace.CoreGroundJump, physics.EventGroundJump}, {ddrace.CoreAirJump, physics.EventAirJump},
		{ddrace.CoreHookAttachPlayer, physics.EventHookAttachPlayer}, {ddrace.CoreHookAttachGround, physics.EventHookAttachGround},
		{ddrace.CoreHookHitNoHook, physics.EventHookHitNoHook},
	} {
		if e&m.from != 0 {
			events |= int32(m.to)
		}
	}
	return events
}
