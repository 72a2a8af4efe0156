package event

import (
	"fmt"
	"strings"
)

// VoteKind is the subject of a vote, or its result.
type VoteKind uint8

// The kinds of votes. VoteNone tells a new client that no vote is running.
const (
	VoteNone VoteKind = iota
	VoteOption
	VoteKick
	VoteSpectate
	VoteAborted
	VotePassed
	VoteFailed
)

var voteKindNames = [...]string{"none", "option", "kick", "spectate", "aborted", "passed", "failed"}

// String returns the name of the kind.
func (k VoteKind) String() string {
	if int(k) < len(voteKindNames) {
		return voteKindNames[k]
	}
	return fmt.Sprint(uint8(k))
}

// MarshalText returns the text of String.
func (k VoteKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalText reads a name of String without regard to case.
func (k *VoteKind) UnmarshalText(text []byte) error {
	for i, name := range voteKindNames {
		if strings.EqualFold(name, string(text)) {
			*k = VoteKind(i)
			return nil
		}
	}
	return fmt.Errorf("event: unknown kind of vote %q; use one of %s", text, strings.Join(voteKindNames[:], ", "))
}
