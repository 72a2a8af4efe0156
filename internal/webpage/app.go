package webpage

import (
	"bytes"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// App is a page with its modules and styles, which browsers load as one script and one stylesheet.
// Both are made at the first request. The files of the Site also work as they are: for debugging,
// ?modules in the page's address loads them instead.
type App struct {
	Site Site
	// HTML is the path of the page in Site, and Folder that of bundle.js and bundle.css.
	HTML, Folder string
	CSP          string
	// Versions are the hashes of other files that the page names, by path.
	Versions func() map[string]string
	// Head returns what replaces the page's title for a request, or "". It rarely differs between
	// requests.
	Head func(r *http.Request) string

	once                        sync.Once
	err                         error
	plain, page, script, styles *File

	mu     sync.Mutex
	head   string // of headed
	headed *File  // the page with the last head
}

// Patterns of the page's HTML.
var (
	styleLink  = regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)">\n`)
	scriptLink = regexp.MustCompile(`<script type="module" src="([^"]+)"></script>`)
)

// Make makes the files. It is not needed before the other methods, which serve the plain modules if
// they cannot be bundled.
func (a *App) Make() error {
	a.once.Do(func() { a.err = a.make() })
	return a.err
}

func (a *App) make() error {
	html, err := a.Site.read(a.HTML)
	if err != nil {
		return err
	}
	a.plain = NewFile(a.HTML, html, a.CSP)
	a.page = a.plain
	entry := scriptLink.FindAllSubmatch(html, -1)
	styles := styleLink.FindAllSubmatchIndex(html, -1)
	if len(entry) != 1 || len(styles) == 0 {
		return fmt.Errorf("%w: %s has %d scripts and %d stylesheets", ErrBundle, a.HTML, len(entry), len(styles))
	}
	script, err := bundle(a.Site, string(entry[0][1]), a.Folder)
	if err != nil {
		return err
	}
	var sheet []byte
	for _, at := range styles {
		if sheet, err = appendStyles(sheet, a.Site, string(html[at[2]:at[3]])); err != nil {
			return err
		}
	}
	a.script, a.styles = NewFile(bundleScript, script, a.CSP), NewFile(bundleStyles, sheet, a.CSP)
	link := func(name string, f *File) string { return path.Join(a.Folder, name) + "?v=" + f.Hash }
	first := true
	page := styleLink.ReplaceAllFunc(html, func([]byte) []byte {
		if !first {
			return nil
		}
		first = false
		return fmt.Appendf(nil, "<link rel=\"stylesheet\" href=\"%s\">\n", link(bundleStyles, a.styles))
	})
	page = scriptLink.ReplaceAll(page, fmt.Appendf(nil, `<script type="module" src="%s"></script>`, link(bundleScript, a.script)))
	if a.Versions != nil {
		for name, hash := range a.Versions() {
			page = bytes.ReplaceAll(page, []byte(`"`+name+`"`), []byte(`"`+name+"?v="+hash+`"`))
		}
	}
	a.page = NewFile(a.HTML, page, a.CSP)
	return nil
}

// The names of bundles.
const bundleScript, bundleStyles = "bundle.js", "bundle.css"

// ServeHTTP serves the page.
func (a *App) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = a.Make()
	switch {
	case a.page == nil:
		http.NotFound(w, r)
	case r.URL.Query().Has("modules"):
		a.plain.ServeHTTP(w, r)
	default:
		a.pageFor(r).ServeHTTP(w, r)
	}
}

// pageFor returns the page with the head for a request.
func (a *App) pageFor(r *http.Request) *File {
	if a.Head == nil {
		return a.page
	}
	head := a.Head(r)
	if head == "" {
		return a.page
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.headed == nil || a.head != head {
		before, rest, _ := bytes.Cut(a.page.Plain, []byte("<title>"))
		_, after, ok := bytes.Cut(rest, []byte("</title>"))
		if !ok {
			return a.page
		}
		a.head, a.headed = head, NewFile(a.HTML, slices.Concat(before, []byte(head), after), a.CSP)
	}
	return a.headed
}

// Bundle serves a bundle by its name, and leaves other names to next.
func (a *App) Bundle(name string, next http.Handler) http.Handler {
	if name != bundleScript && name != bundleStyles {
		return next
	}
	if a.Make() != nil {
		return http.NotFoundHandler()
	}
	if name == bundleStyles {
		return a.styles
	}
	return a.script
}

// foreign matches what a stylesheet of a bundle cannot contain, since paths in it would change.
var foreign = regexp.MustCompile(`@import|url\(\s*["']?[^d"'\s]`)

// comment matches a comment of a stylesheet. No string of a stylesheet contains one.
var comment = regexp.MustCompile(`(?s)/\*.*?\*/`)

// appendStyles appends a stylesheet without comments and indentation.
func appendStyles(sheet []byte, site Site, name string) ([]byte, error) {
	b, err := site.read(name)
	if err != nil {
		return nil, err
	}
	text := comment.ReplaceAllString(string(b), "")
	if found := foreign.FindString(text); found != "" {
		return nil, fmt.Errorf("%w: %s has %q", ErrBundle, name, found)
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			sheet = append(append(sheet, line...), '\n')
		}
	}
	return sheet, nil
}
