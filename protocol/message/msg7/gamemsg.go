package msg7

import "github.com/teeyard/teeyard/protocol/packer"

// SvGameMsg reports an event of the match. Each client shows the event in its own language.
//
// Sent by the server, vital; game message 21, Sv_GameMsg.
type SvGameMsg struct {
	// Kind of the event; 0 to 10.
	Kind GameMsgKind
	// Parameters of the event. The first Kind.Params() count; the others are 0.
	Params [3]int32
}

// ParamNames returns the names of the kind's parameters: Team, ClientID or Ticks.
func (k GameMsgKind) ParamNames() []string {
	switch k {
	case GameMsgTeamAll, GameMsgTeamBalanceVictim, GameMsgCTFGrab:
		return []string{"Team"}
	case GameMsgGamePaused:
		return []string{"ClientID"}
	case GameMsgCTFCapture:
		return []string{"Team", "ClientID", "Ticks"}
	}
	return nil
}

// Params returns the number of parameters after the kind on the wire: 0, 1 or 3.
func (k GameMsgKind) Params() int {
	switch k {
	case GameMsgTeamAll, GameMsgTeamBalanceVictim, GameMsgCTFGrab, GameMsgGamePaused:
		return 1
	case GameMsgCTFCapture:
		return 3
	}
	return 0
}

// Append appends the message, id first, and returns the extended slice.
func (m *SvGameMsg) Append(dst []byte) []byte {
	dst = packer.AppendInt(dst, int32(IDSvGameMsg))
	dst = packer.AppendInt(dst, int32(m.Kind))
	return packer.AppendInts(dst, m.Params[:m.Kind.Params()])
}

// Unpack reads the message from u, whose position must be after the id.
func (m *SvGameMsg) Unpack(u *packer.Unpacker) error {
	v := u.Int()
	if v < 0 || v > int32(GameMsgGamePaused) || u.Err() != nil {
		return version.NewFieldError("Sv_GameMsg", "Kind", v, u)
	}
	m.Kind = GameMsgKind(v)
	m.Params = [3]int32{}
	if !u.Ints(m.Params[:m.Kind.Params()]) {
		return version.NewFieldError("Sv_GameMsg", "Params", 0, u)
	}
	return nil
}
