package msg6

import (
	"unicode/utf8"

	"github.com/teeyard/teeyard/protocol/message"
)

// StrToInts packs s into integers, four bytes each, the form texts have in
// snapshot objects: the first byte is the highest, and 128 is added to each. At
// most 4×len(dst)-1 bytes of s are used, which is MaxName, MaxClan and MaxSkin
// for the texts of a ClientInfo; the last byte is always a NUL. A longer text is cut,
// never inside a UTF-8 sequence.
func StrToInts(dst []int32, s []byte) {
	if len(dst) == 0 {
		return
	}
	message.StrToInts(dst, cut(s, 4*len(dst)-1))
}

// cut returns s, or as much of it as fits into limit bytes.
func cut(s []byte, limit int) []byte {
	if len(s) <= limit {
		return s
	}
	// Only a sequence that is valid is kept together: bytes that are not UTF-8
	// have no boundary.
	for n := limit; n >= 0 && n > limit-utf8.UTFMax; n-- {
		if utf8.RuneStart(s[n]) {
			if _, size := utf8.DecodeRune(s[n:]); n+size > limit {
				return s[:n]
			}
			break
		}
	}
	return s[:limit]
}

// AppendIntsToStr appends the text that StrToInts packed into src, up to its NUL,
// and returns the extended slice.
func AppendIntsToStr(dst []byte, src []int32) []byte {
	return message.AppendIntsToStr(dst, src)
}

// SetLook fills the object with what a Cl_StartInfo or Cl_ChangeInfo says.
func (o *ClientInfo) SetLook(l *PlayerLook) {
	*o = ClientInfo{Country: l.Country, ColorBody: l.ColorBody, ColorFeet: l.ColorFeet}
	if l.UseCustomColor {
		o.UseCustomColor = 1
	}
	StrToInts(o.Name[:], l.Name)
	StrToInts(o.Clan[:], l.Clan)
	StrToInts(o.Skin[:], l.Skin)
}
