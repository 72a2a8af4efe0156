package game

import (
	"strings"

	"github.com/teeyard/teeyard/game/ddrace"
	"github.com/teeyard/teeyard/game/internal/tee"
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
// These methods of mods have no effect: TakeDamage, Explode, Heal, GiveArmor, SetHealth, SetArmor,
// SetAmmo, MaskInput, SetTuning, TuneZone, DisableRespawn and DelayRespawn. Neither has
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

// ddraceHost is the simulation of DDRace maps.
type ddraceHost struct {
	w       *World
	rule    DDRaceRule
	world   *ddrace.World    // nil until the world has started
	played  DDRacePlayedRule // runs another one, nil for none
	own     *ddrace.World    // with played, the world's own
	entered PlayerMask       // players in the simulation
	lines   []ddrace.Line
	pickups []ddrace.Pickup
	notFor  [MaxPlayers]PlayerMask // players who do not see a player's tee
	teams   [MaxPlayers]uint8      // of the players when the tick began
	record  DDRaceTick
	options DDRaceOptions
}

func newDDRaceHost(w *World, rule DDRaceRule) *ddraceHost {
	return &ddraceHost{w: w, rule: rule, options: DDRaceOptions{MaxAFK: 300}}
}

func (d *ddraceHost) traits() traits {
	return traits{modeDelays: true, timesAsScores: true, alwaysReady: true}
}

func (d *ddraceHost) start() error {
	w := d.w
	m, err := ddrace.NewMap(&w.terrain, d.rule.DDRaceSettings())
	if err != nil {
		return err
	}
	seed := [2]uint64{w.rand.Next(), w.rand.Next()}
	d.world = ddrace.New(ddrace.Config{Map: m, Seed: seed, Teams: d.rule.DDRaceTeams(&w.tx)})
	d.record.Seed, d.record.Settings = seed, m.Settings
	var shows bool
	if d.played, shows = d.rule.(DDRacePlayedRule); shows {
		d.own = d.world
	}
	w.tees.Extended = true
	w.tuning = shownTuning(&m.Settings.Tuning)
	return nil
}

// ddrace returns the host of a DDRace world that has started, and nil for other worlds.
func (w *World) ddrace() *ddraceHost {
	if d, ok := w.sim.(*ddraceHost); ok && d.world != nil {
		return d
	}
	return nil
}

// DDRace returns the simulation of a DDRace world, or nil in other worlds. Do not call its Step
// method.
func (tx *Tx) DDRace() *ddrace.World {
	if d := tx.w.ddrace(); d != nil {
		return d.world
	}
	return nil
}

// IsDDRace reports whether package ddrace simulates the world; see [DDRaceRule].
func (w *World) IsDDRace() bool { return w.ddrace() != nil }

// DDRaceFaults returns the parts of the map that are not supported, in DDRace worlds.
func (w *World) DDRaceFaults() ddrace.Faults {
	if d := w.ddrace(); d != nil {
		return d.world.Map().Faults
	}
	return ddrace.Faults{}
}

// DDRaceSettings returns a copy of the simulation's settings, and false if the world is not a
// DDRace world.
func (w *World) DDRaceSettings() (s ddrace.Settings, ok bool) {
	if d := w.ddrace(); d != nil {
		return d.world.Settings().Clone(), true
	}
	return s, false
}

// DDRaceFreezeTicks returns the duration of a freeze by a tile in DDRace worlds, in ticks, and 0 in
// others.
func (w *World) DDRaceFreezeTicks() int32 {
	if d := w.ddrace(); d != nil {
		return d.world.Settings().FreezeDelay * TickRate
	}
	return 0
}

// tick runs one tick of the simulation.
func (d *ddraceHost) tick(cmds []Command) {
	w := d.w
	if d.played != nil {
		d.tickPlayed()
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
		p, id := &w.players[i], PlayerID(i)
		switch spectator := p.team == TeamSpectators; {
		case p.inGame && !d.entered.Has(id):
			d.world.Enter(i, spectator)
			d.entered.Add(id)
		case !p.inGame && d.entered.Has(id):
			d.world.Leave(i)
			d.entered.Remove(id)
		case p.inGame:
			d.world.SetSpectator(i, spectator)
			if w.tees.All[i].Exists != (d.world.Tee(i) != nil) || spectator {
				d.world.SetView(i, p.viewPos)
			}
		}
	}
	d.record.Inputs = d.record.Inputs[:0]
	for i := range cmds {
		if c := &cmds[i]; c.Kind == CmdInput && c.Player >= 0 && c.Player < MaxPlayers && w.players[c.Player].inGame && c.Input.valid() {
			d.addInput(int(c.Player), w.changedInput(c.Player, &c.Input))
		}
	}
	d.beginRecord()
	events := d.world.Step(d.record.Inputs)
	d.endRecord()
	for i := range events {
		d.event(&events[i])
	}
	d.mirrorTees()
	if w.usesEntities {
		w.tickKinds()
	}
	w.tickTiles()
}

// begin stores the state that the tick can change.
func (d *ddraceHost) begin() {
	d.record.Notes = d.record.Notes[:0]
	if d.played != nil {
		d.beginPlayed()
		return
	}
	for id := range d.teams {
		d.teams[id] = d.world.Team(id)
	}
}

func (d *ddraceHost) end() { d.tellTeams() }

// tellTeams emits an event for each player whose DDRace team changed in the tick.
func (d *ddraceHost) tellTeams() {
	for id, before := range d.teams {
		if team := d.world.Team(id); team != before {
			d.w.addEvent(Event{Kind: EvDDRaceTeam, To: MaskAll, Player: PlayerID(id), Value: int32(team)})
			d.teams[id] = team
		}
	}
}

// beforeChat emits the events of team changes before a chat line, in DDNet-Server's order.
func (d *ddraceHost) beforeChat() {
	if d.world != nil && d.played == nil {
		d.tellTeams()
	}
}

// addInput adds an input, ascending by players.
func (d *ddraceHost) addInput(id int, in *Input) {
	p := &d.w.players[id]
	if last := &p.sight.input; *in != *last {
		*last = *in
		p.sight.moved(d.w.tick)
	}
	list := append(d.record.Inputs, ddrace.PlayerInput{Player: id, Input: ddraceInput(in)})
	for i := len(list) - 1; i > 0 && list[i-1].Player > id; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	d.record.Inputs = list
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

// event adds an event of the simulation to the world's events.
func (d *ddraceHost) event(e *ddrace.Event) {
	w := d.w
	id := PlayerID(e.Tee)
	to := MaskAll
	if id >= 0 {
		to = d.hiddenFrom(id).Not()
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
			w.tees.All[id].Pos = e.Pos
			w.die(id, id, Weapon(e.Value))
		}
	case ddrace.EventSpawn:
		if w.tees.All[id].Exists {
			w.removeCharacter(id)
		}
		if w.spawnCharacter(id, e.Pos) {
			w.addEvent(Event{Kind: EvSpawn, To: to, Player: id, Pos: e.Pos})
		}
	case ddrace.EventTuning:
		d.tellTuning(id)
	case ddrace.EventMessage:
		w.tx.Player(id).Say(ddrace.Message(e.Value).Text(e.Extra))
	case ddrace.EventPlaysOn:
		if e.Value == 1 {
			w.addEvent(Event{Kind: EvSpawn, To: to, Player: id, Pos: e.Pos})
		}
	case ddrace.EventZone:
		s := d.world.Settings()
		d.sayZone(id, s.ZoneLeave, e.Extra)
		d.sayZone(id, s.ZoneEnter, e.Value)
	case ddrace.EventPickup:
		weapon := Weapon(e.Value)
		kind := [NumWeapons]PickupKind{PickupHammer, PickupGun, PickupShotgun, PickupGrenade, PickupLaser, PickupNinja}
		if weapon >= 0 && weapon < NumWeapons {
			w.addEvent(Event{Kind: EvPickup, To: MaskOne(id), Player: id, Pickup: kind[weapon], Weapon: weapon, Pos: e.Pos})
		}
	}
	d.rule.DDRaceEvent(&w.tx, e)
}

// sayZone tells a player the message of a tune zone.
func (d *ddraceHost) sayZone(id PlayerID, messages []string, zone int32) {
	if zone < 0 || int(zone) >= len(messages) || messages[zone] == "" {
		return
	}
	const limit = 16 // lines
	for i, line := range strings.SplitN(messages[zone], `\n`, limit+1) {
		if i < limit {
			d.w.tx.Player(id).Say(line)
		}
	}
}

// hiddenFrom returns the players who do not see a player's tee: players of other teams who do not
// want to see others.
func (d *ddraceHost) hiddenFrom(id PlayerID) PlayerMask { return d.notFor[id] }

// mirrorTees copies the tees of the simulation to the characters of the world.
func (d *ddraceHost) mirrorTees() {
	w := d.w
	w.tees.Order.Count = 0
	for t := range d.world.Tees {
		w.tees.Order.IDs[w.tees.Order.Count] = tee.ID(t.ID())
		w.tees.Order.Count++
	}
	for i := range w.tees.All {
		w.players[i].raceStart = 0
		if t := d.world.AliveTee(i); t != nil && t.Race == ddrace.RaceStarted {
			if w.players[i].raceStart = w.tick - (d.world.Tick() - t.StartTick); w.players[i].raceStart == 0 {
				w.players[i].raceStart = 1
			}
		}
		c := &w.tees.All[i]
		if !c.Exists || !c.Alive {
			continue
		}
		t := d.world.Tee(i)
		if c.InWorld = t != nil; t == nil {
			continue
		}
		k := &t.Core
		w.tees.MovedFrom[i], c.Pos = t.PrevPos, t.Pos
		core := &c.Core
		core.Pos, core.Vel, core.HookPos, core.HookDir = k.Pos, k.Vel, k.HookPos, k.HookDir
		core.HookTick, core.HookState, core.HookedPlayer = k.HookTick, k.HookState, k.HookedPlayer
		core.Jumped, core.Direction, core.Angle = k.Jumped, k.Direction, k.Angle
		c.TriggeredEvents |= triggered(k.Events)
		c.Health, c.Armor = tee.MaxHealth, t.Armor
		c.ActiveWeapon, c.LastWeapon = tee.Weapon(t.ActiveWeapon), tee.Weapon(t.LastWeapon)
		c.AttackTick = t.AttackTick
		c.Ninja.ActivationTick = t.Ninja.ActivationTick
		c.Input.Direction = k.Direction
		for weapon, owned := range t.Weapons {
			c.Weapons[weapon].Owned, c.Weapons[weapon].Ammo = owned, -1
		}
	}
	d.hideTees()
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
