// Asks the real code of CustomResourceDefinitions what becomes of objects: a line of stdin is a task, a line of stdout what
// is left of the object after pruning and defaulting, which fields were unknown, and what validation says.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	kubejson "k8s.io/apimachinery/pkg/util/json"
)

type task struct {
	Schema *v1.JSONSchemaProps `json:"schema"`
	Object json.RawMessage     `json:"object"`
}

type answer struct {
	Object  map[string]any `json:"object"`
	Unknown []string       `json:"unknown"`
	// Sorted: Go goes through maps in any order.
	Errors []string `json:"errors"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		text, err := json.Marshal(carryOut(lines.Bytes()))
		check(err)
		fmt.Println(string(text))
	}
	check(lines.Err())
}

func carryOut(line []byte) answer {
	var t task
	check(json.Unmarshal(line, &t))
	result := answer{Unknown: []string{}, Errors: []string{}}
	check(kubejson.Unmarshal(t.Object, &result.Object))
	props := &apiextensions.JSONSchemaProps{}
	check(v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(t.Schema, props, nil))
	structural, err := schema.NewStructural(props)
	check(err)
	validator, _, err := validation.NewSchemaValidator(props)
	check(err)

	options := schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	result.Unknown = append(result.Unknown, pruning.PruneWithOptions(result.Object, structural, true, options)...)
	defaulting.PruneNonNullableNullsWithoutDefaults(result.Object, structural)
	defaulting.Default(result.Object, structural)
	for _, problem := range validation.ValidateCustomResource(nil, result.Object, validator) {
		result.Errors = append(result.Errors, problem.Error())
	}
	for _, problem := range listtype.ValidateListSetsAndMaps(nil, structural, result.Object) {
		result.Errors = append(result.Errors, problem.Error())
	}
	sort.Strings(result.Errors)
	return result
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
