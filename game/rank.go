package game

import "encoding/json"

// The ranks are the results of races. Like the storage, they are outside the world: a [RankRequest]
// leaves the world as an EvStore, and the answer comes some ticks later as a command. The rank of a
// name is 1 plus the number of names with a better best time, as in DDNet. Equal times share a
// rank.

// RankOp selects the question or change of a RankRequest.
type RankOp uint8

// The operations. Each comment lists the fields of the request besides ID, Op and Map, and then the
// fields of the answer.
const (
	// RankFinish stores a finish: Names, Team, Time, Checkpoints, Begin, End. The answer comes when
	// the finish is on disk; Points are the points that the player gained.
	RankFinish RankOp = iota + 1
	// RankBest asks for the best time of all players and of Name: Name. The answer has the best
	// time of all in Rows[0], if there is one, and the time of Name in Own and Checkpoints.
	RankBest
	// RankOf asks for a player's rank: Name. The answer has Own, Percent, and in Local the rank
	// among the times of this server.
	RankOf
	// RankTop asks for a part of the ranks: From. The answer has five Rows and three Local ones.
	RankTop
	// RankTeamOf asks for a player's best team rank: Name. The answer has Own and Percent.
	RankTeamOf
	// RankTeamTop asks for a part of the team ranks: From, and Name for only the teams of a player.
	// The answer has five Rows.
	RankTeamTop
	// RankTimes asks for the last finishes: From, and Name for only the finishes of a player. The
	// answer has five Rows.
	RankTimes
	// RankPoints asks for a player's points: Name. The answer has Own.
	RankPoints
	// RankTopPoints asks for the players with the most points: From. The answer has five Rows.
	RankTopPoints
	// RankMapInfo describes a map: Name, in full or in part. The answer has Info, with the best
	// time of Asker.
	RankMapInfo
	// RankSave stores the state of a team under a code: Code, Text, Names. Found is false in the
	// answer if the code is taken.
	RankSave
	// RankSaved asks for the save of a code, and leaves it stored: Code. The answer has Found and
	// Save.
	RankSaved
	// RankLoad takes the save that RankSaved found: Code and SaveID. Found is false in the answer
	// if the save is gone. Of several requests, only one succeeds.
	RankLoad
	// RankSaves asks for the saves of a player on this map: Name. The answer has their number in
	// Count and the age of the last one in Save.Age.
	RankSaves
	numRankOps
)

// The limits of ranks.
const (
	// MaxCheckpoints is the number of checkpoints that a finish can have.
	MaxCheckpoints = 25
	// MaxSave is the maximum size of a saved team in bytes: the size of an SQL column of type TEXT.
	MaxSave = 64<<10 - 1
	// maxRankAnswer limits an encoded answer.
	maxRankAnswer = 2*MaxSave + 4*MaxStoreValue
)

// RankRequest is a question about the ranks, or stores a finish or a save. See [Tx.Rank].
type RankRequest struct {
	ID int32 // as in StoreRequest
	Op RankOp
	// Map is the name of a map, or "" for the current map.
	Map  string `json:",omitempty"`
	Name string `json:",omitempty"` // player or map that the request asks about
	// By is the asking player, or -1. A player who asks again within sv_sql_queries_delay gets no
	// answer.
	By    PlayerID
	Asker string `json:",omitempty"` // name of By; Tx.Rank sets it
	// From is the place of the first row. 1 is the best or latest; a negative number counts from
	// the other end.
	From int32 `json:",omitempty"`

	Names       []string `json:",omitempty"` // players of a finish or save
	Team        bool     `json:",omitempty"` // a finish of a team; each player of the team has an own finish too
	Time        int32    `json:",omitempty"` // ms
	Checkpoints []int32  `json:",omitempty"` // ms at each checkpoint, 0 for a missed one
	Begin       int32    `json:",omitempty"` // tick of the start
	End         int32    `json:",omitempty"` // tick of the finish

	Code   string `json:",omitempty"`
	SaveID string `json:",omitempty"`
	Text   string `json:",omitempty"`
}

// RankRow is a rank, a finish or the points of a player.
type RankRow struct {
	Rank   int32    `json:",omitempty"`
	Names  []string `json:",omitempty"` // more than one for a team
	Time   int32    `json:",omitempty"` // ms
	Points int32    `json:",omitempty"`
	// Age is the time since the finish in seconds, or negative if unknown.
	Age    int64  `json:",omitempty"`
	Server string `json:",omitempty"`
}

// RankSaveState is a saved team.
type RankSaveState struct {
	ID   string   `json:",omitempty"`
	Text string   `json:",omitempty"`
	Age  int64    `json:",omitempty"` // seconds since the save, negative if unknown
	Who  []string `json:",omitempty"`
}

// RankMap describes a map in the ranks.
type RankMap struct {
	Name, Server, Mapper string
	Points, Stars        int32
	// Age is the time since the map's release in seconds, or negative if unknown.
	Age       int64
	Finishes  int32
	Finishers int32
	Median    int32 // of all finishes in ms, 0 for none
	Own       int32 // best time of Asker in ms, 0 for none
}

// RankAnswer is the answer to a RankRequest. Op, ID, By, Asker, Map, Name, From and Code are copies
// from the request. The answer to a RankSave also has the request's Text, in Save.
type RankAnswer struct {
	ID    int32
	Op    RankOp
	Map   string `json:",omitempty"`
	Name  string `json:",omitempty"`
	By    PlayerID
	Asker string `json:",omitempty"`
	From  int32  `json:",omitempty"`
	Code  string `json:",omitempty"`

	// Err is the reason why the request was rejected or failed, or "".
	Err string `json:",omitempty"`
	// Server is this server's name in the ranks.
	Server      string         `json:",omitempty"`
	Found       bool           `json:",omitempty"`
	Own         *RankRow       `json:",omitempty"`
	Checkpoints []int32        `json:",omitempty"` // of the finish in Own
	Percent     int32          `json:",omitempty"` // percentage of names that Own is better than
	Rows        []RankRow      `json:",omitempty"`
	Local       []RankRow      `json:",omitempty"` // like Rows, for times on this server only
	Points      int32          `json:",omitempty"`
	Count       int32          `json:",omitempty"`
	Save        *RankSaveState `json:",omitempty"`
	Info        *RankMap       `json:",omitempty"`
}

// Answer returns an answer to the request without results.
func (r *RankRequest) Answer() RankAnswer {
	a := RankAnswer{ID: r.ID, Op: r.Op, Map: r.Map, Name: r.Name, By: r.By, Asker: r.Asker, From: r.From, Code: r.Code}
	if r.Op == RankSave {
		a.Save = &RankSaveState{Text: r.Text}
	}
	return a
}

// valid reports whether the request is within the limits.
func (r *RankRequest) valid() bool {
	for _, n := range r.Names {
		if len(n) > MaxStoreName {
			return false
		}
	}
	return r.Op > 0 && r.Op < numRankOps && len(r.Map) <= 2*MaxStoreName && len(r.Name) <= 2*MaxStoreName && len(r.Names) <= MaxPlayers &&
		len(r.Checkpoints) <= MaxCheckpoints && len(r.Code) <= 2*MaxStoreName && len(r.SaveID) <= MaxStoreName && len(r.Text) <= MaxSave
}

// Rank sends a request to the ranks and returns its ID. The answer comes in [StorageHook], in
// StoreAnswer.Rank. The ID is 0 if a field is too long or there were too many requests in this
// tick.
func (tx *Tx) Rank(r RankRequest) int32 {
	if !r.valid() {
		return 0
	}
	r.Asker = ""
	if r.By >= 0 && r.By < MaxPlayers {
		r.Asker = tx.Player(r.By).Name()
	}
	return Storage{tx, RankSpace}.request(StoreRequest{Op: StoreRank, Rank: &r})
}

// RankOrigin is the information that a server adds to a request.
type RankOrigin struct {
	// ID identifies the finish, save or load. A repeated request has the same ID.
	ID [16]byte
	// Server is the server's name in the ranks, at most 4 bytes in DDNet's tables.
	Server string
	// GameID is the UUID of the world's match.
	GameID string
	// Log is the replay log that contains the run, or "".
	Log string
}

// RankSpace is the storage space of all answers about ranks.
const RankSpace = "rank"

// encode returns the answer as the Value of a StoreAnswer.
func (a *RankAnswer) encode() string {
	b, err := json.Marshal(a)
	if err != nil {
		return "" // it has nothing that cannot be encoded
	}
	return string(b)
}

// parseRankAnswer is the inverse of encode. It returns nil for invalid text.
func parseRankAnswer(text string) *RankAnswer {
	var first, a RankAnswer
	// The second pass normalises empty values and invalid UTF-8 as encode does.
	if json.Unmarshal([]byte(text), &first) != nil {
		return nil
	}
	text = first.encode()
	if len(text) > maxRankAnswer || json.Unmarshal([]byte(text), &a) != nil || a.Op == 0 || a.Op >= numRankOps || a.By < Nobody || a.By >= MaxPlayers {
		return nil
	}
	return &a
}
