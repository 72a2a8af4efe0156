package conn

import (
	"encoding/hex"
	"errors"
	"net/netip"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/protocol/packet"
)

// TestWorkedBytes performs both roles of a join and compares with the bytes of the original
// programs.
func TestWorkedBytes(t *testing.T) {
	zeros := strings.Repeat("00", 508)
	info, _ := hex.DecodeString("03302e372038303266316265363061303536363566" + "0000851c")
	client, server := newPeer(t, 0), newPeer(t, 0)

	must(t, client.Dial(0, clientToken))
	client.expectSent(t, "TOKEN request", "040000ffffffff0501020304"+zeros)

	must(t, client.Feed(0, packet.AppendTokenReply(nil, clientToken, serverToken), client))
	client.expectSent(t, "CONNECT", "040000aabbccdd0101020304"+zeros)

	must(t, server.Accept(0, serverToken, clientToken))
	accept := server.sent[0]
	server.expectSent(t, "ACCEPT", "0400000102030402")
	must(t, client.Feed(0, accept, client))
	if client.State() != StateOnline || server.State() != StatePending {
		t.Fatalf("client %v, server %v", client.State(), server.State())
	}

	must(t, client.Queue(0, info, true))
	client.Flush(0)
	b := client.sent[0]
	client.expectSent(t, "INFO", "000001aabbccdd40190103302e37203830326631626536306130353636356600"+"00851c")
	must(t, server.Feed(0, b, server))
	if server.State() != StateOnline || len(server.got) != 1 || server.got[0] != string(info) {
		t.Fatalf("server %v got %q", server.State(), server.got)
	}

	must(t, server.Queue(0, []byte("\x05\x64m"), true))
	server.Flush(0)
	b = server.sent[0]
	server.expectSent(t, "MAP_CHANGE", "00010101020304400301"+"05646d")
	must(t, client.Feed(0, b, client))

	client.Update(1001 * ms)
	client.expectSent(t, "KEEPALIVE", "040100aabbccdd00")

	client.Close(1001*ms, "")
	client.expectSent(t, "CLOSE", "040100aabbccdd04")
}

func TestConfig(t *testing.T) {
	_, noSend := New(Config{})
	_, negative := New(Config{Send: func([]byte) {}, ResendBuffer: -1})
	c := newPeer(t, 0)
	for _, err := range []error{noSend, negative, c.Dial(0, packet.NoToken), c.Accept(0, 1, packet.NoToken)} {
		if !errors.Is(err, ErrConfig) {
			t.Errorf("%v, want ErrConfig", err)
		}
	}
	must(t, c.Dial(0, 1))
	for _, err := range []error{c.Dial(0, 1), c.Accept(0, 1, 1), c.Queue(0, nil, true)} {
		if !errors.Is(err, ErrWrongState) {
			t.Errorf("while dialling: %v, want ErrWrongState", err)
		}
	}
}

// TestHandshakeRepeats checks that the message of each waiting state is repeated every half second.
func TestHandshakeRepeats(t *testing.T) {
	client, server := newPeer(t, 0), newPeer(t, 0)
	must(t, client.Dial(0, clientToken))
	request := client.takeSent()[0]
	client.Update(500 * ms)
	client.expectSent(t, "too early")
	client.Update(501 * ms)
	client.expectSent(t, "TOKEN", hex.EncodeToString(request))

	client.Feed(600*ms, packet.AppendTokenReply(nil, clientToken, serverToken), client)
	connect := client.takeSent()[0]
	client.Update(1101 * ms)
	client.expectSent(t, "CONNECT", hex.EncodeToString(connect))

	must(t, server.Accept(0, serverToken, clientToken))
	server.takeSent()
	must(t, server.Feed(100*ms, connect, server))
	server.expectSent(t, "a repeated CONNECT is not answered")
	server.Update(501 * ms)
	server.expectSent(t, "ACCEPT", "0400000102030402")
}

func TestTimeouts7(t *testing.T) {
	client, server := newPeer(t, 0), newPeer(t, 0)
	must(t, client.Dial(0, clientToken))
	client.Update(5 * s)
	if client.State() != StateToken {
		t.Fatalf("%v after 5 s", client.State())
	}
	client.Update(5*s + 1)
	if client.State() != StateError || client.Reason() != "Unable to connect to the server" {
		t.Fatalf("%v, %q", client.State(), client.Reason())
	}

	must(t, server.Accept(0, serverToken, clientToken))
	server.Update(10 * s)
	if server.State() != StatePending {
		t.Fatalf("%v after 10 s", server.State())
	}
	server.Update(10*s + 1)
	if server.State() != StateError || server.Reason() != "Timeout" {
		t.Fatalf("%v, %q", server.State(), server.Reason())
	}
	server.takeSent()
	server.Close(10*s+1, "")
	server.expectSent(t, "CLOSE", "0400000102030404"+hex.EncodeToString([]byte("Timeout\x00")))
	if server.State() != StateOffline || server.Reason() != "Timeout" {
		t.Errorf("%v, %q", server.State(), server.Reason())
	}

	client, _ = variants[0].connect(t, 0, 0)
	must(t, client.Feed(s, data7(0, 0, clientToken), client))
	client.Update(11 * s)
	if client.State() != StateOnline {
		t.Fatalf("%v, %q", client.State(), client.Reason())
	}
	client.Update(11*s + 1)
	if client.Reason() != ReasonTimeout {
		t.Fatalf("%v, %q", client.State(), client.Reason())
	}
}

func TestClose(t *testing.T) {
	client, server := variants[0].connect(t, 0, 0)
	must(t, client.Feed(0, packet.AppendClose(nil, 0, clientToken, "kicked\nout"), client))
	if client.State() != StateError || client.Reason() != "kicked out" || !client.ClosedByPeer() {
		t.Errorf("client %v, %q", client.State(), client.Reason())
	}
	client.Close(0, "me too")
	client.expectSent(t, "the peer closed first")
	if client.State() != StateOffline || client.Reason() != "kicked out" {
		t.Errorf("client %v, %q", client.State(), client.Reason())
	}

	must(t, server.Feed(0, packet.AppendClose(nil, 0, serverToken, "rude words"), server))
	if server.State() != StateError || server.Reason() != "" || !server.ClosedByPeer() {
		t.Errorf("server %v, %q", server.State(), server.Reason())
	}
	if err := server.Feed(0, data7(0, 0, serverToken), server); !errors.Is(err, packet.DropWrongState) {
		t.Errorf("packet after CLOSE: %v", err)
	}
}

// TestConnectWithAck checks a CONNECT whose ack is not 0. The original's server counts such a
// client but gives it no connection.
func TestConnectWithAck(t *testing.T) {
	tokens, err := NewTokenIssuer(nil)
	must(t, err)
	ip := netip.MustParseAddr("192.0.2.7")
	attack := packet.AppendConnect(nil, tokens.Token(0, ip), clientToken)
	attack[1] = 5
	var p packet.Packet
	must(t, p.Parse(attack, new(packet.Scratch)))
	if v, drop := tokens.Inspect(0, ip, &p); v != ActionIgnore || drop != packet.DropBadAck {
		t.Errorf("%v, %v", v, drop)
	}
	// If the caller accepts it nevertheless, it becomes a full connection.
	server := newPeer(t, 0)
	must(t, server.Accept(0, p.Token, p.ResponseToken))
	must(t, server.Feed(0, data7(0, 0, p.Token, vital7(1, "x")), server))
	if server.State() != StateOnline || len(server.got) != 1 {
		t.Errorf("%v, %q", server.State(), server.got)
	}
}

// TestTokenChange checks that a peer may issue a new token at any time.
func TestTokenChange(t *testing.T) {
	client, _ := variants[0].connect(t, 0, 0)
	must(t, client.Feed(0, packet.AppendTokenReply(nil, clientToken, 0x77), client))
	if client.PeerToken() != 0x77 {
		t.Errorf("the peer's token is %x after TOKEN", client.PeerToken())
	}
}
