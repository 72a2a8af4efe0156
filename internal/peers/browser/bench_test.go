//go:build peers

package browser

import (
	"fmt"
	"slices"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/teeyard/teeyard/internal/browsertest"
	"github.com/teeyard/teeyard/web/play/engine"
)

// playAtOnce clicks on Play as soon as it can, and notes the time of the first picture with the own
// tee, in ms since the page was opened.
const playAtOnce = `(() => {
	const timer = setInterval(() => {
		if (!globalThis.teeyard) return;
		const b = document.querySelector('#card button.play:not(:disabled)');
		if (b && !teeyard.connection.engine) b.click();
		if (!teeyard.connection.match.own || !teeyard.moment) return;
		clearInterval(timer);
		requestAnimationFrame(() => { globalThis.playedAt = performance.now(); });
	}, 5);
})()`

// BenchmarkFirstPlayable measures the time from opening the link to the own tee on the screen, in a
// small window: without and with the browser's cache, and at 10 Mbit/s with a processor that is
// four times slower.
func BenchmarkFirstPlayable(b *testing.B) {
	h := startHost(b, "sv_map ctf5; sv_bots 7")
	p := h.open("bencher")
	p.RunFirst(playAtOnce)
	for _, kind := range []string{"cold", "cached", "slow"} {
		b.Run(kind, func(b *testing.B) {
			if kind == "slow" {
				p.SlowDown(4, 10e6)
			}
			var times []float64
			for range b.N {
				if kind != "cached" {
					p.ClearCache()
				}
				p.Goto("/play")
				p.Wait(`globalThis.playedAt`)
				times = append(times, browsertest.Eval[float64](p.Page, `playedAt`))
				p.Run(`teeyard.connection.close()`)
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms/first-picture")
			b.ReportMetric(times[len(times)-1], "ms/slowest")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// watchAtOnce notes when the browser has drawn the first picture of the match with a tee that the
// camera follows, in ms since the page was opened.
const watchAtOnce = `(() => {
	const look = () => {
		const plate = document.getElementById('plate');
		if (!plate || plate.hidden || performance.getEntriesByName('first picture').length === 0) requestAnimationFrame(look);
		else globalThis.watchedAt = performance.now();
	};
	requestAnimationFrame(look);
})()`

// BenchmarkFirstPicture measures the time from opening / of a server with default settings to a
// picture of the match with tees, in a small window, without and with the browser's cache.
func BenchmarkFirstPicture(b *testing.B) {
	h := startHost(b, "sv_bots 3")
	p := h.open("bencher")
	p.RunFirst(watchAtOnce)
	p.Goto("/")
	p.Wait(`globalThis.watchedAt`) // bots join when the first viewer comes
	for _, kind := range []string{"cold", "cached"} {
		b.Run(kind, func(b *testing.B) {
			var times []float64
			for range b.N {
				p.Do(chromedp.Navigate("about:blank")) // the end of the page before takes long
				if kind == "cold" {
					p.ClearCache()
				}
				p.Goto("/")
				p.Wait(`globalThis.watchedAt`)
				times = append(times, browsertest.Eval[float64](p.Page, `watchedAt`))
				b.Log(browsertest.Eval[string](p.Page, timeline))
			}
			slices.Sort(times)
			b.ReportMetric(times[len(times)/2], "ms/first-picture")
			b.ReportMetric(times[len(times)-1], "ms/slowest")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// timeline is the way to the first picture, in ms since the page was opened.
const timeline = `JSON.stringify([
	...performance.getEntriesByType('navigation').map((e) => ['page', e.responseEnd]),
	...performance.getEntriesByType('resource').map((e) => [e.name.replace(/[^/]*\/\/[^/]*|\?.*/g, ''), e.startTime, e.responseEnd]),
	...performance.getEntriesByType('paint').map((e) => [e.name, e.startTime]),
	...performance.getEntriesByType('mark').map((e) => [e.name, e.startTime]),
	['drawn', watchedAt],
].map((e) => e.map((n) => typeof n === 'number' ? Math.round(n) : n)))`

// BenchmarkScript measures the script of a picture beside 63 bots, and the memory, in a small
// window.
func BenchmarkScript(b *testing.B) {
	h := startHost(b, "sv_map teeyard1; sv_bots 64; sv_player_slots 64; sv_max_clients 64")
	p := h.open("bencher")
	p.join()
	p.Wait(`teeyard.moment.players.filter((p) => p.active).length === 63`) // bots leave a seat free
	p.Run(`(() => {
		globalThis.frames = [];
		const frame = teeyard.frame.bind(teeyard);
		teeyard.frame = (now) => { const t = performance.now(); frame(now); frames.push(performance.now() - t); };
	})()`)
	before := p.HeapUsed()
	b.ResetTimer()
	p.Wait(fmt.Sprintf(`frames.length > %d`, 300*b.N))
	times := browsertest.Eval[[]float64](p.Page, `frames`)
	slices.Sort(times)
	b.ReportMetric(times[len(times)/2], "ms/frame-p50")
	b.ReportMetric(times[len(times)*95/100], "ms/frame-p95")
	b.ReportMetric(times[len(times)-1], "ms/frame-max")
	b.ReportMetric(p.HeapUsed()/1e6, "MB-heap")
	b.ReportMetric((p.HeapUsed()-before)/1e6, "MB-heap-growth")
	b.ReportMetric(browsertest.Eval[float64](p.Page, `teeyard.connection.engine.program.memory.buffer.byteLength`)/1e6, "MB-wasm")
	b.ReportMetric(p.state(engine.StateCorrections)/max(1, p.state(engine.StatePredictions)), "corrections/snapshot")
	b.ReportMetric(0, "ns/op")
}
