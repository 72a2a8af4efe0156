package play

import (
	"strings"
	"testing"
	"time"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/internal/hostile"
	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/protocol/snapshot"
)

// measure counts the work of pictures: their time, and how often particles ask for the ground.
const measure = `{
	globalThis.pictures = { n: 0, ms: 0, most: 0, solid: 0, now: 0 };
	const frame = game.frame.bind(game), { actors } = game.scene, solid = actors.solid.bind(actors);
	actors.solid = (x, y) => { pictures.now++; return solid(x, y); };
	game.frame = (now) => {
		const begun = performance.now();
		pictures.now = 0;
		frame(now);
		const ms = performance.now() - begun;
		pictures.n++;
		pictures.ms += ms;
		pictures.most = Math.max(pictures.most, ms);
		pictures.solid = Math.max(pictures.solid, pictures.now);
	};
}`

// attack is what a server does to the page for some time.
type attack struct {
	name string
	set  func(m *hostile.Middle)
}

var allAttacks = []attack{
	{"damaged datagrams", func(m *hostile.Middle) { m.Datagrams = 0.3 }},
	{"damaged messages and snapshots", func(m *hostile.Middle) { m.Messages, m.Snapshots = 0.5, 0.5 }},
	{"random messages", func(m *hostile.Middle) { m.Attack = func(m *hostile.Middle, _ int) { m.SendRandom(20) } }},
	{"absurd snapshots", func(m *hostile.Middle) {
		m.Attack = func(m *hostile.Middle, _ int) { m.SendSnapshot(m.Tick()+1, m.Absurd()) }
	}},
	{"absurd tees", func(m *hostile.Middle) {
		m.Attack = func(m *hostile.Middle, _ int) { m.SendSnapshot(m.Tick()+1, m.Tees()) }
	}},
	{"effects", func(m *hostile.Middle) {
		m.Attack = func(m *hostile.Middle, _ int) { m.SendSnapshot(m.Tick()+1, m.Effects(500, 300)) }
	}},
	{"floods", func(m *hostile.Middle) { m.Attack = func(m *hostile.Middle, _ int) { m.Flood(10) } }},
	{"snapshots of any tick", func(m *hostile.Middle) {
		m.Attack = func(m *hostile.Middle, _ int) { m.SendSnapshot(hostile.Nasty(m.Rand)&0x7fffffff, m.Absurd()) }
	}},
}

// everything is all attacks but damaged datagrams and wrong ticks, one in each tick.
func everything(m *hostile.Middle) {
	m.Messages, m.Snapshots = 0.2, 0.2
	m.Attack = func(m *hostile.Middle, n int) {
		m.SendRandom(5)
		m.Flood(1)
		m.SendSnapshot(m.Tick()+1, [...]*snapshot.Snapshot{m.Absurd(), m.Tees(), m.Effects(500, 300)}[n%3])
	}
}

// TestHostileServer lets a server attack the page in all ways. The page stays in the match, or says
// why the match has ended and joins again. A script that throws fails the test.
func TestHostileServer(t *testing.T) {
	span, kinds, attacks := 500*time.Millisecond, []string{"sv_map yardrun; sv_gametype ddrace"}, []attack{{"everything", everything}}
	if testenv.Full() {
		span, kinds, attacks = 10*time.Second, append(kinds, "sv_map testbox"), allAttacks
	}
	for _, settings := range kinds {
		t.Run(settings, func(t *testing.T) {
			b := sitDownWithHostile(t, settings)
			b.Run(measure)
			b.Run(`game.sounds.start()`)
			for _, a := range attacks {
				b.Run(`Object.assign(pictures, { n: 0, ms: 0, most: 0, solid: 0 })`)
				b.attacker.Do(a.set)
				time.Sleep(span)
				b.attacker.Do(func(m *hostile.Middle) { m.Datagrams, m.Messages, m.Snapshots, m.Attack = 0, 0, 0, nil })
				b.Wait(`game.connection.reason || game.connection.playing && game.moment`)
				t.Logf("%s: %s", a.name, browsertest.Eval[string](b.Page, `JSON.stringify({ ...pictures, reason: game.connection.reason,
					heap: performance.memory.usedJSHeapSize >> 20, wasm: (game.connection.engine?.program.memory.buffer.byteLength ?? 0) >> 20 })`))
				for what, limit := range map[string]int{
					`game.connection.match.events.kills.events.length`: 1000, `game.connection.match.frames.length`: 200,
					`game.sounds.ends.length`: 48, `game.chat.log.box.children.length`: 250, `game.scene.original?.paths[0].size ?? 0`: 1000,
				} {
					n := browsertest.Eval[int](b.Page, what)
					testenv.Check(t, n <= limit, "%s: %s is %d, at most %d is allowed", a.name, what, n, limit)
				}
				b.next()
			}
			b.check("the last of 20,000 deaths have particles", `(() => {
				const death = { kind: 3, tick: 0, x: 500, y: 300, id: 1, angle: 0, amount: 0, sound: -1 };
				const items = Array.from({ length: 20_000 }, (_, k) => ({ ...death, key: -k, seed: k }));
				pictures.now = 0;
				game.scene.effects.drawParticles({ ...game.moment, tick: 25, effects: { items, length: items.length } }, game.scene.style);
				return pictures.now > 1e5 && pictures.now < 3e6;
			})()`)
			b.check("a hook that is far away is not followed", `import('/viewer/match/evolve.js').then(({ Evolver }) => {
				const tee = Int32Array.of(1, 0, 0, 0, 0, 0, 0, 0, -1, 4, 0, 1 << 30, 0, 0, 0);
				new Evolver(10, 10, new Uint8Array(100)).evolve(1, tee, 0, 100);
				return tee[11] === 1 << 30;
			})`)
			b.next()
			b.showHostileMaps()
			b.missHostileMaps()
			b.again()
			b.readHostileInfo()
			b.check("texts stay texts", `!document.querySelector('#stage img')`)
			for _, p := range b.Expect() {
				testenv.Check(t, strings.Contains(p, "404"), "%s", p)
			}
		})
	}
}
