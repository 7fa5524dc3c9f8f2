package e2e

import (
	"reflect"
	"regexp"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

// limitSpecs ends each spec after a while, except those whose text matches slow. Some wait without a limit of their own
// for what a server does not have, and would hold up the others until the whole run is over.
func limitSpecs(limit time.Duration, slow *regexp.Regexp) {
	ginkgo.AddTreeConstructionNodeArgsTransformer(
		func(kind types.NodeType, _ ginkgo.Offset, text string, args []any) (string, []any, []error) {
			if kind == types.NodeTypeIt && canBeEnded(args) && (slow == nil || !slow.MatchString(text)) {
				args = append(args, ginkgo.SpecTimeout(limit))
			}
			return text, args, nil
		})
}

// canBeEnded tells whether a spec takes a context, and has no limit yet.
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
