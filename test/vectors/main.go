// Writes test vectors for the JSON and protobuf codecs: random objects of every kind that is asked for, as Kubernetes'
// own types print them. One JSON object a line: the OpenAPI name of the type, the object, and the protobuf envelope.
//
// usage: vectors COUNT SEED < type-names > vectors.jsonl
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	admission "k8s.io/api/admission/v1"
	discovery "k8s.io/api/apidiscovery/v2"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

type vector struct {
	Type     string          `json:"type"`
	JSON     json.RawMessage `json:"json"`
	Protobuf []byte          `json:"protobuf"`
}

// A Go type, and the group, version and kind to print it with.
type target struct {
	goType reflect.Type
	gvk    schema.GroupVersionKind
}

func main() {
	if len(os.Args) != 3 {
		fail("usage: vectors COUNT SEED < type-names")
	}
	count, err := strconv.Atoi(os.Args[1])
	check(err)
	seed, err := strconv.ParseInt(os.Args[2], 10, 64)
	check(err)

	known := knownTypes()
	out := bufio.NewWriter(os.Stdout)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		name := lines.Text()
		target, ok := known[name]
		if !ok {
			fmt.Fprintln(os.Stderr, "no Go type for", name)
			continue
		}
		for index := 0; index < count; index++ {
			filler := &filler{random: rand.New(rand.NewSource(seed + int64(index) + hash(name)))}
			writeVector(out, name, filler, target)
		}
	}
	check(lines.Err())
	check(out.Flush())
}

// Fills an object, sends it through protobuf once, as storing does, and prints what comes out of that.
func writeVector(out *bufio.Writer, name string, filler *filler, target target) {
	first := reflect.New(target.goType)
	filler.fill(first.Elem(), 0)
	stored, err := marshaler(first).Marshal()
	check(err)

	object := reflect.New(target.goType)
	check(marshaler(object).Unmarshal(stored))
	typed := object.Interface().(runtime.Object)
	typed.GetObjectKind().SetGroupVersionKind(target.gvk)

	var envelope bytes.Buffer
	check(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(typed, &envelope))
	text, err := json.Marshal(typed)
	check(err)
	line, err := json.Marshal(vector{Type: name, JSON: text, Protobuf: envelope.Bytes()})
	check(err)
	_, err = out.Write(append(line, '\n'))
	check(err)
}

type protobufMessage interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func marshaler(value reflect.Value) protobufMessage {
	message, ok := value.Interface().(protobufMessage)
	if !ok {
		fail(value.Type().String() + " has no protobuf form")
	}
	return message
}

// All kinds by OpenAPI name.
func knownTypes() map[string]target {
	all := scheme.Scheme
	check(apiextensions.AddToScheme(all))
	check(apiregistration.AddToScheme(all))
	check(admission.AddToScheme(all))
	check(discovery.AddToScheme(all))

	known := map[string]target{}
	kinds := all.AllKnownTypes()
	ordered := make([]schema.GroupVersionKind, 0, len(kinds))
	for gvk := range kinds {
		ordered = append(ordered, gvk)
	}
	sort.Slice(ordered, func(i, j int) bool { return ordered[i].String() < ordered[j].String() })
	for _, gvk := range ordered {
		add(known, kinds[gvk], gvk)
	}
	for _, object := range []any{meta.PartialObjectMetadata{}, meta.PartialObjectMetadataList{}, meta.List{}} {
		goType := reflect.TypeOf(object)
		add(known, goType, schema.GroupVersionKind{Group: "meta.k8s.io", Version: "v1", Kind: goType.Name()})
	}
	return known
}

func add(known map[string]target, goType reflect.Type, gvk schema.GroupVersionKind) {
	name := openAPIName(goType)
	if _, ok := known[name]; !ok && gvk.Version != runtime.APIVersionInternal {
		known[name] = target{goType, gvk}
	}
}

// k8s.io/api/apps/v1, Deployment: io.k8s.api.apps.v1.Deployment
func openAPIName(goType reflect.Type) string {
	parts := strings.Split(goType.PkgPath(), "/")
	host := strings.Split(parts[0], ".")
	for left, right := 0, len(host)-1; left < right; left, right = left+1, right-1 {
		host[left], host[right] = host[right], host[left]
	}
	return strings.Join(append(append(host, parts[1:]...), goType.Name()), ".")
}

func hash(name string) int64 {
	sum := fnv.New64a()
	sum.Write([]byte(name))
	return int64(sum.Sum64() >> 1)
}

func check(err error) {
	if err != nil {
		fail(err.Error())
	}
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}
