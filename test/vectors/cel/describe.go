package main

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

// describe writes a value so that equal values of equal types, and only they, look alike.
func describe(value ref.Val) string {
	switch v := value.(type) {
	case types.Null:
		return "null"
	case types.Bool:
		return strconv.FormatBool(bool(v))
	case types.Int:
		return strconv.FormatInt(int64(v), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(v), 10) + "u"
	case types.Double:
		return "double:" + strconv.FormatFloat(float64(v), 'g', -1, 64)
	case types.String:
		return quoted(string(v))
	case types.Bytes:
		return "bytes:" + hex.EncodeToString(v)
	case types.Duration:
		return "duration:" + strconv.FormatInt(int64(v.Duration), 10)
	case types.Timestamp:
		return "timestamp:" + v.Time.UTC().Format(time.RFC3339Nano)
	case *types.Type:
		return "type:" + v.TypeName()
	case *types.Optional:
		if !v.HasValue() {
			return "none"
		}
		return "some(" + describe(v.GetValue()) + ")"
	case apiservercel.URL:
		return "url:" + v.URL.String()
	case apiservercel.Quantity:
		return "quantity:" + v.Quantity.String()
	case *apiservercel.Quantity:
		return "quantity:" + v.Quantity.String()
	case apiservercel.IP:
		return "ip:" + v.Addr.String()
	case apiservercel.CIDR:
		return "cidr:" + v.Prefix.String()
	case apiservercel.Semver:
		return "semver:" + v.Version.String()
	case apiservercel.Format:
		return "format:" + v.Name
	case traits.Mapper:
		entries := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			if key == nil {
				continue
			}
			entries = append(entries, describe(key)+": "+describe(v.Get(key)))
		}
		sort.Strings(entries)
		return "{" + strings.Join(entries, ", ") + "}"
	case traits.Lister:
		items := []string{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, describe(it.Next()))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case *types.Err:
		return "error:" + v.Error()
	default:
		return "other:" + value.Type().TypeName()
	}
}

func quoted(text string) string {
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(out.String(), "\n")
}

// somewhat allows paths below /allowed and to get pods, and fails about the resource "errors".
type somewhat struct{}

func (somewhat) Authorize(_ context.Context, a authorizer.Attributes) (authorizer.Decision, string, error) {
	switch {
	case strings.HasPrefix(a.GetPath(), "/allowed"):
		return authorizer.DecisionAllow, "path is fine", nil
	case a.GetResource() == "errors":
		return authorizer.DecisionNoOpinion, "", errors.New("authorizer failed")
	case a.GetResource() == "pods" && a.GetVerb() == "get":
		return authorizer.DecisionAllow, "user " + a.GetUser().GetName(), nil
	case a.GetSubresource() == "denied":
		return authorizer.DecisionDeny, "denied in " + a.GetNamespace() + "/" + a.GetName(), nil
	default:
		return authorizer.DecisionNoOpinion, "", nil
	}
}

type requested struct{}

func (requested) GetName() string      { return "web-1" }
func (requested) GetNamespace() string { return "default" }
func (requested) GetResource() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "pods"}
}
func (requested) GetSubresource() string { return "" }

func bindAuthorizer(bound map[string]any) {
	who := &user.DefaultInfo{Name: "alice"}
	bound["authorizer"] = library.NewAuthorizerVal(who, somewhat{})
	bound["authorizer.requestResource"] = library.NewResourceAuthorizerVal(who, somewhat{}, requested{})
}

type declaration struct {
	Name      string     `json:"name"`
	Overloads []overload `json:"overloads"`
}

type overload struct {
	ID       string   `json:"id"`
	Args     []string `json:"args"`
	Result   string   `json:"result"`
	IsMember bool     `json:"isMember,omitempty"`
}

func printDeclarations() error {
	env := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).StoredExpressionsEnv()
	var list []declaration
	for name, fn := range env.Functions() {
		if fn.IsDeclarationDisabled() {
			continue // an old name that expressions cannot use
		}
		d := declaration{Name: name}
		for _, o := range fn.OverloadDecls() {
			each := overload{ID: o.ID(), Result: checker.FormatCELType(o.ResultType()), IsMember: o.IsMemberFunction(), Args: []string{}}
			for _, arg := range o.ArgTypes() {
				each.Args = append(each.Args, checker.FormatCELType(arg))
			}
			d.Overloads = append(d.Overloads, each)
		}
		list = append(list, d)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	for _, d := range list {
		line, err := json.Marshal(d)
		if err != nil {
			return err
		}
		fmt.Println(string(line))
	}
	return nil
}
