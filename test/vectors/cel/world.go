package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/interpreter"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	crdcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/mutation"
)

// description is a world as worlds.json has it: what is declared, and what the variables are.
type description struct {
	// Like is another world, of which this one has everything that it does not say itself.
	Like string `json:"like"`
	// Kind is "crd" (self and oldSelf, typed by Schema), "policy" (object, params, …) or "mutation" (the same and Object{}).
	Kind   string          `json:"kind"`
	IsRoot bool            `json:"isRoot"`
	Schema json.RawMessage `json:"schema"`
	// Values are the variables; those of a policy that are not given are null.
	Values json.RawMessage `json:"values"`
	// Version makes it the environment for new expressions at that compatibility version.
	Version string `json:"version"`
}

// world is an environment with the values of its variables.
type world struct {
	env        *cel.Env
	estimator  *library.CostEstimator
	activation any
}

func readWorlds(path string) (map[string]*world, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var descriptions map[string]description
	if err := json.Unmarshal(data, &descriptions); err != nil {
		return nil, err
	}
	worlds := map[string]*world{}
	for name, d := range descriptions {
		d = d.completed(descriptions[d.Like])
		if worlds[name], err = newWorld(d); err != nil {
			return nil, fmt.Errorf("world %s: %w", name, err)
		}
	}
	return worlds, nil
}

func (d description) completed(by description) description {
	if d.Like == "" {
		return d
	}
	if d.Kind == "" {
		d.Kind = by.Kind
	}
	d.IsRoot, d.Schema, d.Values = by.IsRoot, by.Schema, by.Values
	return d
}

func newWorld(d description) (*world, error) {
	compatibility, kind := version.MajorMinor(1, 36), environment.StoredExpressions
	if d.Version != "" {
		compatibility, kind = version.MustParse(d.Version), environment.NewExpressions
	}
	base := environment.MustBaseEnvSet(compatibility)
	values := map[string]any{}
	if len(d.Values) > 0 {
		if err := utiljson.Unmarshal(d.Values, &values); err != nil {
			return nil, err
		}
	}
	if d.Kind == "crd" {
		return crdWorld(base, kind, d, values)
	}
	return policyWorld(base, kind, d, values)
}

func crdWorld(base *environment.EnvSet, kind environment.Type, d description, values map[string]any) (*world, error) {
	structural, err := structuralOf(d.Schema)
	if err != nil {
		return nil, err
	}
	declared := model.SchemaDeclType(structural, d.IsRoot)
	if declared == nil {
		return nil, fmt.Errorf("the schema has no type in CEL")
	}
	named := declared.MaybeAssignTypeName("selfType")
	extended, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        []cel.EnvOption{cel.Variable("self", named.CelType()), cel.Variable("oldSelf", named.CelType())},
		DeclTypes:         []*apiservercel.DeclType{named},
	})
	if err != nil {
		return nil, err
	}
	env, err := extended.Env(kind)
	if err != nil {
		return nil, err
	}
	if d.IsRoot {
		structural = model.WithTypeAndObjectMeta(structural)
	}
	bound := map[string]any{"self": crdcel.UnstructuredToVal(values["self"], structural)}
	if old, ok := values["oldSelf"]; ok {
		bound["oldSelf"] = crdcel.UnstructuredToVal(old, structural)
	}
	return &world{env: env, estimator: &library.CostEstimator{SizeEstimator: &sizes{root: declared}}, activation: bound}, nil
}

func structuralOf(data json.RawMessage) (*schema.Structural, error) {
	v1 := &apiextensionsv1.JSONSchemaProps{}
	if err := json.Unmarshal(data, v1); err != nil {
		return nil, err
	}
	internal := &apiextensions.JSONSchemaProps{}
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v1, internal, nil); err != nil {
		return nil, err
	}
	return schema.NewStructural(internal)
}

func policyWorld(base *environment.EnvSet, kind environment.Type, d description, values map[string]any) (*world, error) {
	request, namespace := plugincel.BuildRequestType(), plugincel.BuildNamespaceType()
	extended, err := base.Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions: []cel.EnvOption{
			cel.Variable("object", cel.DynType),
			cel.Variable("oldObject", cel.DynType),
			cel.Variable("params", cel.DynType),
			cel.Variable("request", request.CelType()),
			cel.Variable("namespaceObject", namespace.CelType()),
			cel.Variable("authorizer", library.AuthorizerType),
			cel.Variable("authorizer.requestResource", library.ResourceCheckType),
		},
		DeclTypes: []*apiservercel.DeclType{namespace, request},
	})
	if err != nil {
		return nil, err
	}
	if d.Kind == "mutation" {
		extended, err = extended.Extend(environment.VersionedOptions{
			IntroducedVersion: version.MajorMinor(1, 0),
			EnvOptions: []cel.EnvOption{
				common.ResolverEnvOption(&mutation.DynamicTypeResolver{}),
				environment.UnversionedLib(library.JSONPatch),
			},
		})
		if err != nil {
			return nil, err
		}
	}
	env, err := extended.Env(kind)
	if err != nil {
		return nil, err
	}
	bound := map[string]any{}
	for _, name := range []string{"object", "oldObject", "params", "request", "namespaceObject"} {
		bound[name] = values[name]
	}
	bindAuthorizer(bound)
	return &world{env: env, estimator: &library.CostEstimator{}, activation: bound}, nil
}

func (w *world) compile(expr string) (*cel.Ast, cel.Program, error) {
	ast, issues := w.env.Compile(expr)
	if issues != nil {
		return nil, nil, issues.Err()
	}
	program, err := w.env.Program(ast, cel.CostLimit(celconfig.PerCallLimit), cel.CostTracking(w.estimator))
	return ast, program, err
}

func (w *world) answer(q question) (a answer, err error) {
	a = answer{World: q.World, Expr: q.Expr}
	defer func() {
		if reason := recover(); reason != nil {
			a, err = answer{World: q.World, Expr: q.Expr, Panic: fmt.Sprint(reason)}, nil
		}
	}()
	ast, issues := w.env.Compile(q.Expr)
	if issues != nil {
		a.Issues = issues.String()
		return a, nil
	}
	a.Type = checker.FormatCELType(ast.OutputType())
	estimate, err := w.env.EstimateCost(ast, w.estimator)
	if err != nil {
		return a, err
	}
	a.Min, a.Max = strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)
	_, program, err := w.compile(q.Expr)
	if err != nil {
		a.Refused = err.Error()
		return a, nil
	}
	value, details, err := program.Eval(w.activation)
	if details != nil && details.ActualCost() != nil {
		a.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	if err != nil {
		a.Error = err.Error()
		if _, isCancelled := err.(interpreter.EvalCancelledError); isCancelled {
			a.Cost = "" // where exactly it stopped does not matter
		}
		return a, nil
	}
	if types.IsUnknown(value) {
		a.Value = "unknown"
		return a, nil
	}
	a.Value = describe(value)
	return a, nil
}

// sizes tells the cost estimator how large the fields of self can be.
type sizes struct {
	root *apiservercel.DeclType
}

func (s *sizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	if len(element.Path()) == 0 {
		return nil
	}
	at := s.root
	for _, name := range element.Path()[1:] {
		switch name {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			field, ok := at.Fields[name]
			if !ok {
				return nil
			}
			at = field.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (s *sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}
