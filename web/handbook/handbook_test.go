package handbook

import (
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/teeyard/teeyard/docs"
	"github.com/teeyard/teeyard/web"
)

func book(t *testing.T) *Book {
	t.Helper()
	b, err := New(docs.Files)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// get requests a path as it is.
func get(b *Book, target string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", "/", nil)
	r.URL.Path, r.URL.RawQuery, _ = strings.Cut(target, "?")
	w := httptest.NewRecorder()
	web.NewHandler(b.Rooms()...).ServeHTTP(w, r)
	return w
}

// TestPages checks that each document is a page, which the list of pages has.
func TestPages(t *testing.T) {
	b := book(t)
	listed := strings.Join(strings.Split(b.pageList(nil), "\n"), " ")
	files := 0
	err := fs.WalkDir(docs.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		files++
		w := get(b, pathOf(name))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "<h1 id=") {
			t.Errorf("%s: %d", name, w.Code)
		}
		if name != "README.md" && !strings.Contains(listed, `href="`+pathOf(name)+`"`) {
			t.Errorf("%s is not in the list of pages", name)
		}
		return nil
	})
	if err != nil || files < 50 {
		t.Errorf("%d files: %v", files, err)
	}
}

var href = regexp.MustCompile(`href="([^"]*)"`)

// TestLinks follows each link between pages, with its fragment.
func TestLinks(t *testing.T) {
	b := book(t)
	anchors := map[string]bool{}
	for _, p := range b.pages {
		anchors[p.Path] = true
		for _, part := range p.Parts {
			anchors[p.Path+"#"+part.ID] = true
			if n := strings.Count(p.HTML, ` id="`+part.ID+`"`); n != 1 {
				t.Errorf("%s: %d elements have the id %q", p.Path, n, part.ID)
			}
		}
	}
	inside, outside := 0, 0
	for _, p := range b.pages {
		for _, m := range href.FindAllStringSubmatch(p.HTML, -1) {
			target := m[1]
			switch {
			case strings.HasPrefix(target, "#"):
				target = p.Path + target
			case !strings.HasPrefix(target, "/"):
				outside++
				if !strings.HasPrefix(target, "https://") && !strings.HasPrefix(target, "http://") {
					t.Errorf("%s: link to %s", p.Path, target)
				}
				continue
			}
			inside++
			if !anchors[target] {
				t.Errorf("%s: link to %s, which does not exist", p.Path, target)
			}
		}
	}
	if inside < 2000 || outside < 20 {
		t.Errorf("%d links between pages, %d to others", inside, outside)
	}
}

func TestSearch(t *testing.T) {
	b := book(t)
	for _, test := range []struct{ query, first string }{
		{"Sv_Chat", "/reference/messages-0.7#sv_chat"},
		{"sv_chat", "/reference/messages-0.7#sv_chat"},
		{"huffman", "/protocol/huffman"},
		{"teehistorian", "/operate/from-ddnet-server"}, // any page
	} {
		hits := b.Search(test.query)
		if len(hits) == 0 || test.query != "teehistorian" && hits[0].Link != test.first {
			t.Errorf("%s: %+v", test.query, hits[:min(len(hits), 2)])
		}
		for _, h := range hits {
			if w := get(b, strings.SplitN(h.Link, "#", 2)[0]); w.Code != http.StatusOK {
				t.Errorf("%s: %s has the status %d", test.query, h.Link, w.Code)
			}
		}
	}
	// Words may be anywhere in a part, also in its title and its page's.
	if hits := b.Search("fwcheck another port"); len(hits) == 0 {
		t.Error("no part with three words")
	}
	for _, query := range []string{"", " \t", "qqqzzzxx", "vote qqqzzzxx"} {
		if hits := b.Search(query); len(hits) != 0 {
			t.Errorf("%q: %d results", query, len(hits))
		}
	}
	if hits := b.Search(strings.Repeat("é", 5000)); len(hits) != 0 {
		t.Errorf("a long word: %d results", len(hits))
	}
	if n := len(b.Search("a")); n != maxHits {
		t.Errorf("%d results for a letter", n)
	}
	w := get(b, "/search?part&q=Sv_Chat")
	if body := w.Body.String(); w.Code != http.StatusOK || strings.Contains(body, "<html") || !strings.Contains(body, "<mark>") {
		t.Errorf("a part: %d %.200s", w.Code, body)
	}
}

// TestHostile requests paths and queries that try to leave the pages or to write into them.
func TestHostile(t *testing.T) {
	b := book(t)
	for _, target := range []string{
		"/../../etc/passwd", "/protocol/../../go.mod", "//example.org/", "/docs.go", "/static/../handbook.go", "/static/", "/static/layout.html",
		"/protocol/join\x00", "/<script>alert(1)</script>", "/README.md/../..", `/"onload="alert(1)`, "/.", "/protocol//join", "/search/", "/%2e%2e/",
		"/search?q=<script>alert(1)</script>", "/search?part&q=%3Cimg+src%3Dx%3E", `/search?q="><script>`,
		"/search?q=%ff%fe&q=2", "/{pages}", "/search?q={content}",
	} {
		w := get(b, target)
		body := w.Body.String()
		for _, bad := range []string{"<script>alert", "<img", `"onload="`, "root:", "package handbook", "{pages}</nav>"} {
			if strings.Contains(body, bad) {
				t.Errorf("%q: the answer has %q", target, bad)
			}
		}
		switch to := w.Header().Get("Location"); {
		case w.Code == http.StatusOK && !strings.HasPrefix(target, "/search?"):
			t.Errorf("%q has the status %d", target, w.Code)
		case strings.HasPrefix(to, "//") || strings.Contains(to, "://"):
			t.Errorf("%q leads to %s", target, to)
		}
	}
	for target, want := range map[string]string{
		"/protocol": "/protocol/", "/protocol/join.md": "/protocol/join", "/README.md": "/", "/protocol/README.md": "/protocol/",
	} {
		if w := get(b, target); w.Header().Get("Location") != want {
			t.Errorf("%s: %d, %q", target, w.Code, w.Header().Get("Location"))
		}
	}
	if csp := get(b, "/").Header().Get("Content-Security-Policy"); csp != contentSecurityPolicy {
		t.Errorf("policy %q", csp)
	}
}

// TestMarkdown renders what the pages have in a small book.
func TestMarkdown(t *testing.T) {
	b, err := New(fstest.MapFS{
		"README.md": {Data: []byte("# Index\n\n## Group\n\n| page |\n|---|\n| [A](sub/a.md) |\n")},
		"sub/a.md": {Data: []byte("# A & `b`\n\n## X: y_z [i](#a)\n\n## X: y_z i\n\n<b>raw</b> <!-- note -->\n\n![A shot](../images/admin.webp) " +
			"[code](../../go.mod) [home](../README.md#group)\n\n| client | | server | |\n|---|:---:|---|---|\n| [A](#a) | > | | |\n")},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := get(b, "/sub/a").Body.String()
	for _, want := range []string{
		"<title>A &amp; b – Teeyard</title>", `id="a--b"`, `id="x-y_z-i"`, `id="x-y_z-i-1"`, `href="` + repository + `docs/images/admin.webp"`,
		"Picture: A shot",
		`href="` + repository + `go.mod"`, `href="/#group"`, `<table class="chart">`, `aria-current="page">A &amp; b<`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if strings.Contains(text, "<b>raw") {
		t.Error("HTML of the source is on the page")
	}
	if _, err := New(fstest.MapFS{"README.md": {Data: []byte("no title")}}); err == nil {
		t.Error("a page without a title was accepted")
	}
}

// TestContrast computes the contrast of the texts on a light ground. Package viewer does it for the
// dark one.
func TestContrast(t *testing.T) {
	css, err := fs.ReadFile(static, "static/handbook.css")
	if err != nil {
		t.Fatal(err)
	}
	colors := map[string][3]float64{}
	for _, m := range regexp.MustCompile(`--(\w[\w-]*): #([0-9a-f]{6});`).FindAllStringSubmatch(string(css), -1) {
		var c [3]float64
		for i := range c {
			v, _ := strconv.ParseUint(m[2][2*i:2*i+2], 16, 8)
			c[i] = float64(v) / 255
		}
		colors[m[1]] = c
	}
	for _, text := range []string{"ink", "dim", "accent", "rim"} {
		for _, ground := range []string{"bg", "surface", "raised"} {
			least := 4.5
			if text == "rim" {
				if least = 3; ground == "raised" {
					continue
				}
			}
			if c := contrast(colors[text], colors[ground]); c < least {
				t.Errorf("%s on %s: %.2f", text, ground, c)
			}
		}
	}
}

// contrast returns the contrast of two colours by WCAG 2.2.
func contrast(a, b [3]float64) float64 {
	light := func(c [3]float64) float64 {
		sum := 0.0
		for i, share := range []float64{0.2126, 0.7152, 0.0722} {
			v := c[i] / 12.92
			if c[i] > 0.04045 {
				v = math.Pow((c[i]+0.055)/1.055, 2.4)
			}
			sum += share * v
		}
		return sum
	}
	l, m := light(a)+0.05, light(b)+0.05
	return max(l, m) / min(l, m)
}
