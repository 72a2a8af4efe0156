package ddrace

import "fmt"

// EventKind is the kind of an [Event].
type EventKind uint8

// The kinds of events.
const (
	EventSound       EventKind = iota // at Pos; Value is a Sound
	EventExplosion                    // at Pos
	EventHammerHit                    // at Pos
	EventDamage                       // stars at Pos; Value is their number, Extra 1 if they count seconds
	EventSpawnEffect                  // at Pos
	EventDeathEffect                  // Tee died at Pos
	EventSpawn                        // Tee spawned at Pos
	EventDeath                        // Tee died; Value is the weapon of the kill message
	EventMessage                      // a chat message to Tee; Value is a Message, Extra its number
	EventZone                         // Tee moved from tune zone Extra (-1 for none) to Value
	EventStart                        // the race of Tee begins; alone in each tick in which it touches the line
	EventFinish                       // the race of Tee ends; Value is its time in ticks
	EventCheckpoint                   // Tee passed time checkpoint Value, after Extra ticks
	EventUnlock                       // Tee is on a tile that unlocked its team, Value
	EventTuning                       // the client of player Tee needs its tuning again; see [World.SentTuning]
	EventPickup                       // Tee got weapon Value
	EventPlaysOn                      // the player of Tee no longer has to look around; Value is 1 if Tee returns at Pos
)

// Event is an event in the world that players see, hear or read.
type Event struct {
	Kind EventKind
	// NotSelf means that the client of Tee plays the sound itself.
	NotSelf bool
	// Tee is the player of the event; the player's team sees it. -1 means that all players see it.
	Tee   int8
	Value int32
	Extra int32
	// Angle of the stars, in radians.
	Angle float32
	Pos   Vec
}

// Sound is a sound, with DDNet's numbers.
type Sound int32

// The sounds of DDRace.
const (
	SoundGunFire Sound = iota
	SoundShotgunFire
	SoundGrenadeFire
	SoundHammerFire
	SoundHammerHit
	SoundNinjaFire
	SoundGrenadeExplode
	SoundNinjaHit
	SoundLaserFire
	SoundLaserBounce
	SoundWeaponSwitch
	SoundPlayerPainShort
	SoundPlayerPainLong
	SoundBodyLand
	SoundPlayerJump
	SoundPlayerAirJump
	SoundPlayerDie
	SoundPlayerSpawn
	SoundPlayerSkid
	SoundTeeCry
	SoundHookLoop
	SoundHookAttachGround
	SoundHookAttachPlayer
	SoundHookNoAttach
	SoundPickupHealth
	SoundPickupArmor
	SoundPickupGrenade
	SoundPickupShotgun
	SoundPickupNinja
	SoundWeaponSpawn
	SoundWeaponNoAmmo
	SoundHit
)

// Message is a chat message for a tee on a tile.
type Message int32

// The messages.
const (
	MessageSolo Message = iota
	MessageUnsolo
	MessageEndless
	MessageUnendless
	MessageUnhit
	MessageHit
	MessageUncollide
	MessageCollide
	MessageUnhook
	MessageHook
	MessageAirJumps
	MessageUnairJumps
	MessageJetpack
	MessageUnjetpack
	MessageTelegun
	MessageUntelegun
	MessageTelegrenade
	MessageUntelegrenade
	MessageTelelaser
	MessageUntelelaser
	MessageHitHammer
	MessageUnhitHammer
	MessageHitShotgun
	MessageUnhitShotgun
	MessageHitGrenade
	MessageUnhitGrenade
	MessageHitLaser
	MessageUnhitLaser
	MessageJumps // with their number
	MessageOldAge
	numMessages
)

var messages = [numMessages]string{
	MessageSolo: "You are now in a solo part", MessageUnsolo: "You are now out of the solo part",
	MessageEndless: "Endless hook has been activated", MessageUnendless: "Endless hook has been deactivated",
	MessageUnhit: "You can't hit others", MessageHit: "You can hit others",
	MessageUncollide: "You can't collide with others", MessageCollide: "You can collide with others",
	MessageUnhook: "You can't hook others", MessageHook: "You can hook others",
	MessageAirJumps: "You have unlimited air jumps", MessageUnairJumps: "You don't have unlimited air jumps",
	MessageJetpack: "You have a jetpack gun", MessageUnjetpack: "You lost your jetpack gun",
	MessageTelegun: "Teleport gun enabled", MessageUntelegun: "Teleport gun disabled",
	MessageTelegrenade: "Teleport grenade enabled", MessageUntelegrenade: "Teleport grenade disabled",
	MessageTelelaser: "Teleport laser enabled", MessageUntelelaser: "Teleport laser disabled",
	MessageHitHammer: "You can hammer hit others", MessageUnhitHammer: "You can't hammer hit others",
	MessageHitShotgun: "You can shoot others with shotgun", MessageUnhitShotgun: "You can't shoot others with shotgun",
	MessageHitGrenade: "You can shoot others with grenade", MessageUnhitGrenade: "You can't shoot others with grenade",
	MessageHitLaser: "You can shoot others with laser", MessageUnhitLaser: "You can't shoot others with laser",
	MessageOldAge: "You died of old age",
}

// Text returns the text of the message, with the number n.
func (m Message) Text(n int32) string {
	switch {
	case m < 0 || m >= numMessages:
		return ""
	case m != MessageJumps:
		return messages[m]
	case n == -1:
		return "You only have your ground jump now"
	case n == 1:
		return "You can jump 1 time"
	}
	return fmt.Sprintf("You can jump %d times", n)
}

const (
	// maxEffects limits the effects (sights and sounds) of a tick. DDNet-Server has room for 128
	// between two snapshots.
	maxEffects = 128
	// maxMessages limits the messages of tiles that a player gets in a tick.
	maxMessages = 16
)

// eventLimits limits the events of a tick, because a map can affect many tees at once.
type eventLimits struct {
	effects  int
	tuned    TeeSet // players whose clients are told their tuning, which is then that of the end of the tick
	messages [MaxTees]uint8
	pickups  [MaxTees]uint8 // weapons, as bits
}

// takes reports whether an event has a recipient and is within the limits. It counts the event.
func (l *eventLimits) takes(e *Event) bool {
	switch e.Kind {
	case EventTuning, EventMessage, EventPickup:
		if e.Tee < 0 || int(e.Tee) >= len(l.messages) {
			return false // nobody is told
		}
	}
	switch e.Kind {
	case EventSound, EventExplosion, EventHammerHit, EventDamage, EventSpawnEffect, EventDeathEffect:
		l.effects++
		return l.effects <= maxEffects
	case EventTuning:
		told := l.tuned.Has(int(e.Tee))
		l.tuned.add(e.Tee)
		return !told
	case EventMessage:
		n := &l.messages[e.Tee]
		*n = min(*n+1, maxMessages+1)
		return *n <= maxMessages
	case EventPickup:
		bit := uint8(1) << e.Value
		told := l.pickups[e.Tee]&bit != 0
		l.pickups[e.Tee] |= bit
		return !told
	}
	return true
}

// addEvent adds an event to the result of the next Step, within the limits.
func (w *World) addEvent(e Event) {
	if w.taken {
		w.clearEvents()
	}
	if w.limits.takes(&e) {
		w.events = append(w.events, e)
	}
}

// clearEvents drops the events that were returned.
func (w *World) clearEvents() {
	w.events, w.taken, w.limits = w.events[:0], false, eventLimits{}
}

// sound plays a sound for the team of t.
func (w *World) sound(t *Tee, at Vec, s Sound) {
	w.addEvent(Event{Kind: EventSound, Tee: t.id, Pos: at, Value: int32(s)})
}

func (w *World) message(t *Tee, m Message, n int32) {
	w.addEvent(Event{Kind: EventMessage, Tee: t.id, Value: int32(m), Extra: n})
}

// tell sends a message to a tee's player, and a new tuning to the client.
func (w *World) tell(t *Tee, m Message) {
	w.message(t, m, 0)
	w.addEvent(Event{Kind: EventTuning, Tee: t.id})
}
