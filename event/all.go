package event

func (Download) isEvent()           {}
func (Entered) isEvent()            {}
func (Disconnected) isEvent()       {}
func (RconAuth) isEvent()           {}
func (RconLine) isEvent()           {}
func (ServerInfo) isEvent()         {}
func (Chat) isEvent()               {}
func (Kill) isEvent()               {}
func (Joined) isEvent()             {}
func (Left) isEvent()               {}
func (TeamChange) isEvent()         {}
func (SkinChange) isEvent()         {}
func (Emoticon) isEvent()           {}
func (PickedUp) isEvent()           {}
func (Notice) isEvent()             {}
func (Broadcast) isEvent()          {}
func (Motd) isEvent()               {}
func (GameInfo) isEvent()           {}
func (Settings) isEvent()           {}
func (Tuning) isEvent()             {}
func (RaceFinish) isEvent()         {}
func (Checkpoint) isEvent()         {}
func (DDRaceTeam) isEvent()         {}
func (VoteStart) isEvent()          {}
func (VoteCount) isEvent()          {}
func (VoteEnd) isEvent()            {}
func (MapChange) isEvent()          {}
func (RconLogin) isEvent()          {}
func (RconCommand) isEvent()        {}
func (ChatCommand) isEvent()        {}
func (MapEntry) isEvent()           {}
func (VoteOptionEntry) isEvent()    {}
func (VoteOptionsCleared) isEvent() {}
func (ListBegin) isEvent()          {}
func (MapAnnounced) isEvent()       {}
func (MapText) isEvent()            {}
func (Capabilities) isEvent()       {}
func (RconType) isEvent()           {}
func (Redirect) isEvent()           {}
func (Alert) isEvent()              {}
func (Sound) isEvent()              {}
func (MapSound) isEvent()           {}
func (RaceTime) isEvent()           {}
func (RaceRecords) isEvent()        {}
func (DDRaceTeamKilled) isEvent()   {}
func (OwnVote) isEvent()            {}
func (ProfileCooldown) isEvent()    {}
func (OtherInput) isEvent()         {}
func (TeamSave) isEvent()           {}

// All returns an empty event of every type.
func All() []Event {
	return []Event{
		Download{},
		Entered{},
		Disconnected{},
		RconAuth{},
		RconLine{},
		ServerInfo{},
		Chat{},
		Kill{},
		Joined{},
		Left{},
		TeamChange{},
		SkinChange{},
		Emoticon{},
		PickedUp{},
		Notice{},
		Broadcast{},
		Motd{},
		GameInfo{},
		Settings{},
		Tuning{},
		RaceFinish{},
		Checkpoint{},
		DDRaceTeam{},
		VoteStart{},
		VoteCount{},
		VoteEnd{},
		MapChange{},
		RconLogin{},
		RconCommand{},
		ChatCommand{},
		MapEntry{},
		VoteOptionEntry{},
		VoteOptionsCleared{},
		ListBegin{},
		MapAnnounced{},
		MapText{},
		Capabilities{},
		RconType{},
		Redirect{},
		Alert{},
		Sound{},
		MapSound{},
		RaceTime{},
		RaceRecords{},
		DDRaceTeamKilled{},
		OwnVote{},
		ProfileCooldown{},
		OtherInput{},
		TeamSave{},
	}
}
