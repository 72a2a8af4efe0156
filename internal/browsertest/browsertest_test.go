package browsertest

import (
	"net/http"
	"strings"
	"testing"
)

func TestMain(m *testing.M) { Main(m) }

func serveText(contentType, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Write([]byte(text))
	}
}

func TestPage(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", serveText("text/html",
		`<!doctype html><title>x</title><link rel="icon" href="data:,"><body style="background: #f00"><script type="module" src="/x.js"></script>`))
	mux.HandleFunc("/x.js", serveText("text/javascript", `document.title = 'set'; export const answer = 42;`))
	p := Open(t, mux, "/")
	p.Wait(`document.title === 'set'`)
	if answer := Eval[int](p, `(async () => (await import('/x.js')).answer)()`); answer != 42 {
		t.Error(answer)
	}
	gl := Eval[string](p, `document.createElement('canvas').getContext('webgl2').getParameter(WebGL2RenderingContext.VERSION)`)
	if !strings.HasPrefix(gl, "WebGL 2") {
		t.Error("no WebGL2:", gl)
	}
	img := p.Screenshot()
	if r, g, b, _ := img.At(100, 100).RGBA(); img.Bounds().Dx() != Width || img.Bounds().Dy() != Height || r>>8 != 255 || g != 0 || b != 0 {
		t.Error("the picture is not red, or of another size:", img.Bounds(), img.At(100, 100))
	}
	if problems := p.Expect(); len(problems) > 0 {
		t.Error(problems)
	}

	p.Run(`console.error('ouch'); setTimeout(() => { throw new Error('late') }); fetch('http://192.0.2.1/').catch(() => {});
		new Promise(f => setTimeout(f, 100))`)
	all := strings.Join(p.Expect(), "\n")
	for _, want := range []string{"ouch", "late", "http://192.0.2.1/"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q has not been noticed:\n%s", want, all)
		}
	}
}
