package game

// RaceState is the state of the race in modes with GameFlagRace (0.7: GameDataRace).
type RaceState struct {
	BestTime  int32 // ms, of all players; 0 for none
	Precision int32 // decimals of a second that clients show, 0..3
	Flags     RaceFlags
}

// RaceFlags is a set of options for how clients show a race.
type RaceFlags uint8

// The race flags, with their values in 0.7.
const (
	RaceFlagHideKills        RaceFlags = 1 << iota // clients do not show kills
	RaceFlagFinishAsChat                           // clients show finishes only in the chat
	RaceFlagKeepWantedWeapon                       // players keep their chosen weapon after a death
)

// Record is the kind of record that a finish sets.
type Record uint8

// The kinds of records. A RecordOfAll is also a personal record.
const (
	RecordNone Record = iota
	RecordPersonal
	RecordOfAll
)

// RaceFinish describes a player's finish of a race.
type RaceFinish struct {
	Player PlayerID
	Time   int32 // ms
	Diff   int32 // ms slower than the player's best race before; 0 without one
	Record Record
	// Private means that only the player gets the message about the finish.
	Private bool
}

// NoRaceTime is the score of a player without a finish, in modes with GameFlagRace. All other
// scores of such modes are times in ms.
const NoRaceTime = -1

// Race returns the state of the race that clients show.
func (tx *Tx) Race() RaceState { return tx.w.race }

// SetRace sets the state of the race that clients show.
func (tx *Tx) SetRace(r RaceState) {
	r.BestTime, r.Precision = max(r.BestTime, 0), min(max(r.Precision, 0), 3)
	tx.w.race = r
}

// StartRace starts the player's race clock at 0.
func (p Player) StartRace() {
	if pl := p.player(); pl != nil {
		pl.raceStart = p.tx.w.tick
	}
}

// StopRace stops the player's race clock.
func (p Player) StopRace() {
	if pl := p.player(); pl != nil {
		pl.raceStart = 0
	}
}

// RaceTime returns the time on the player's race clock in ms, without pauses, and whether the clock
// runs.
func (p Player) RaceTime() (ms int32, running bool) {
	pl := p.player()
	if pl == nil || pl.raceStart == 0 {
		return 0, false
	}
	return (p.tx.w.tick - pl.raceStart) * (1000 / TickRate), true
}

// SendRaceFinish reports the player's finish: to clients at once, and to [FinishHook] at the end of
// the tick. It sets f.Player itself.
func (p Player) SendRaceFinish(f RaceFinish) {
	if p.player() == nil {
		return
	}
	f.Player = p.id
	to := MaskAll
	if f.Private {
		to = MaskOne(p.id)
	}
	w := p.tx.w
	w.addEvent(Event{Kind: EvRaceFinish, To: to, Player: p.id, Value: f.Time, Extra: f.Diff, Record: f.Record})
	if len(w.hooks.finish) > 0 {
		w.finishes = append(w.finishes, f)
	}
}

// SendRecords sends the players in to the best time of all and their own best time. It is for times
// that come from elsewhere than a finish, such as stored ranks.
func (tx *Tx) SendRecords(to PlayerMask) { tx.w.addEvent(Event{Kind: EvRaceRecords, To: to}) }

// SendCheckpoint shows the player's time at a checkpoint to the player and their spectators. The
// argument diff is the difference to the best race in ms, positive if slower. The player's clock
// must run.
func (p Player) SendCheckpoint(diff int32) {
	if t, running := p.RaceTime(); running {
		p.tx.w.addEvent(Event{Kind: EvCheckpoint, To: p.tx.w.watchers(p.id).Or(MaskOne(p.id)), Player: p.id, Value: diff, Extra: t})
	}
}
