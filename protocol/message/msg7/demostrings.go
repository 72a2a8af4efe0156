package msg7

import "github.com/teeyard/teeyard/protocol/message"

// StrToInts packs s into integers, four bytes each, the form texts have in
// snapshot objects: the first byte is the highest, and 128 is added to each. At
// most 4×len(dst)-1 bytes of s are used; the last byte is always a NUL.
func StrToInts(dst []int32, s []byte) { message.StrToInts(dst, s) }

// AppendIntsToStr appends the text that StrToInts packed into src, up to its NUL,
// and returns the extended slice.
func AppendIntsToStr(dst []byte, src []int32) []byte {
	return message.AppendIntsToStr(dst, src)
}

// SetClient fills the object with what a Sv_ClientInfo says.
func (o *DeClientInfo) SetClient(m *SvClientInfo) {
	o.Local, o.Team, o.Country = m.Local, m.Team, m.Country
	StrToInts(o.Name[:], m.Name)
	StrToInts(o.Clan[:], m.Clan)
	for i := range o.SkinParts {
		StrToInts(o.SkinParts[i][:], m.Skin.Parts[i])
	}
	o.UseCustomColors, o.SkinColors = m.Skin.UseCustomColors, m.Skin.Colors
}
