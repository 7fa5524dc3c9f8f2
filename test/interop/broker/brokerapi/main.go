// A service broker written with brokerapi, as its authors document it: plans that work at once and in the background.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"log/slog"
	"net/http"
	"os"
	"reflect"
	"sync"
	"time"

	"code.cloudfoundry.org/brokerapi/v13"
	"code.cloudfoundry.org/brokerapi/v13/domain"
	"code.cloudfoundry.org/brokerapi/v13/domain/apiresponses"
)

const (
	serviceID = "b0000000-0000-4000-8000-000000000001"
	nowID     = "b0000000-0000-4000-8000-000000000002"
	laterID   = "b0000000-0000-4000-8000-000000000003"
	workTime  = 300 * time.Millisecond
)

var errNoInstance = apiresponses.NewFailureResponse(errors.New("there is no such instance"), http.StatusNotFound, "no-instance")

type instance struct {
	service, plan, organization, space string
	parameters                         map[string]any
	readyAt                            time.Time
	bindings                           map[string]map[string]any
}

func (i *instance) isReady() bool { return !time.Now().Before(i.readyAt) }

type broker struct {
	mutex     sync.Mutex
	instances map[string]*instance
}

func (b *broker) Services(context.Context) ([]domain.Service, error) {
	yes := true
	return []domain.Service{{
		ID: serviceID, Name: "brokerapi", Description: "A service of brokerapi", Bindable: true,
		InstancesRetrievable: true, BindingsRetrievable: true, PlanUpdatable: true, AllowContextUpdates: true,
		Plans: []domain.ServicePlan{
			{ID: nowID, Name: "now", Description: "Made at once", Free: &yes, MaintenanceInfo: &domain.MaintenanceInfo{Public: nil, Version: "1.2.3"}},
			{ID: laterID, Name: "later", Description: "Made in the background", Free: &yes},
		},
	}}, nil
}

func object(raw json.RawMessage) (map[string]any, error) {
	parsed := map[string]any{}
	if len(raw) == 0 {
		return parsed, nil
	}
	if err := json.Unmarshal(raw, &parsed); err != nil {
		return nil, apiresponses.ErrRawParamsInvalid
	}
	return parsed, nil
}

func known(service, plan string) error {
	if service != serviceID || (plan != nowID && plan != laterID) {
		return apiresponses.NewFailureResponse(errors.New("there is no such plan"), http.StatusBadRequest, "unknown-plan")
	}
	return nil
}

func (b *broker) Provision(_ context.Context, id string, details domain.ProvisionDetails, asyncAllowed bool) (domain.ProvisionedServiceSpec, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if err := known(details.ServiceID, details.PlanID); err != nil {
		return domain.ProvisionedServiceSpec{}, err
	}
	if details.MaintenanceInfo != nil && (details.PlanID != nowID || details.MaintenanceInfo.Version != "1.2.3") {
		return domain.ProvisionedServiceSpec{}, apiresponses.ErrMaintenanceInfoConflict
	}
	parameters, err := object(details.RawParameters)
	if err != nil {
		return domain.ProvisionedServiceSpec{}, err
	}
	isAsync := details.PlanID == laterID
	wanted := &instance{details.ServiceID, details.PlanID, details.OrganizationGUID, details.SpaceGUID, parameters, time.Now(), map[string]map[string]any{}}
	if old, isThere := b.instances[id]; isThere {
		isSame := old.plan == wanted.plan && old.organization == wanted.organization && old.space == wanted.space && reflect.DeepEqual(old.parameters, wanted.parameters)
		if !isSame {
			return domain.ProvisionedServiceSpec{}, apiresponses.ErrInstanceAlreadyExists
		}
		if !old.isReady() {
			return domain.ProvisionedServiceSpec{IsAsync: true, OperationData: "provision"}, nil
		}
		return domain.ProvisionedServiceSpec{AlreadyExists: true}, nil
	}
	if isAsync && !asyncAllowed {
		return domain.ProvisionedServiceSpec{}, apiresponses.ErrAsyncRequired
	}
	if isAsync {
		wanted.readyAt = time.Now().Add(workTime)
	}
	b.instances[id] = wanted
	if isAsync {
		return domain.ProvisionedServiceSpec{IsAsync: true, OperationData: "provision"}, nil
	}
	return domain.ProvisionedServiceSpec{}, nil
}

func (b *broker) Deprovision(_ context.Context, id string, _ domain.DeprovisionDetails, _ bool) (domain.DeprovisionServiceSpec, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	if _, isThere := b.instances[id]; !isThere {
		return domain.DeprovisionServiceSpec{}, apiresponses.ErrInstanceDoesNotExist
	}
	delete(b.instances, id)
	return domain.DeprovisionServiceSpec{}, nil
}

func (b *broker) GetInstance(_ context.Context, id string, _ domain.FetchInstanceDetails) (domain.GetInstanceDetailsSpec, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, isThere := b.instances[id]
	if !isThere || !found.isReady() {
		return domain.GetInstanceDetailsSpec{}, errNoInstance
	}
	return domain.GetInstanceDetailsSpec{ServiceID: found.service, PlanID: found.plan, Parameters: found.parameters}, nil
}

func (b *broker) Update(_ context.Context, id string, details domain.UpdateDetails, _ bool) (domain.UpdateServiceSpec, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, isThere := b.instances[id]
	if !isThere {
		return domain.UpdateServiceSpec{}, apiresponses.ErrInstanceDoesNotExist
	}
	if details.PlanID != "" {
		if err := known(details.ServiceID, details.PlanID); err != nil {
			return domain.UpdateServiceSpec{}, err
		}
	}
	if details.MaintenanceInfo != nil && (found.plan != nowID || details.MaintenanceInfo.Version != "1.2.3") {
		return domain.UpdateServiceSpec{}, apiresponses.ErrMaintenanceInfoConflict
	}
	parameters, err := object(details.RawParameters)
	if err != nil {
		return domain.UpdateServiceSpec{}, err
	}
	for name, value := range parameters {
		found.parameters[name] = value
	}
	if details.PlanID != "" {
		found.plan = details.PlanID
	}
	return domain.UpdateServiceSpec{}, nil
}

func (b *broker) LastOperation(_ context.Context, id string, _ domain.PollDetails) (domain.LastOperation, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, isThere := b.instances[id]
	if !isThere {
		return domain.LastOperation{}, apiresponses.ErrInstanceDoesNotExist
	}
	if !found.isReady() {
		return domain.LastOperation{State: domain.InProgress, Description: "half way"}, nil
	}
	return domain.LastOperation{State: domain.Succeeded, Description: "done"}, nil
}

func (b *broker) Bind(_ context.Context, id, bindingID string, details domain.BindDetails, _ bool) (domain.Binding, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, isThere := b.instances[id]
	if !isThere {
		return domain.Binding{}, apiresponses.ErrInstanceDoesNotExist
	}
	parameters, err := object(details.RawParameters)
	if err != nil {
		return domain.Binding{}, err
	}
	credentials := map[string]any{"user": bindingID}
	if old, isBound := found.bindings[bindingID]; isBound {
		if !reflect.DeepEqual(old, parameters) {
			return domain.Binding{}, apiresponses.ErrBindingAlreadyExists
		}
		return domain.Binding{AlreadyExists: true, Credentials: credentials}, nil
	}
	found.bindings[bindingID] = parameters
	return domain.Binding{Credentials: credentials}, nil
}

func (b *broker) Unbind(_ context.Context, id, bindingID string, _ domain.UnbindDetails, _ bool) (domain.UnbindSpec, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, isThere := b.instances[id]
	if !isThere {
		return domain.UnbindSpec{}, apiresponses.ErrInstanceDoesNotExist
	}
	if _, isBound := found.bindings[bindingID]; !isBound {
		return domain.UnbindSpec{}, apiresponses.ErrBindingDoesNotExist
	}
	delete(found.bindings, bindingID)
	return domain.UnbindSpec{}, nil
}

func (b *broker) GetBinding(_ context.Context, id, bindingID string, _ domain.FetchBindingDetails) (domain.GetBindingSpec, error) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	found, isThere := b.instances[id]
	if !isThere {
		return domain.GetBindingSpec{}, errNoInstance
	}
	parameters, isBound := found.bindings[bindingID]
	if !isBound {
		return domain.GetBindingSpec{}, apiresponses.ErrBindingNotFound
	}
	return domain.GetBindingSpec{Credentials: map[string]any{"user": bindingID}, Parameters: parameters}, nil
}

func (b *broker) LastBindingOperation(context.Context, string, string, domain.PollDetails) (domain.LastOperation, error) {
	return domain.LastOperation{}, apiresponses.ErrBindingDoesNotExist
}

func main() {
	handler := brokerapi.New(
		&broker{instances: map[string]*instance{}},
		slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError + 4})),
		brokerapi.BrokerCredentials{Username: "platform", Password: "secret"},
	)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), handler))
}
