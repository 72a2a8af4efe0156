package bridge6

import (
	"errors"
	"testing"

	"github.com/teeyard/teeyard/bridge"
	"github.com/teeyard/teeyard/game"
	"github.com/teeyard/teeyard/internal/bridgetest"
)

// FuzzServerSide passes messages of arbitrary bytes to a server. Each message is preceded by a byte
// for its length and a byte that says whether it is vital. The session must get only values in
// range, and the client only messages that it can decode.
func FuzzServerSide(f *testing.F) {
	w := newCrowd(f, 20)
	var all []byte
	for _, c := range readSession(f) {
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
	f.Fuzz(func(t *testing.T, data []byte) {
		v := NewProtocol()
		v.RecordTick(w, nil)
		l := &testSession{t: t}
		srv := v.NewServerSide(l).(*serverSide)
		srv.SendClientInfo(w, 18, true, false)
		v.BeginSnapshots(w)
		b := &viewer{t: t, world: w}
		l.OnCall = func(c bridgetest.Call) {
			ok := true
			switch a := append(c.Args, nil)[0].(type) {
			case game.Profile:
				ok = len(a.Name) <= game.MaxNameLen && len(a.Clan) <= game.MaxClanLen
			case int:
				ok = a >= 0 // the number of a map chunk
			case bridge.InputMessage:
				ok = a.Input.Direction >= -1 && a.Input.Direction <= 1 && a.Input.WantedWeapon >= 0 && a.Input.WantedWeapon < game.NumWeapons && a.Valid
			case game.Command:
				ok = a.Target >= game.Nobody && a.Target < game.MaxPlayers && a.Kind != 0 && (a.Kind != game.CmdSkinChange || a.Profile != nil)
			}
			if !ok {
				t.Errorf("%+v", c)
			}
		}
		for len(data) >= 2 {
			n := min(int(data[0]), len(data)-2)
			vital := data[1]&1 != 0
			m := append([]byte(nil), data[2:2+n]...)
			data = data[2+n:]
			if err := srv.Receive(m, vital); err != nil && !errors.Is(err, bridge.ErrBadMessage) && !errors.Is(err, bridge.ErrNotVital) {
				t.Errorf("%x: %v", m, err)
			}
		}
		b.items(srv, 18)
	})
}
