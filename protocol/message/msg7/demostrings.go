package msg7

import "github.com/teeyard/teeyard/protocol/message"

// SetClient fills the object with the fields of a Sv_ClientInfo.
func (o *DeClientInfo) SetClient(m *SvClientInfo) {
	o.Local, o.Team, o.Country = m.Local, m.Team, m.Country
	message.StrToInts(o.Name[:], m.Name)
	message.StrToInts(o.Clan[:], m.Clan)
	for i := range o.SkinParts {
		message.StrToInts(o.SkinParts[i][:], m.Skin.Parts[i])
	}
	o.UseCustomColors, o.SkinColors = m.Skin.UseCustomColors, m.Skin.Colors
}
