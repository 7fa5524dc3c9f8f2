package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	authorizationv1 "k8s.io/api/authorization/v1"
	resourceapi "k8s.io/api/resource/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdcel "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/admission"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	authenticationcel "k8s.io/apiserver/pkg/authentication/cel"
	authorizationcel "k8s.io/apiserver/pkg/authorization/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/lazy"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// task is one use of an expression the way a part of Kubernetes uses it.
type task struct {
	Use  string `json:"use"`
	Expr string `json:"expr"`
	// Wants is the type that the expression must have, for "claims" and "user"; any by default.
	Wants string `json:"wants"`
	// Data is what the variables are made of.
	Data json.RawMessage `json:"data"`
	// For "rule".
	Schema            json.RawMessage `json:"schema"`
	IsRoot            bool            `json:"isRoot"`
	MessageExpression string          `json:"messageExpression"`
	OptionalOldSelf   bool            `json:"optionalOldSelf"`
	// For "policy".
	Variables  []variable `json:"variables"`
	Conditions []string   `json:"conditions"`
	Budget     int64      `json:"budget"`
	// For "device".
	HasListAttributes bool `json:"hasListAttributes"`
}

type variable struct {
	Name string `json:"name"`
	Expr string `json:"expr"`
}

func (v variable) GetName() string          { return v.Name }
func (v variable) GetExpression() string    { return v.Expr }
func (v variable) ReturnTypes() []*cel.Type { return []*cel.Type{cel.AnyType} }

type expression struct {
	text  string
	wants *cel.Type
}

func (e expression) GetExpression() string    { return e.text }
func (e expression) ReturnTypes() []*cel.Type { return []*cel.Type{e.wants} }

// outcome is what came of a task. Fields that do not apply are left out.
type outcome struct {
	Problem        string    `json:"problem,omitempty"`
	Kind           string    `json:"kind,omitempty"`
	Value          string    `json:"value,omitempty"`
	Error          string    `json:"error,omitempty"`
	Cost           string    `json:"cost,omitempty"`
	MaxCost        string    `json:"maxCost,omitempty"`
	MaxCardinality string    `json:"maxCardinality,omitempty"`
	UsesOldSelf    bool      `json:"usesOldSelf,omitempty"`
	Message        *outcome  `json:"message,omitempty"`
	Answers        []outcome `json:"answers,omitempty"`
	Remaining      string    `json:"remaining,omitempty"`
}

func carryOut(t task) (outcome, error) {
	switch t.Use {
	case "claims", "user":
		return authenticate(t)
	case "condition":
		return authorize(t)
	case "device":
		return selectDevice(t)
	case "rule":
		return rule(t)
	case "policy":
		return policy(t)
	}
	return outcome{}, fmt.Errorf("no use %q", t.Use)
}

func problem(err error) outcome {
	kind := map[apiservercel.ErrorType]string{apiservercel.ErrorTypeInvalid: "invalid", apiservercel.ErrorTypeInternal: "internal"}
	if known, ok := err.(*apiservercel.Error); ok {
		return outcome{Problem: known.Detail, Kind: kind[known.Type]}
	}
	return outcome{Problem: err.Error()}
}

func evaluated(value ref.Val, details *cel.EvalDetails, err error) outcome {
	o := outcome{}
	if details != nil && details.ActualCost() != nil {
		o.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	if err != nil {
		o.Error = err.Error()
		return o
	}
	o.Value = describe(value)
	return o
}

func authenticate(t task) (outcome, error) {
	compiler := authenticationcel.NewDefaultCompiler()
	wants := cel.AnyType
	if t.Wants == "bool" {
		wants = cel.BoolType
	}
	compile := compiler.CompileClaimsExpression
	if t.Use == "user" {
		compile = compiler.CompileUserExpression
	}
	compiled, err := compile(expression{t.Expr, wants})
	if err != nil {
		return problem(err), nil
	}
	data := map[string]any{}
	if err := json.Unmarshal(t.Data, &data); err != nil {
		return outcome{}, err
	}
	value := lazy.NewMapValue(types.NewObjectType("kubernetes." + t.Use))
	for name, content := range data {
		value.Append(name, func(*lazy.MapValue) ref.Val { return types.DefaultTypeAdapter.NativeToValue(content) })
	}
	return evaluated(compiled.Program.Eval(map[string]any{t.Use: value})), nil
}

func authorize(t task) (outcome, error) {
	compiled, err := authorizationcel.NewDefaultCompiler().CompileCELExpression(expression{t.Expr, cel.BoolType})
	if err != nil {
		return problem(err), nil
	}
	var spec authorizationv1.SubjectAccessReviewSpec
	if err := json.Unmarshal(t.Data, &spec); err != nil {
		return outcome{}, err
	}
	matcher := authorizationcel.CELMatcher{
		CompilationResults: []authorizationcel.CompilationResult{compiled},
		UsesFieldSelector:  compiled.UsesFieldSelector,
		UsesLabelSelector:  compiled.UsesLabelSelector,
	}
	matches, err := matcher.Eval(context.Background(), &authorizationv1.SubjectAccessReview{Spec: spec})
	if err != nil {
		return outcome{Error: err.Error()}, nil
	}
	return outcome{Value: strconv.FormatBool(matches)}, nil
}

func selectDevice(t task) (outcome, error) {
	compiler := dracel.GetCompiler(dracel.Features{EnableConsumableCapacity: true, EnableListTypeAttributes: t.HasListAttributes})
	compiled := compiler.CompileCELExpression(t.Expr, dracel.Options{})
	if compiled.Error != nil {
		return problem(compiled.Error), nil
	}
	var device struct {
		Driver                   string
		AllowMultipleAllocations *bool
		Attributes               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute
		Capacity                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity
	}
	if err := json.Unmarshal(t.Data, &device); err != nil {
		return outcome{}, err
	}
	matches, details, err := compiled.DeviceMatches(context.Background(), dracel.Device(device))
	o := outcome{MaxCost: strconv.FormatUint(compiled.MaxCost, 10)}
	if err != nil {
		o.Error = err.Error()
		return o, nil
	}
	o.Cost = strconv.FormatUint(*details.ActualCost(), 10)
	o.Value = strconv.FormatBool(matches)
	return o, nil
}

func rule(t task) (outcome, error) {
	structural, err := structuralOf(t.Schema)
	if err != nil {
		return outcome{}, err
	}
	optional := t.OptionalOldSelf
	structural.XValidations = apiextensionsv1.ValidationRules{{Rule: t.Expr, MessageExpression: t.MessageExpression, OptionalOldSelf: &optional}}
	base := environment.MustBaseEnvSet(version.MajorMinor(1, 36))
	results, err := crdcel.Compile(structural, model.SchemaDeclType(structural, t.IsRoot), celconfig.PerCallLimit, base, crdcel.StoredExpressionsEnvLoader())
	if err != nil {
		return outcome{}, err
	}
	compiled := results[0]
	if compiled.Error != nil {
		return problem(compiled.Error), nil
	}
	if compiled.Program == nil {
		return outcome{Problem: "nothing"}, nil
	}
	values := map[string]any{}
	if err := utiljson.Unmarshal(t.Data, &values); err != nil {
		return outcome{}, err
	}
	if t.IsRoot {
		structural = model.WithTypeAndObjectMeta(structural)
	}
	bound := map[string]any{"self": crdcel.UnstructuredToVal(values["self"], structural)}
	old, hasOld := values["oldSelf"]
	switch {
	case hasOld && optional:
		bound["oldSelf"] = types.OptionalOf(crdcel.UnstructuredToVal(old, structural))
	case hasOld:
		bound["oldSelf"] = crdcel.UnstructuredToVal(old, structural)
	case optional:
		bound["oldSelf"] = types.OptionalNone
	}
	o := evaluated(compiled.Program.Eval(bound))
	o.MaxCost = strconv.FormatUint(compiled.MaxCost, 10)
	o.MaxCardinality = strconv.FormatUint(compiled.MaxCardinality, 10)
	o.UsesOldSelf = compiled.UsesOldSelf
	if compiled.MessageExpressionError != nil {
		message := problem(compiled.MessageExpressionError)
		o.Message = &message
	} else if compiled.MessageExpression != nil {
		message := evaluated(compiled.MessageExpression.Eval(bound))
		message.MaxCost = strconv.FormatUint(compiled.MessageExpressionMaxCost, 10)
		o.Message = &message
	}
	return o, nil
}

func policy(t task) (outcome, error) {
	compiler, err := plugincel.NewCompositedCompiler(environment.MustBaseEnvSet(version.MajorMinor(1, 36)))
	if err != nil {
		return outcome{}, err
	}
	options := plugincel.OptionalVariableDeclarations{HasParams: true}
	for _, v := range t.Variables {
		compiler.CompileAndStoreVariable(v, options, environment.StoredExpressions)
	}
	conditions := []plugincel.ExpressionAccessor{}
	for _, text := range t.Conditions {
		wants := cel.BoolType
		if t.Wants == "any" {
			wants = cel.AnyType
		}
		conditions = append(conditions, expression{text, wants})
	}
	values := map[string]map[string]any{}
	if err := utiljson.Unmarshal(t.Data, &values); err != nil {
		return outcome{}, err
	}
	asObject := func(name string) runtime.Object {
		if values[name] == nil {
			return nil
		}
		return &unstructured.Unstructured{Object: values[name]}
	}
	object := asObject("object")
	kind := schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}
	resource := schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
	attributes := admission.NewAttributesRecord(object, nil, kind, "default", "web", resource, "", admission.Create, nil, false, nil)
	versioned := &admission.VersionedAttributes{Attributes: attributes, VersionedKind: kind, VersionedObject: object}
	evaluator := compiler.CompileCondition(conditions, options, environment.StoredExpressions)
	bindings := plugincel.OptionalVariableBindings{VersionedParams: asObject("params")}
	results, remaining, err := evaluator.ForInput(context.Background(), versioned, nil, bindings, nil, t.Budget)
	if err != nil {
		return problem(err), nil
	}
	o := outcome{Remaining: strconv.FormatInt(remaining, 10)}
	for _, result := range results {
		if result.Error != nil {
			o.Answers = append(o.Answers, problem(result.Error))
			continue
		}
		o.Answers = append(o.Answers, outcome{Value: describe(result.EvalResult)})
	}
	return o, nil
}
