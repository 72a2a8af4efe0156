// Package metrics writes numbers in the text format of Prometheus, version 0.0.4.
package metrics

import (
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// ContentType is the media type of the format.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// Kind is the type of a metric.
type Kind string

// The kinds. The name of a Counter must end in _total.
const (
	Counter Kind = "counter"
	Gauge   Kind = "gauge"
)

// Writer writes metrics. Names must consist of letters, digits and underscores; it does not check
// them.
type Writer struct {
	w      io.Writer
	prefix string
	buf    []byte
}

// NewWriter returns a writer of metrics whose names begin with a prefix.
func NewWriter(w io.Writer, prefix string) *Writer { return &Writer{w: w, prefix: prefix} }

// Value writes a metric without labels.
func (w *Writer) Value(name string, kind Kind, help string, v float64) {
	w.head(name, string(kind), help)
	w.line(name, "", nil, v)
	w.flush()
}

// Labelled writes a metric with one value for each value of a label.
func (w *Writer) Labelled(name string, kind Kind, help, label string, values map[string]uint64) {
	w.head(name, string(kind), help)
	for _, value := range slices.Sorted(maps.Keys(values)) {
		w.line(name, "", []string{label, value}, float64(values[value]))
	}
	w.flush()
}

// Info writes a metric with the value 1 and labels for data that is not numeric. The labels are
// names and values in turn.
func (w *Writer) Info(name, help string, labels ...string) {
	w.head(name, string(Gauge), help)
	w.line(name, "", labels, 1)
	w.flush()
}

// Histogram writes a histogram. Counts has a number for each upper bound, and one for values above
// the last bound. The numbers are not cumulative. The sum is the sum of all values.
func (w *Writer) Histogram(name, help string, bounds []float64, counts []uint64, sum float64) {
	w.head(name, "histogram", help)
	total := uint64(0)
	for i, n := range counts {
		total += n
		bound := "+Inf"
		if i < len(bounds) {
			bound = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		w.line(name, "_bucket", []string{"le", bound}, float64(total))
	}
	w.line(name, "_sum", nil, sum)
	w.line(name, "_count", nil, float64(total))
	w.flush()
}

// head writes the head of a metric.
func (w *Writer) head(name, kind, help string) {
	w.buf = append(w.buf[:0], "# HELP "+w.prefix+name+" "...)
	w.buf = append(append(w.buf, helpEscapes.Replace(help)...), '\n')
	w.buf = append(w.buf, "# TYPE "+w.prefix+name+" "+kind+"\n"...)
}

// line writes one value.
func (w *Writer) line(name, suffix string, labels []string, v float64) {
	w.buf = append(w.buf, w.prefix+name+suffix...)
	for i := 0; i+1 < len(labels); i += 2 {
		sep := byte(',')
		if i == 0 {
			sep = '{'
		}
		w.buf = append(append(w.buf, sep), labels[i]+`="`+labelEscapes.Replace(labels[i+1])+`"`...)
	}
	if len(labels) > 1 {
		w.buf = append(w.buf, '}')
	}
	w.buf = append(w.buf, ' ')
	w.buf = strconv.AppendFloat(w.buf, v, 'f', -1, 64)
	w.buf = append(w.buf, '\n')
}

func (w *Writer) flush() { w.w.Write(w.buf) }

var (
	helpEscapes  = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	labelEscapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`)
)
