// Package handbook serves the documentation of the project: the Markdown pages as HTML, with a list
// of pages and a search. Everything is made when a Book is created, and never changes. The pages
// work without scripts; a script shows the results of the search while the reader types.
package handbook

import (
	"embed"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"

	"github.com/teeyard/teeyard/internal/webpage"
	"github.com/teeyard/teeyard/web"
	"github.com/teeyard/teeyard/web/viewer"
)

//go:embed static
var static embed.FS

const contentSecurityPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
	"form-action 'self'; frame-ancestors 'none'"

// Book is the documentation.
type Book struct {
	pages  map[string]*page // by path
	groups []group
	parts  []*part
	layout string // with placeholders in braces
	files  map[string]*webpage.File
}

// group is a heading of the index with its pages.
type group struct {
	Title string
	Pages []*page
}

// New makes a book of the Markdown files below a folder. README.md is the index, whose tables make
// the list of pages.
func New(files fs.FS) (*Book, error) {
	sources := map[string][]byte{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".md") {
			return err
		}
		sources[name], err = fs.ReadFile(files, name)
		return err
	})
	if err != nil {
		return nil, err
	}
	b := &Book{pages: map[string]*page{}, files: map[string]*webpage.File{}}
	has := func(file string) bool { return sources[file] != nil }
	for file, source := range sources {
		p, err := render(file, source, has)
		if err != nil {
			return nil, err
		}
		b.pages[p.Path] = p
	}
	b.groups = b.list(sources["README.md"])
	if err := b.loadStatic(); err != nil {
		return nil, err
	}
	// The search prefers pages in the order of the index.
	listed := []*page{b.pages["/"]}
	for _, g := range b.groups {
		listed = append(listed, g.Pages...)
	}
	for _, p := range listed {
		if p != nil {
			b.parts = append(b.parts, p.Parts...)
		}
	}
	return b, nil
}

// loadStatic reads the template, the script and the styles.
func (b *Book) loadStatic() error {
	layout, err := fs.ReadFile(static, "static/layout.html")
	if err != nil {
		return err
	}
	look, err := fs.ReadFile(viewer.Files(), "page/look.css")
	if err != nil {
		return err
	}
	icon, err := fs.ReadFile(viewer.Files(), "icon.svg")
	if err != nil {
		return err
	}
	b.files["icon.svg"] = webpage.NewFile("icon.svg", icon, contentSecurityPolicy)
	for _, name := range []string{"handbook.css", "handbook.js"} {
		text, err := fs.ReadFile(static, "static/"+name)
		if err != nil {
			return err
		}
		if name == "handbook.css" {
			text = slices.Concat(look, text)
		}
		b.files[name] = webpage.NewFile(name, text, contentSecurityPolicy)
	}
	b.layout = string(layout)
	for name, f := range b.files {
		b.layout = strings.ReplaceAll(b.layout, "/static/"+name, "/static/"+name+"?v="+f.Hash)
	}
	return nil
}

// list returns the groups of pages that the tables of the index link to. A page is in the first
// group that has it.
func (b *Book) list(index []byte) []group {
	var groups []group
	listed := map[*page]bool{b.pages["/"]: true}
	for line := range strings.Lines(string(index)) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			groups = append(groups, group{Title: strings.TrimSpace(title)})
		}
		if len(groups) == 0 || !strings.HasPrefix(line, "|") {
			continue
		}
		for _, rest := range strings.Split(line, "](")[1:] {
			target, _, _ := strings.Cut(rest, ")")
			target, _, _ = strings.Cut(target, "#")
			if p := b.pages[pathOf(target)]; p != nil && !listed[p] {
				listed[p] = true
				g := &groups[len(groups)-1]
				g.Pages = append(g.Pages, p)
			}
		}
	}
	return slices.DeleteFunc(groups, func(g group) bool { return len(g.Pages) == 0 })
}

// Rooms returns the pages, the search and their files.
func (b *Book) Rooms() []web.Room {
	return []web.Room{
		{Pattern: "GET /{path...}", Handler: http.HandlerFunc(b.servePage)},
		{Pattern: "GET /search", Handler: http.HandlerFunc(b.serveSearch)},
		{Pattern: "GET /static/{name}", Handler: http.HandlerFunc(b.serveStatic)},
	}
}

func (b *Book) servePage(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	p := b.pages[name]
	if p == nil {
		// The same page, as other links name it: with .md, or a folder without the slash.
		for _, other := range []string{pathOf(strings.TrimPrefix(name, "/")), name + "/", strings.TrimSuffix(name, "/")} {
			if q := b.pages[other]; q != nil {
				http.Redirect(w, r, q.Path, http.StatusMovedPermanently)
				return
			}
		}
		b.show(w, http.StatusNotFound, nil, "No such page", "", fmt.Sprintf("<h1>No such page</h1>\n<p>There is no page <code>%s</code>. "+
			"Search for it, or start at the <a href=\"/\">index</a>.</p>\n", html.EscapeString(name)))
		return
	}
	b.show(w, http.StatusOK, p, p.Title, "", contents(p)+"<article>\n"+p.HTML+"</article>\n")
}

func (b *Book) serveSearch(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query().Get("q")
	list := hitList(query, b.Search(query))
	if r.URL.Query().Has("part") {
		write(w, http.StatusOK, list)
		return
	}
	b.show(w, http.StatusOK, nil, "Search", query, "<h1>Search</h1>\n"+list)
}

func (b *Book) serveStatic(w http.ResponseWriter, r *http.Request) {
	if f := b.files[r.PathValue("name")]; f != nil {
		f.ServeHTTP(w, r)
		return
	}
	http.NotFound(w, r)
}

// show writes a whole page. content is HTML, title and query are texts.
func (b *Book) show(w http.ResponseWriter, status int, at *page, title, query, content string) {
	write(w, status, strings.NewReplacer(
		"{title}", html.EscapeString(title), "{query}", html.EscapeString(query), "{pages}", b.pageList(at), "{content}", content,
	).Replace(b.layout))
}

// write sends HTML.
func write(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", contentSecurityPolicy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(status)
	io.WriteString(w, text)
}

// pageList returns the list of all pages as HTML, with a mark at one of them.
func (b *Book) pageList(at *page) string {
	var out strings.Builder
	for _, g := range b.groups {
		fmt.Fprintf(&out, "<h2>%s</h2>\n<ul>\n", html.EscapeString(g.Title))
		for _, p := range g.Pages {
			current := ""
			if p == at {
				current = ` aria-current="page"`
			}
			fmt.Fprintf(&out, "<li><a href=\"%s\"%s>%s</a></li>\n", p.Path, current, html.EscapeString(p.Title))
		}
		out.WriteString("</ul>\n")
	}
	return out.String()
}

// contents returns the list of the headings of a page as HTML, "" for a page with few of them.
func contents(p *page) string {
	var out strings.Builder
	n := 0
	for _, part := range p.Parts {
		if part.Level == 2 || part.Level == 3 {
			n++
			fmt.Fprintf(&out, "<li class=\"level%d\"><a href=\"#%s\">%s</a></li>\n", part.Level, html.EscapeString(part.ID), html.EscapeString(part.Title))
		}
	}
	if n < 3 {
		return ""
	}
	return "<details class=\"toc\" id=\"toc\">\n<summary>On this page</summary>\n<nav aria-label=\"On this page\"><ul>\n" +
		out.String() + "</ul></nav>\n</details>\n"
}

// hitList returns the results of a search as HTML.
func hitList(query string, hits []Hit) string {
	switch {
	case strings.TrimSpace(query) == "":
		return "<p class=\"none\">Type words, such as the name of a message or a setting.</p>\n"
	case len(hits) == 0:
		return "<p class=\"none\">No page has all of these words. Try fewer or shorter ones.</p>\n"
	}
	var out strings.Builder
	out.WriteString("<ol class=\"hits\">\n")
	for _, h := range hits {
		page := ""
		if h.Page != h.Title {
			page = " <span>" + html.EscapeString(h.Page) + "</span>"
		}
		link, title := html.EscapeString(h.Link), html.EscapeString(h.Title)
		fmt.Fprintf(&out, "<li><a href=\"%s\"><strong>%s</strong>%s</a><p>%s</p></li>\n", link, title, page, h.Extract)
	}
	out.WriteString("</ol>\n")
	return out.String()
}
