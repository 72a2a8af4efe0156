package ddrace

// Weapon is a weapon, with the numbers of the protocol.
type Weapon int32

// The weapons.
const (
	WeaponHammer Weapon = iota
	WeaponGun
	WeaponShotgun
	WeaponGrenade
	WeaponLaser
	WeaponNinja
	NumWeapons
)

// The weapons of kill messages that are not real weapons.
const (
	WeaponGame  Weapon = -3 // the player changed teams or left
	WeaponSelf  Weapon = -2
	WeaponWorld Weapon = -1
)

// Input is an input as DDNet-Server uses it.
type Input struct {
	Direction        int32 // below 0 left, above 0 right
	TargetX, TargetY int32 // the cursor relative to the tee, in units
	Jump             bool
	Fire             int32 // counter of 6 bits; odd means held
	Hook             bool
	Flags            int32 // of the player, with the values of DDNet
	WantedWeapon     int32 // 1 more than the weapon, 0 for none
	NextWeapon       int32 // counters like Fire
	PrevWeapon       int32
}

// FlagChatting in Input.Flags is set while the player types.
const FlagChatting = 4

// aimed returns the input with a target that has a direction: (0, -1) in place of (0, 0).
func (in Input) aimed() Input {
	if in.TargetX == 0 && in.TargetY == 0 {
		in.TargetY = -1
	}
	return in
}

// RaceState is the state of a tee's race.
type RaceState uint8

// The states of races.
const (
	RaceNone RaceState = iota
	RaceStarted
	RaceCheat // it cannot start
	RaceFinished
)

// NumCheckpoints is the number of time checkpoints.
const NumCheckpoints = lastCheckpoint - TileCheckpoint + 1

// Tee is a living tee. After each spawn, a player has a new Tee.
type Tee struct {
	id int8

	Core Core
	// Pos is the position where others hit the tee and tiles affect it: Core.Pos after its last
	// Move. PrevPos is the position of the core before that.
	Pos, PrevPos Vec
	// Restrictions are the directions in which the tiles under the tee block all movement.
	Restrictions Restrictions
	Zone         uint8 // tune zone

	FreezeTime      int32 // ticks that the tee is still frozen
	FreezeStart     int32 // tick in which it was frozen, 0 for none
	justUnfrozen    bool  // it was unfrozen in this tick
	Deep, Live      bool  // deep and live freeze
	InFreeze        bool  // it is on a tile that freezes
	Armor           int32
	Super           bool
	Invincible      bool // nothing on the map harms it, as of DDNet 20
	EndlessHook     bool
	AirJumps        bool // unlimited
	Jetpack         bool
	NinjaJetpack    bool // its player chose this; see HasNinjaJetpack
	UnhitHammer     bool // hammer, shotgun, grenade or laser do not affect others
	UnhitShotgun    bool
	UnhitGrenade    bool
	UnhitLaser      bool
	Telegun         bool // shots of gun, grenade launcher or laser can teleport the tee
	Telegrenade     bool
	Telelaser       bool
	FreezeHammer    bool
	lastRefill      bool // the tile below refilled the jumps
	lastPenalty     bool // or took or gave time
	lastBonus       bool
	TeleCheckpoint  uint8
	teleported      bool // by a telegun, to teleportTo, at the end of its tiles
	teleportBlue    bool // and keeps its velocity
	teleportTo      Vec
	teamBeforeSuper uint8
	Race            RaceState
	StartTick       int32                 // of the race
	Checkpoints     [NumCheckpoints]int32 // times in the race in ticks, 0 if not passed
	LastCheckpoint  int8                  // -1 for none
	SpawnTick       int32
	EmoteStop       int32 // tick until which the tee shows a hit, -1 for none
	aim             aimCache
	input           Input // of this tick, as far as it is not frozen
	savedInput      Input // the last predicted input
	latestInput     Input // the last direct input, and the one before
	latestPrevInput Input
	numInputs       int32 // direct inputs since the spawn

	Weapons        [NumWeapons]bool // those that the tee has
	loaded         [NumWeapons]bool // those with ammunition, which has no end
	ActiveWeapon   Weapon
	LastWeapon     Weapon
	QueuedWeapon   Weapon // to switch to, -1 for none
	ReloadTimer    int32  // ticks before the next shot
	AttackTick     int32  // tick of the last shot
	painSoundTimer int32  // ticks before the next sound of a frozen tee that fires
	Ninja          Ninja
}

// Ninja is the state of a tee's ninja.
type Ninja struct {
	ActivationDir   Vec
	ActivationTick  int32 // when the tee last touched the pickup
	CurrentMoveTime int32 // ticks of the dash that are left, below 0 between dashes
	OldVelAmount    int32 // speed before the dash
	hit             [MaxTees]int8
	numHit          int8
}

// ID returns the player's id.
func (t *Tee) ID() int { return int(t.id) }

// Target returns the position at which the tee aims, relative to the tee, in units.
func (t *Tee) Target() (x, y int32) { return t.input.TargetX, t.input.TargetY }

// Frozen reports whether the tee is frozen.
func (t *Tee) Frozen() bool { return t.FreezeTime != 0 }

// isImmune reports whether freeze, death tiles and teleporters do nothing to the tee.
func (t *Tee) isImmune() bool { return t.Super || t.Invincible }

// HasNinjaJetpack reports whether the gun is a jetpack that fires no bullets. Clients see it as a
// ninja.
func (t *Tee) HasNinjaJetpack() bool { return t.Jetpack && t.NinjaJetpack && !t.Telegun }

// SavedInput returns the input that moves the tee while it is not frozen.
func (t *Tee) SavedInput() Input { return t.savedInput }

// push changes the velocity within the restrictions of the tiles around the tee.
func (t *Tee) push(force Vec) { t.Core.Vel = t.Restrictions.clamp(t.Core.Vel.Add(force)) }

// freeze freezes the tee for some seconds. It refuses to prolong a freeze of the last second.
func (w *World) freeze(t *Tee, seconds int32) bool { return w.freezeTicks(t, seconds*TickRate) }

func (w *World) freezeTicks(t *Tee, ticks int32) bool {
	recent := t.FreezeStart >= w.tick-TickRate // also in the first second of a map, in which nobody froze before DDNet 20
	if ticks <= 0 || t.isImmune() || t.FreezeTime > ticks || recent && (t.FreezeTime != 0 || !w.settings.release20()) {
		return false
	}
	t.Armor = 0
	t.FreezeTime = ticks
	t.FreezeStart = w.tick
	return true
}

// freezeDelay is the default duration of a freeze, in seconds.
func (w *World) freezeDelay() int32 { return w.settings.FreezeDelay }

// unfreeze ends a freeze. A deep freeze begins again.
func (w *World) unfreeze(t *Tee) {
	if t.FreezeTime <= 0 {
		return
	}
	t.Armor = 10
	if !t.Weapons[t.ActiveWeapon] {
		t.ActiveWeapon = WeaponGun
	}
	t.FreezeTime, t.FreezeStart = 0, 0
	t.justUnfrozen = true
}

// losePickups takes the weapons that are found in maps, except the ninja.
func (t *Tee) losePickups() {
	for i := WeaponShotgun; i < WeaponNinja; i++ {
		t.Weapons[i] = false
		if t.ActiveWeapon == i {
			t.ActiveWeapon = WeaponGun
		}
	}
}

// tickState is the part of a tick before the core's: input, freeze, tune zone.
func (w *World) tickState(t *Tee) {
	t.input = t.savedInput
	t.Armor = min(max(10-t.FreezeTime/15, 0), 10)
	if t.Live && !t.isImmune() {
		t.input.Direction, t.input.Jump = 0, false
	}
	if t.FreezeTime > 0 {
		if t.FreezeTime%TickRate == TickRate-1 {
			w.addEvent(Event{Kind: EventDamage, Tee: t.id, Pos: t.Pos, Value: (t.FreezeTime + 1) / TickRate, Extra: 1})
		}
		t.FreezeTime--
		t.input.Direction, t.input.Jump, t.input.Hook = 0, false, false
		if t.FreezeTime == 1 {
			w.unfreeze(t)
		}
	}
	if zone := w.m.tuneZone(w.m.mapIndex(t.Pos)); zone != t.Zone {
		w.addEvent(Event{Kind: EventZone, Tee: t.id, Value: int32(zone), Extra: int32(t.Zone)})
		t.Zone = zone
	}
	i := w.m.pureIndex(t.Pos)
	freezes := func(index uint8) bool { return index == TileFreeze || index == TileDeep || index == TileLive }
	t.InFreeze = freezes(w.m.tiles[i]) || freezes(w.m.frontAt(i)) || freezes(w.m.switchTile(i).Type)
	if w.settings.release20() {
		t.InFreeze = t.InFreeze || w.onDeath(t.Pos)
	}
	w.keepRescue(t)
}
