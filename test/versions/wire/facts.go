// Prints, as JSON, what Go packages of Kubernetes say of the types of the API. It reads sources alone, so that it builds in a second
// and reads any release: `go run facts.go FOLDER=PREFIX…`, where FOLDER holds packages and PREFIX begins their OpenAPI names.
package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// Field is one member of a type as JSON has it.
type Field struct {
	Name     string `json:"name"`
	Number   string `json:"number,omitempty"`
	Type     string `json:"type"`
	Omit     string `json:"omit,omitempty"`
	Embedded bool   `json:"embedded,omitempty"`
}

// Facts is all of one release.
type Facts struct {
	Types      map[string][]Field  `json:"types"`
	Values     map[string][]string `json:"values"`
	Lifecycles map[string][]string `json:"lifecycles"`
}

func main() {
	facts := Facts{map[string][]Field{}, map[string][]string{}, map[string][]string{}}
	for _, argument := range os.Args[1:] {
		folder, prefix, _ := strings.Cut(argument, "=")
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			relative, _ := filepath.Rel(folder, path)
			if entry.Name() == "testdata" || entry.Name() == "testing" {
				return filepath.SkipDir
			}
			name := prefix
			if relative != "." {
				name += "." + strings.ReplaceAll(relative, string(filepath.Separator), ".")
			}
			return facts.read(path, name)
		})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	json.NewEncoder(os.Stdout).Encode(facts)
}

func (facts Facts) read(folder, name string) error {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return err
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			switch declared := declaration.(type) {
			case *ast.GenDecl:
				facts.readDeclaration(declared, name)
			case *ast.FuncDecl:
				facts.readLifecycle(declared, name)
			}
		}
	}
	return nil
}

func (facts Facts) readDeclaration(declared *ast.GenDecl, name string) {
	for _, spec := range declared.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			structure, ok := spec.Type.(*ast.StructType)
			if !ok || !spec.Name.IsExported() {
				continue
			}
			fields := []Field{}
			for _, field := range structure.Fields.List {
				if read, ok := readField(field); ok {
					fields = append(fields, read)
				}
			}
			facts.Types[name+"."+spec.Name.Name] = fields
		case *ast.ValueSpec:
			typed, ok := spec.Type.(*ast.Ident)
			if !ok || declared.Tok != token.CONST {
				continue
			}
			for _, value := range spec.Values {
				if literal, ok := value.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value)
					key := name + "." + typed.Name
					facts.Values[key] = append(facts.Values[key], text)
				}
			}
		}
	}
}

func readField(field *ast.Field) (Field, bool) {
	if field.Tag == nil {
		return Field{}, false
	}
	text, _ := strconv.Unquote(field.Tag.Value)
	tags := reflect.StructTag(text)
	name, options, _ := strings.Cut(tags.Get("json"), ",")
	read := Field{Name: name, Type: types.ExprString(field.Type), Embedded: len(field.Names) == 0}
	for _, option := range strings.Split(options, ",") {
		if strings.HasPrefix(option, "omit") {
			read.Omit = option
		}
	}
	if parts := strings.Split(tags.Get("protobuf"), ","); len(parts) > 1 {
		read.Number = parts[1]
	}
	return read, name != "-"
}

// readLifecycle reads the methods of the generated files that say in which release a kind came, was deprecated and goes.
func (facts Facts) readLifecycle(declared *ast.FuncDecl, name string) {
	event, ok := strings.CutPrefix(declared.Name.Name, "APILifecycle")
	if !ok || declared.Recv == nil || declared.Body == nil || len(declared.Body.List) != 1 {
		return
	}
	returned, ok := declared.Body.List[0].(*ast.ReturnStmt)
	receiver, isPointer := declared.Recv.List[0].Type.(*ast.StarExpr)
	if !ok || !isPointer || len(returned.Results) != 2 {
		return
	}
	minor, ok := returned.Results[1].(*ast.BasicLit)
	if !ok {
		return
	}
	key := name + "." + types.ExprString(receiver.X)
	facts.Lifecycles[key] = append(facts.Lifecycles[key], strings.ToLower(event)+" 1."+minor.Value)
}
