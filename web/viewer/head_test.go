package viewer

import (
	"crypto/tls"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/teeyard/teeyard/internal/testenv"
	"github.com/teeyard/teeyard/web"
)

// TestHead checks titles and previews of links, which contain the names of servers and maps as
// text, and the picture only for a plausible host.
func TestHead(t *testing.T) {
	about := web.About{Name: `<b>"yard"`, GameType: "CTF", Map: "ctf5"}
	h := web.NewHandler(Rooms("", func() web.About { return about })...)
	get := func(path, host string, secure bool) string {
		r := httptest.NewRequest("GET", path, nil)
		if r.Host = host; secure {
			r.TLS = new(tls.ConnectionState)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		return w.Body.String()
	}
	for _, c := range []struct {
		path, host string
		secure     bool
		want       []string
	}{
		{"/", "yard.example:8303", false, []string{
			"<title>&lt;b&gt;&#34;yard&#34; · Teeyard</title>", `"og:title" content="&lt;b&gt;&#34;yard&#34;"`, "CTF on ctf5. Watch",
			`"og:image" content="http://yard.example:8303/viewer/preview.jpg"`,
		}},
		{"/", "[2001:db8::1]:8303", true, []string{`content="https://[2001:db8::1]:8303/viewer/preview.jpg"`}},
		{"/replays", "yard.example", true, []string{"<title>Replays · &lt;b&gt;&#34;yard&#34; · Teeyard</title>", "recorded matches"}},
	} {
		page := get(c.path, c.host, c.secure)
		for _, part := range c.want {
			testenv.Check(t, strings.Contains(page, part), "%s of %s has no %s:\n%s", c.path, c.host, part, page)
		}
	}
	for path, want := range map[string]bool{"/": true, "/?match=1": false, "/replays": false} { // other pages would load it for nothing
		testenv.Check(t, strings.Contains(get(path, "a", false), `href="live.json"`) == want, "%s preloads the current match, or does not", path)
	}
	page := get("/", `evil"><script>`, false)
	testenv.Check(t, !strings.Contains(page, "evil") && strings.Contains(page, "og:title"), "a strange host:\n%s", page)
	about.Map = "dm1"
	testenv.Check(t, strings.Contains(get("/", "a", false), "CTF on dm1."), "the title of another map is missing")
	about.Name = ""
	testenv.Check(t, strings.Contains(get("/", "a", false), "<title>Teeyard</title>"), "a server without a name has a title")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/viewer/preview.jpg", nil))
	kind, size := w.Header().Get("Content-Type"), w.Body.Len()
	testenv.Check(t, w.Code == 200 && kind == "image/jpeg" && size < 64<<10, "the picture: %d %s, %d bytes", w.Code, kind, size)
}
