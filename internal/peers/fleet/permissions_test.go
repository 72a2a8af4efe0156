//go:build peers

package fleet

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/teeyard/teeyard/bans"
	fleetbans "github.com/teeyard/teeyard/fleet/bans"
	"github.com/teeyard/teeyard/fleet/bus"
	"github.com/teeyard/teeyard/internal/peers"
	"github.com/teeyard/teeyard/internal/testenv"
)

// TestPermissions lets a server of the fleet try to do what only operators or other servers may:
// with the permissions that teeyard-fleet conf writes, nothing of it has an effect.
func TestPermissions(t *testing.T) {
	keys := t.TempDir()
	eu := []string{"eu"}
	users := []bus.User{{Name: "alice", Level: "admin"}, {Name: "bob", Level: "helper"}, {Name: "evil", Tags: eu}, {Name: "victim", Tags: eu}}
	for i := range users {
		key, _, err := bus.OpenKey(keys, users[i].Name)
		testenv.NoError(t, err)
		users[i].Key = key
	}
	n := peers.NewNATS(t, testenv.Must(bus.WriteUsers("test", users)))
	n.Start()
	seed := func(name string) string { return filepath.Join(keys, name+".nk") }
	operator := func(name string) *bus.Operator {
		o, err := bus.Connect(bus.Access{URL: n.URL(), Credentials: seed(name)}, "test", name)
		testenv.NoError(t, err)
		t.Cleanup(o.Close)
		return o
	}
	alice, bob := operator("alice"), operator("bob")
	victim := startServer(t, n, "victim", "sv_rcon_password x; sv_fleet_tags eu; sv_nats_creds "+seed("victim"))
	await(t, alice, "victim")
	answers, _ := run(t, alice, "admin", "victim", "echo hello")
	testenv.Check(t, len(answers) == 1 && answers["victim"].Failed == "", "an administrator: %+v", answers)
	answers, _ = run(t, bob, "helper", "victim", "shutdown")
	testenv.Check(t, len(answers) == 1 && strings.Contains(answers["victim"].Failed, "denied"), "a helper: %+v", answers)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	err := bob.Audit(ctx, time.Now().Add(-time.Hour), "", func(e bus.AuditEntry) { t.Errorf("a helper reads %s", e.Entry) })
	testenv.Check(t, err != nil && strings.Contains(strings.ToLower(err.Error()), "permissions violation"), "the audit log for a helper: %v", err)
	audit := ""
	testenv.NoError(t, alice.Audit(ctx, time.Now().Add(-time.Hour), "", func(e bus.AuditEntry) {
		testenv.Check(t, e.Server == "victim" && e.ID != "", "%+v", e)
		if audit += string(e.Entry) + "\n"; strings.Contains(audit, "shutdown") {
			cancel()
		}
	}))
	testenv.Check(t, strings.Contains(audit, `"via":"nats","level":"admin","name":"alice","command":"echo hello"`), "%s", audit)

	denied := make(chan error, 100)
	login := testenv.Must(nats.NkeyOptionFromSeed(seed("evil")))
	nc, err := nats.Connect(n.URL(), login, nats.CustomInboxPrefix("_INBOX_evil"), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			denied <- err
		}
	}))
	testenv.NoError(t, err)
	defer nc.Close()
	js := testenv.Must(nc.JetStream(nats.MaxWait(time.Second)))
	refused := func(what string, f func()) {
		t.Helper()
		f()
		testenv.NoError(t, nc.FlushTimeout(5*time.Second))
		select {
		case <-denied:
		case <-time.After(5 * time.Second):
			t.Errorf("%s: not denied", what)
		}
		for len(denied) > 0 {
			<-denied
		}
	}
	for _, subject := range []string{
		"test.console.admin.alice.all", "test.console.admin.alice.server.victim", "test.console.admin.evil.all", "$KV.test_bans.victim.p.cb007107-32",
		"$KV.test_bans.op-alice.p.cb007107-32", "$KV.test_bans.op-evil.p.cb007107-32", "$KV.test_servers.victim", "$KV.test_snap.bans",
		"test.event.victim.chat", "test.audit.victim", "_INBOX_alice.x", "_INBOX_victim.x",
		"$JS.API.STREAM.DELETE.KV_test_bans", "$JS.API.STREAM.PURGE.KV_test_bans", "$JS.API.STREAM.UPDATE.KV_test_bans", "$JS.API.STREAM.CREATE.x",
		"$JS.API.STREAM.MSG.DELETE.KV_test_bans", "$JS.API.STREAM.SNAPSHOT.KV_test_bans", "$JS.API.STREAM.MSG.GET.test_EVENTS",
		"$JS.API.CONSUMER.CREATE.test_EVENTS", "$JS.API.CONSUMER.CREATE.test_AUDIT", "$JS.API.STREAM.MSG.GET.test_AUDIT",
		"$JS.API.CONSUMER.CREATE.KV_test_servers", "$JS.API.CONSUMER.DURABLE.CREATE.KV_test_bans.x",
		"$JS.API.CONSUMER.CREATE.KV_test_snap", "$SYS.REQ.SERVER.PING",
	} {
		refused("publish to "+subject, func() { nc.PublishRequest(subject, "_INBOX_evil.1", []byte("shutdown")) })
	}
	for _, subject := range []string{">", "_INBOX_alice.>", "_INBOX_victim.>", "test.event.>", "$KV.>", "test.console.>", "test.console.*.*.server.victim",
		"test.console.*.*.tag.*", "test.console.*.*.tag.us", "test.audit.>"} {
		refused("subscribe to "+subject, func() { nc.SubscribeSync(subject) })
	}

	// Values of its own, which a consumer delivers to the subjects of others.
	admin := testenv.Must(nats.Connect(n.URL(), testenv.Must(nats.NkeyOptionFromSeed(seed("alice"))), nats.CustomInboxPrefix("_INBOX_alice")))
	defer admin.Close()
	all := testenv.Must(admin.JetStream())
	before := streams(t, all)
	put := func(key, value string) {
		_, err := js.Publish("$KV.test_bans.evil."+key, []byte(value))
		testenv.NoError(t, err)
	}
	put("line", "shutdown")
	// A consumer begins to deliver when somebody subscribes to exactly its subject.
	for i, deliver := range []string{
		"test.console.admin.alice.all", "test.console.admin.alice.tag.eu", "test.console.admin.alice.server.victim", "_INBOX_alice.x",
		"$KV.test_servers.victim", "test.event.victim.chat", "test.audit.victim",
		"$KV.test_snap.bans", "$KV.test_bans.op-alice.p.cb007107-32", "$JS.API.STREAM.DELETE.KV_test_bans",
	} {
		// What counts is that there is no effect; the server may refuse the consumer.
		_, err := js.AddConsumer("KV_test_bans", &nats.ConsumerConfig{
			DeliverSubject: deliver, FilterSubject: "$KV.test_bans.evil.line", AckPolicy: nats.AckNonePolicy, Name: fmt.Sprint("evil", i),
		})
		t.Logf("a consumer that delivers to %s: %v", deliver, err)
		_, err = nc.SubscribeSync(deliver)
		testenv.NoError(t, err)
	}
	put("line", "shutdown") // again, for consumers that have just begun
	// Entries that are not what their keys say, or that a server may not make.
	put("p.cb007107-32", `{"ban":{"net":"198.51.100.1/32"},"made":1}`)
	put("p.0a000000-8", `{"ban":{"net":"10.0.0.0/8"},"made":1}`)
	put("p.7f000001-32", `{"ban":{"net":"127.0.0.1/32"},"made":1}`)
	put("p.cb007108-32", `{"ban":{"net":"203.0.113.8/32","origin":"op-alice"},"origin":"op-alice","made":1}`)
	put("p.cb007109-32", `{"ban":{"net":"203.0.113.9/32"},"made":9000000000000}`)
	put("p.cb00710a-32", strings.Repeat("x", 100_000))
	// The last one is an honest ban, after which all others have been seen.
	put("p.cb007163-32", `{"ban":{"net":"203.0.113.99/32","reason":"honest"},"made":2}`)
	peers.Eventually(t, patience, "the victim has the honest ban", func() bool {
		answers, _ := run(t, alice, "admin", "victim", "bans")
		return answers["victim"] != nil && strings.Contains(strings.Join(answers["victim"].Lines, "\n"), "203.0.113.99")
	})
	answers, _ = run(t, alice, "admin", "victim", "bans")
	lines := strings.Join(answers["victim"].Lines, "\n")
	testenv.Check(t, strings.Contains(lines, "203.0.113.8'") && strings.Contains(lines, "2 bans"), "%s", lines)
	set, _, err := alice.Bans()
	testenv.NoError(t, err)
	e, _ := set.InForce(fleetbans.KeyOf(bans.Ban{Net: address(113<<8 | 8).Net}))
	testenv.Check(t, e.Origin == "evil" || e.Origin == "", "the ban has the origin %q", e.Origin)
	output := victim.Output()
	testenv.Check(t, strings.Contains(output, "a console line does not run"), "the trap was not tried:\n%s", output)
	after := streams(t, all)
	for name, was := range before {
		if name != "KV_test_bans" && name != "KV_test_servers" && name != "test_AUDIT" {
			testenv.Check(t, after[name] == was, "the stream %s had %d messages, and now %d", name, was, after[name])
		}
	}
	for seq := uint64(1); seq <= after["test_AUDIT"]; seq++ {
		msg := testenv.Must(all.GetMsg("test_AUDIT", seq))
		testenv.Check(t, strings.HasPrefix(string(msg.Data), `{"server":"victim"`), "the audit log has %s", msg.Data)
	}
	servers := await(t, alice, "victim")
	testenv.Check(t, servers[0].Info.Map.Name == "dm1", "the victim's state is %+v", servers[0])
}

// streams returns the last sequence number of each stream.
func streams(t *testing.T, js nats.JetStreamContext) map[string]uint64 {
	t.Helper()
	all := map[string]uint64{}
	for info := range js.StreamsInfo() {
		all[info.Config.Name] = info.State.LastSeq
	}
	testenv.Check(t, len(all) == 5, "streams: %v", all)
	return all
}
