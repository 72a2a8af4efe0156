package handbook

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// repository is where links lead whose target is no page: sources and pictures.
const repository = "https://github.com/teeyard/teeyard/blob/main/"

// markdown reads the dialect of the pages: CommonMark with tables. HTML in pages is left out. The
// policy of the pages forbids styles in elements, so columns are aligned by an attribute.
var markdown = goldmark.New(goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// page is a document.
type page struct {
	File  string // such as protocol/join.md
	Path  string // of the page on this server, such as /protocol/join
	Title string
	HTML  string
	Parts []*part
}

// part is a heading with the text below it, up to the next heading.
type part struct {
	Page  *page
	Level int // of the heading; 1 for the page's title
	ID    string
	Title string
	text  strings.Builder
	// plain is the text in one line, folded the same in lower case, for the search.
	plain, folded string
}

// pathOf returns the path of a page on this server.
func pathOf(file string) string {
	name := strings.TrimSuffix(file, ".md")
	if name == "README" {
		return "/"
	}
	return "/" + strings.TrimSuffix(name, "README")
}

// render makes a page of a file. has reports whether a file is a page.
func render(file string, source []byte, has func(file string) bool) (*page, error) {
	p := &page{File: file, Path: pathOf(file)}
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(&ids{seen: map[string]int{}}))))
	var at *part
	var pictures []*ast.Image
	var headings []*ast.Heading
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if at != nil && n.Type() == ast.TypeBlock {
				at.text.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			name, _ := id.([]byte)
			at = &part{Page: p, Level: n.Level, ID: string(name), Title: plainText(n, source)}
			p.Parts = append(p.Parts, at)
			headings = append(headings, n)
			return ast.WalkSkipChildren, walkLinks(n, p.File, has)
		case *ast.Link:
			n.Destination = []byte(resolve(p.File, string(n.Destination), has))
		case *ast.Image:
			pictures = append(pictures, n)
		case *tables.Table:
			if isChart(n, source) {
				n.SetAttributeString("class", []byte("chart"))
			}
		case *ast.Text:
			if at != nil {
				at.text.Write(n.Segment.Value(source))
				if n.SoftLineBreak() || n.HardLineBreak() {
					at.text.WriteByte(' ')
				}
			}
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			if at != nil {
				lines := n.Lines()
				for i := range lines.Len() {
					line := lines.At(i)
					at.text.Write(line.Value(source))
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err == nil && len(p.Parts) == 0 {
		err = errors.New("a page without a title")
	}
	if err != nil {
		return nil, fmt.Errorf("handbook: %s: %w", file, err)
	}
	for _, picture := range pictures {
		replacePicture(picture, p.File)
	}
	for _, h := range headings {
		addAnchor(h)
	}
	p.Title = p.Parts[0].Title
	for _, part := range p.Parts {
		part.plain = strings.Join(strings.Fields(part.text.String()), " ")
		part.folded = fold(part.plain)
		part.text.Reset()
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		return nil, err
	}
	// Wide tables and code scroll by themselves, also with the keyboard. In texts, these words are
	// escaped.
	p.HTML = strings.NewReplacer(
		"<table", `<div class="wide" tabindex="0"><table`, "</table>", "</table></div>", "<pre>", `<pre tabindex="0">`,
	).Replace(b.String())
	return p, nil
}

// walkLinks resolves the links in a heading.
func walkLinks(n ast.Node, file string, has func(string) bool) error {
	return ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			link.Destination = []byte(resolve(file, string(link.Destination), has))
		}
		return ast.WalkContinue, nil
	})
}

// resolve returns the address of the target of a link in a file: a page of this server, or a file
// of the repository.
func resolve(file, target string, has func(string) bool) string {
	if strings.Contains(target, "://") || strings.HasPrefix(target, "#") || strings.HasPrefix(target, "mailto:") {
		return target
	}
	name, fragment, found := strings.Cut(target, "#")
	if found {
		fragment = "#" + fragment
	}
	name = path.Join(path.Dir(file), name)
	if has(name) {
		return pathOf(name) + fragment
	}
	if has(name + "/README.md") {
		return pathOf(name+"/README.md") + fragment
	}
	return repository + path.Join("docs", name) + fragment
}

// replacePicture replaces a picture, which the program does not contain, by a link to it.
func replacePicture(picture *ast.Image, file string) {
	link := ast.NewLink()
	link.Destination = []byte(resolve(file, string(picture.Destination), func(string) bool { return false }))
	link.SetAttributeString("class", []byte("picture"))
	link.AppendChild(link, ast.NewString([]byte("Picture: ")))
	for c := picture.FirstChild(); c != nil; c = picture.FirstChild() {
		link.AppendChild(link, c)
	}
	picture.Parent().ReplaceChild(picture.Parent(), picture, link)
}

// addAnchor adds a link to a heading that leads to itself.
func addAnchor(h *ast.Heading) {
	id, _ := h.AttributeString("id")
	name, ok := id.([]byte)
	if !ok || h.Level == 1 {
		return
	}
	link := ast.NewLink()
	link.Destination = append([]byte("#"), name...)
	link.SetAttributeString("class", []byte("here"))
	link.Title = []byte("Link to this section")
	link.AppendChild(link, ast.NewString([]byte("#")))
	h.AppendChild(h, link)
}

// isChart reports whether a table is a sequence chart.
func isChart(t *tables.Table, source []byte) bool {
	head := t.FirstChild()
	if head == nil || head.ChildCount() != 4 {
		return false
	}
	first := head.FirstChild()
	return plainText(first, source) == "client" && plainText(first.NextSibling().NextSibling(), source) == "server"
}

// plainText returns the text of a node without marks.
func plainText(n ast.Node, source []byte) string {
	var b strings.Builder
	ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// ids makes the fragments of headings as GitHub does, so that links work in both places.
type ids struct{ seen map[string]int }

// Generate implements parser.IDs.
func (s *ids) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(plainTitle(string(value)))) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	id := b.String()
	n := s.seen[id]
	s.seen[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

// plainTitle removes the targets of links from a title.
func plainTitle(title string) string {
	for {
		i := strings.Index(title, "](")
		j := strings.IndexByte(title[max(i, 0):], ')')
		if i < 0 || j < 0 {
			return title
		}
		title = title[:i] + title[i+j+1:]
	}
}

// Put implements parser.IDs.
func (s *ids) Put(value []byte) { s.seen[string(value)]++ }

var _ parser.IDs = (*ids)(nil)

// fold returns a text for comparisons.
func fold(s string) string { return strings.ToLower(s) }
