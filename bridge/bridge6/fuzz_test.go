package bridge6

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/protocol/message/msg6"
)

// FuzzTake gives a host messages of any bytes: per message a byte for its length and
// one for whether it is vital. What the host asks for must be fit for the server, and
// what it answers must be readable.
func FuzzTake(f *testing.F) {
	w := many(f, 20)
	var all []byte
	for _, c := range session(f) {
		if !c.toServer || len(c.b) > 255 || len(all) > 2000 {
			continue
		}
		vital := byte(0)
		if c.vital {
			vital = 1
		}
		one := append([]byte{byte(len(c.b)), vital}, c.b...)
		f.Add(one)
		all = append(all, one...)
	}
	f.Add(all)
	for _, text := range []string{"/w p3 hi", `/w "p3\" hi`, "/c x", "/ready", "/mc;timeout x"} {
		m := (&msg6.ClSay{Message: []byte(text)}).Append(nil)
		f.Add(append([]byte{byte(len(m)), 1}, m...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v := NewProtocol()
		v.RecordTick(w, nil)
		l := &line{t: t}
		h := v.NewServerSide(l).(*serverSide)
		h.SendClientInfo(w, 18, true, false)
		v.BeginSnapshots(w)
		b := &builder{t: t, v: v, w: w}
		l.onAsk = func(a any) {
			switch a := a.(type) {
			case game.Profile:
				if len(a.Name) > game.MaxNameLen || len(a.Clan) > game.MaxClanLen {
					t.Errorf("%+v", a)
				}
			case mapRequest:
				if a < 0 {
					t.Errorf("chunk %d", a)
				}
			case bridge.InputMessage:
				if a.Input.Direction < -1 || a.Input.Direction > 1 || a.Input.WantedWeapon < 0 || a.Input.WantedWeapon >= game.NumWeapons || !a.Valid {
					t.Errorf("%+v", a)
				}
			case game.Command:
				if a.Target < game.Nobody || a.Target >= game.MaxPlayers || a.Kind == 0 {
					t.Errorf("%+v", a)
				}
				if a.Kind == game.CmdSkinChange && a.Profile == nil {
					t.Errorf("%+v", a)
				}
			}
		}
		for len(data) >= 2 {
			n := min(int(data[0]), len(data)-2)
			vital := data[1]&1 != 0
			m := append([]byte(nil), data[2:2+n]...)
			data = data[2+n:]
			if err := h.Receive(m, vital); err != nil && !errors.Is(err, bridge.ErrBadMessage) && !errors.Is(err, bridge.ErrNotVital) {
				t.Errorf("%x: %v", m, err)
			}
		}
		b.picture(h, 18)
	})
}
