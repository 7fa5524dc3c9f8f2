package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand"
	"reflect"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Fills values of any type with random content, less and less of it the deeper it gets.
type filler struct {
	random *rand.Rand
}

const deepest = 16

var words = []string{"", "a", "web", "kube-system", "nginx:1.25", "10.0.0.1", "é", "名前", "<&>", "\u2028", "😀", "line\nbreak\ttab", "quote\"\\", "\x00\x1f\x7f", "1", "true", "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789"}

var numbers = []int64{0, 1, -1, 80, 127, 128, 255, 16383, 16384, 65536, math.MaxInt32, math.MinInt32, math.MaxInt32 + 1, 1 << 52, 1<<53 - 1, 1 << 53, 1<<53 + 1, -(1 << 53) - 1, math.MaxInt64, math.MinInt64}

var quantities = []string{"0", "1", "100m", "1500m", "64Mi", "1Gi", "1.5Gi", "1000", "1024", "2k", "1e3", "1E", "0.001", "1n", "5u", "12345678901234567890", "-1", "1Ei", "0.5Ki", "1e-3"}

func (f *filler) fill(value reflect.Value, depth int) {
	if f.fillSpecial(value, depth) {
		return
	}
	switch value.Kind() {
	case reflect.String:
		value.SetString(f.word())
	case reflect.Bool:
		value.SetBool(f.random.Intn(2) == 0)
	case reflect.Int32:
		value.SetInt(int64(int32(numbers[f.random.Intn(12)])))
	case reflect.Int, reflect.Int64:
		value.SetInt(numbers[f.random.Intn(len(numbers))])
	case reflect.Float64:
		value.SetFloat([]float64{0, 1, -1.5, 0.1, 1e21, 1e-7, 123456789.125, math.MaxFloat64}[f.random.Intn(8)])
	case reflect.Pointer:
		f.fillPointer(value, depth)
	case reflect.Slice:
		f.fillSlice(value, depth)
	case reflect.Map:
		f.fillMap(value, depth)
	case reflect.Struct:
		for index := 0; index < value.NumField(); index++ {
			if value.Type().Field(index).IsExported() {
				f.fill(value.Field(index), depth+1)
			}
		}
	default:
		fail("cannot fill " + value.Type().String())
	}
}

// What prints as null behind a pointer cannot be told from no pointer, so there is none of that.
func (f *filler) fillPointer(value reflect.Value, depth int) {
	if !f.goesOn(depth) {
		return
	}
	element := reflect.New(value.Type().Elem())
	f.fill(element.Elem(), depth+1)
	if text, err := json.Marshal(element.Interface()); err != nil || string(text) != "null" {
		value.Set(element)
	}
}

func (f *filler) fillSlice(value reflect.Value, depth int) {
	if !f.goesOn(depth) {
		return
	}
	length := 1 + f.random.Intn(2)
	if value.Type().Elem().Kind() == reflect.Uint8 {
		content := make([]byte, f.random.Intn(40))
		f.random.Read(content)
		if len(content) > 0 {
			value.SetBytes(content)
		}
		return
	}
	value.Set(reflect.MakeSlice(value.Type(), length, length))
	for index := 0; index < length; index++ {
		f.fill(value.Index(index), depth+1)
	}
}

func (f *filler) fillMap(value reflect.Value, depth int) {
	if !f.goesOn(depth) {
		return
	}
	value.Set(reflect.MakeMap(value.Type()))
	for count := 1 + f.random.Intn(3); count > 0; count-- {
		key := reflect.New(value.Type().Key()).Elem()
		key.SetString(fmt.Sprintf("k%d%s", f.random.Intn(20), f.word()))
		element := reflect.New(value.Type().Elem()).Elem()
		f.fill(element, depth+1)
		value.SetMapIndex(key, element)
	}
}

// Types whose fields cannot be set one by one.
func (f *filler) fillSpecial(value reflect.Value, depth int) bool {
	switch pointer := value.Addr().Interface().(type) {
	case *meta.TypeMeta:
	case *resource.Quantity:
		*pointer = resource.MustParse(quantities[f.random.Intn(len(quantities))])
	case *meta.Time:
		if f.random.Intn(4) > 0 {
			pointer.Time = time.Unix(f.random.Int63n(4e9)-1e8, 0).UTC()
		}
	case *meta.MicroTime:
		if f.random.Intn(4) > 0 {
			pointer.Time = time.Unix(f.random.Int63n(4e9)-1e8, f.random.Int63n(1e6)*1000).UTC()
		}
	case *meta.Duration:
		pointer.Duration = time.Duration(f.random.Int63())
	case *intstr.IntOrString:
		if f.random.Intn(2) == 0 {
			*pointer = intstr.FromInt32(int32(numbers[f.random.Intn(12)]))
		} else {
			*pointer = intstr.FromString(f.word())
		}
	case *runtime.RawExtension:
		if f.goesOn(depth) {
			pointer.Raw = []byte(f.rawJSON())
		}
	case *meta.FieldsV1:
		pointer.SetRawString(`{"f:metadata":{"f:labels":{".":{},"f:a":{}}}}`)
	case *apiextensions.JSON:
		pointer.Raw = []byte(f.rawJSON())
	case *apiextensions.JSONSchemaPropsOrBool:
		pointer.Allows = f.random.Intn(2) == 0
		if f.goesOn(depth) {
			pointer.Allows = true
			pointer.Schema = &apiextensions.JSONSchemaProps{}
			f.fill(reflect.ValueOf(pointer.Schema).Elem(), depth+3)
		}
	case *apiextensions.JSONSchemaPropsOrArray:
		if f.random.Intn(2) == 0 {
			pointer.JSONSchemas = make([]apiextensions.JSONSchemaProps, 1+f.random.Intn(2))
			for index := range pointer.JSONSchemas {
				f.fill(reflect.ValueOf(&pointer.JSONSchemas[index]).Elem(), depth+3)
			}
		} else {
			pointer.Schema = &apiextensions.JSONSchemaProps{}
			f.fill(reflect.ValueOf(pointer.Schema).Elem(), depth+3)
		}
	case *apiextensions.JSONSchemaPropsOrStringArray:
		if f.random.Intn(2) == 0 {
			pointer.Property = []string{f.word(), f.word()}
		} else {
			pointer.Schema = &apiextensions.JSONSchemaProps{}
			f.fill(reflect.ValueOf(pointer.Schema).Elem(), depth+3)
		}
	default:
		return false
	}
	return true
}

// Objects with sorted keys, as storing them leaves them.
func (f *filler) rawJSON() string {
	return []string{`{"a":1,"b":[true,null,"x"]}`, `"text"`, `5`, `{"big":9007199254740993}`, `[]`, `{}`, `false`, `{"a":{"b":{"c":0.5}}}`}[f.random.Intn(8)]
}

func (f *filler) word() string {
	return words[f.random.Intn(len(words))]
}

func (f *filler) goesOn(depth int) bool {
	return depth < deepest && f.random.Intn(deepest) >= depth
}
