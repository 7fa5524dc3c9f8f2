package e2e

import (
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// limitSpecs ends each spec after a while, except the slow ones, which are given by their whole names. Some wait without
// a limit of their own for what a server does not have, and would hold up the others until the whole run is over.
func limitSpecs(limit time.Duration, slow []string) {
	ginkgo.AddTreeConstructionNodeArgsTransformer(
		func(kind types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
			if kind == types.NodeTypeIt && canBeEnded(args) && !isSlow(textOf(text, args), slow) {
				args = append(args, ginkgo.SpecTimeout(limit))
			}
			return text, args, nil
		})
}

// canBeEnded reports whether a spec takes a context, and has no limit yet.
func canBeEnded(args []any) bool {
	takesContext := false
	for _, arg := range args {
		if _, isLimit := arg.(ginkgo.SpecTimeout); isLimit {
			return false
		}
		if body := reflect.TypeOf(arg); body != nil && body.Kind() == reflect.Func && body.NumIn() == 1 && body.NumOut() == 0 {
			takesContext = true
		}
	}
	return takesContext
}

// isSlow reports whether a name ends with the spec's own text; what stands before it are the texts of its containers.
func isSlow(text string, slow []string) bool {
	return slices.ContainsFunc(slow, func(name string) bool { return strings.HasSuffix(name, text) })
}

// textOf is the text of a spec; the framework hands it over among the arguments.
func textOf(text string, args []any) string {
	parts := []string{}
	if text != "" {
		parts = append(parts, text)
	}
	for _, arg := range args {
		if part, isText := arg.(string); isText {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}
