package script

import (
	"fmt"
	"strings"

	rt "github.com/arnodel/golua/runtime"
)

// maxString is the length of the longest string of a script, in bytes. Comparing strings and
// looking them up in a table costs one step each, whatever their length.
const maxString = 8 << 10

// checkString returns an error for a string that is too long.
func checkString(x rt.Value) error {
	if s, ok := x.TryString(); ok && len(s) > maxString {
		return errTooLong(len(s))
	}
	return nil
}

func errTooLong(size int) error {
	return fmt.Errorf("a string of %d bytes, the limit is %d", size, maxString)
}

var costConcat = costOf("..")

// concat computes a chain of the operator .. with at least two operands.
func concat(v *vm, c *rt.GoCont) error {
	var parts [8]string
	list := parts[:0]
	size := 0
	operands := c.Etc()[:len(c.Etc())-1] // see rewriter.concat
	for _, x := range operands {
		if x.Type() == rt.FloatType {
			v.pay(3)
		}
		s, ok := x.ToString()
		if !ok {
			return v.concatOthers(c, operands)
		}
		list = append(list, s)
		size += len(s)
	}
	v.old(uint64(len(list)))
	v.pay(uint64(len(list)) + costConcat.bytesCost(size))
	v.r.RequireBytes(size)
	return v.pushString(c, strings.Join(list, ""))
}

// concatOthers is concat for operands that are neither strings nor numbers.
func (v *vm) concatOthers(c *rt.GoCont, operands []rt.Value) error {
	x := operands[len(operands)-1]
	for i := len(operands) - 2; i >= 0; i-- {
		var err error
		v.pay(5) // the call of a metamethod
		if x, err = rt.Concat(v.thread, operands[i], x); err != nil {
			return err
		}
		if err := checkString(x); err != nil {
			return err
		}
	}
	v.push(c, x)
	return nil
}

// pushString pushes a string, or returns an error if it is too long.
func (v *vm) pushString(c *rt.GoCont, s string) error {
	x := rt.StringValue(s)
	if err := checkString(x); err != nil {
		return err
	}
	v.push(c, x)
	return nil
}
