package msg6

import (
	"github.com/teeyard/teeyard/protocol/message"
	"github.com/teeyard/teeyard/protocol/packer"
)

// StrToInts packs s into integers as message.StrToInts does. StrToInts uses at most 4×len(dst)-1
// bytes of s. For the texts of a ClientInfo, that is MaxName, MaxClan or MaxSkin. A longer text is
// cut, but not inside a UTF-8 sequence.
func StrToInts(dst []int32, s []byte) {
	if len(dst) == 0 {
		return
	}
	message.StrToInts(dst, packer.Truncate(s, 4*len(dst)-1))
}

// SetProfile fills the object with the fields of a Cl_StartInfo or Cl_ChangeInfo.
func (o *ClientInfo) SetProfile(p *PlayerProfile) {
	*o = ClientInfo{Country: p.Country, ColorBody: p.ColorBody, ColorFeet: p.ColorFeet}
	if p.UseCustomColor {
		o.UseCustomColor = 1
	}
	StrToInts(o.Name[:], p.Name)
	StrToInts(o.Clan[:], p.Clan)
	StrToInts(o.Skin[:], p.Skin)
}
