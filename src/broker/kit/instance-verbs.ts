import { deepEqual } from '../../base/index.ts';
import { BrokerError, refusals } from '../protocol/broker-error.ts';
import type { JsonObject } from '../protocol/osb.ts';
import type { InstanceChange, InstanceRecord, OperationRecord } from '../records/broker-records.ts';
import { parameterProblems } from '../schema/parameter-schema.ts';
import { answer, type Asking, type BrokerAnswer } from './broker-answer.ts';
import type { BindingVerbs } from './binding-verbs.ts';
import type { MadeInstance, ServiceInstance } from './broker-definition.ts';
import {
  fitting,
  malformed,
  maintenanceVersion,
  optionalObject,
  optionalText,
  refuseProblems,
  requiredText,
} from './request-fields.ts';
import { goneOrUnknown, instanceSubject, offered, stateAnswer, type VerbParts } from './verb-parts.ts';
import type { Job } from './verb-runner.ts';

type Made = MadeInstance | void;

/** What platforms ask about instances. */
export class InstanceVerbs {
  readonly #parts: VerbParts;
  readonly #bindings: BindingVerbs;

  constructor(parts: VerbParts, bindings: BindingVerbs) {
    this.#parts = parts;
    this.#bindings = bindings;
  }

  async provision(id: string, body: JsonObject, asking: Asking): Promise<BrokerAnswer> {
    const { store, runner } = this.#parts;
    const plan = offered(this.#parts.catalog, requiredText(body, 'service_id'), requiredText(body, 'plan_id'));
    const wanted: InstanceRecord = {
      id,
      serviceId: plan.offering.id,
      planId: plan.wire.id,
      organization: requiredText(body, 'organization_guid'),
      space: requiredText(body, 'space_guid'),
      context: optionalObject(body, 'context') ?? {},
      parameters: fitting(plan.schemas.create, optionalObject(body, 'parameters') ?? {}),
      maintenanceVersion: maintenanceVersion(body, plan) ?? plan.wire.maintenance_info?.version,
      state: 'provisioning',
      bindings: {},
    };
    const known = store.get(id);
    if (known !== undefined && known.state !== 'failed') return this.#again(known, wanted, asking);
    const job = this.#provisionJob(wanted, known);
    if (!plan.isAsync('provision')) {
      await runner.now(job, asking);
      return answer(201, this.#shown(store.get(id) ?? wanted));
    }
    if (!asking.acceptsIncomplete) throw refusals.asyncRequired();
    const { id: operation } = await runner.later(job, asking);
    return answer(202, { ...this.#shown(wanted), operation });
  }

  async update(id: string, body: JsonObject, asking: Asking): Promise<BrokerAnswer> {
    const { store, runner, catalog, definition } = this.#parts;
    const serviceId = requiredText(body, 'service_id');
    const planId = optionalText(body, 'plan_id');
    const known = this.#existing(id);
    if (serviceId !== known.serviceId) throw malformed(`The instance is not one of service "${serviceId}"`);
    const current = offered(catalog, known.serviceId, known.planId);
    const plan = planId === undefined ? current : offered(catalog, serviceId, planId);
    const sent = optionalObject(body, 'parameters');
    const change: InstanceChange = {
      planId: plan.wire.id,
      parameters: sent === undefined ? known.parameters : { ...known.parameters, ...sent },
      context: optionalObject(body, 'context') ?? known.context,
      maintenanceVersion: maintenanceVersion(body, plan) ?? known.maintenanceVersion,
    };
    if (sent !== undefined && plan.schemas.update !== undefined)
      refuseProblems(parameterProblems(plan.schemas.update, sent));
    const whole = { ...change, parameters: fitting(plan.schemas.create, change.parameters) };
    if (known.state === 'updating' && known.operation?.change !== undefined && deepEqual(known.operation.change, whole))
      return answer(202, { ...this.#shown({ ...known, ...whole }), operation: known.operation.id });
    if (known.state !== 'ready') throw refusals.concurrency(`instance "${id}"`);
    this.#refuseBusyBindings(known);
    if (deepEqual(plainChange(known), plainChange(whole))) return answer(200, this.#shown(known));
    if (plan !== current && !current.isPlanUpdateable)
      throw new BrokerError(422, `Instances of plan "${current.name}" cannot change to another plan`);
    if (definition.update === undefined) throw new BrokerError(422, 'Instances of this broker cannot be changed');
    const job = this.#updateJob(known, whole);
    if (!plan.isAsync('update')) {
      await runner.now(job, asking);
      return answer(200, this.#shown(store.get(id) ?? known));
    }
    if (!asking.acceptsIncomplete) throw refusals.asyncRequired();
    const { id: operation } = await runner.later(job, asking);
    return answer(202, { ...this.#shown({ ...known, ...whole }), operation });
  }

  async deprovision(id: string, query: JsonObject, asking: Asking): Promise<BrokerAnswer> {
    const { store, runner, catalog } = this.#parts;
    const serviceId = requiredText(query, 'service_id');
    requiredText(query, 'plan_id');
    const known = store.get(id);
    if (known === undefined) return answer(410);
    if (serviceId !== known.serviceId) throw malformed(`The instance is not one of service "${serviceId}"`);
    const isBackground = known.operation?.state === 'in progress';
    if (known.state === 'deprovisioning' && isBackground) return answer(202, { operation: known.operation?.id });
    const isHalted = known.state === 'provisioning' && isBackground;
    if (!isHalted && known.state !== 'ready' && known.state !== 'failed')
      throw refusals.concurrency(`instance "${id}"`);
    this.#refuseBusyBindings(known);
    const job = this.#deprovisionJob(known);
    if (catalog.plan(known.serviceId, known.planId)?.isAsync('deprovision') !== true) {
      if (isHalted) await store.put({ ...known, state: 'deprovisioning' }); // no other request may begin meanwhile
      await runner.giveUp(id);
      await runner.now(job, asking);
      return answer(200);
    }
    if (!asking.acceptsIncomplete) throw refusals.asyncRequired();
    const { id: operation } = await runner.later(job, asking);
    return answer(202, { operation });
  }

  fetch(id: string): BrokerAnswer {
    const known = this.#parts.store.get(id);
    if (known === undefined || known.state === 'provisioning' || known.state === 'failed')
      throw new BrokerError(404, `There is no instance "${id}"`);
    if (known.state !== 'ready') throw refusals.concurrency(`instance "${id}"`);
    const { serviceId, planId, parameters, maintenanceVersion: version } = known;
    return answer(200, {
      service_id: serviceId,
      plan_id: planId,
      ...this.#shown(known),
      parameters,
      ...(version === undefined ? {} : { maintenance_info: { version } }),
    });
  }

  lastOperation(id: string, query: JsonObject): BrokerAnswer {
    const asked = optionalText(query, 'operation');
    const known = this.#parts.store.get(id);
    if (known === undefined) return goneOrUnknown(asked, 'deprovision', `There is no instance "${id}"`);
    return stateAnswer(known.operation, asked, 'deprovision');
  }

  /** Goes on with what a former process has begun in the background; what it did not finish otherwise has failed. */
  async resume(record: InstanceRecord): Promise<void> {
    const { store, runner } = this.#parts;
    const { state, operation } = record;
    if (state === 'ready' || state === 'failed') return;
    if (operation?.state !== 'in progress') {
      await store.put({ ...record, state: state === 'updating' ? 'ready' : 'failed' });
      return;
    }
    if (state === 'provisioning') runner.resume(this.#provisionJob(record, undefined), operation);
    else if (state === 'deprovisioning') runner.resume(this.#deprovisionJob(record), operation);
    else if (operation.change !== undefined) runner.resume(this.#updateJob(record, operation.change), operation);
  }

  /** The answer to a request to make what is there. */
  #again(known: InstanceRecord, wanted: InstanceRecord, { acceptsIncomplete }: Asking): BrokerAnswer {
    const { id, state, operation } = known;
    if (state === 'deprovisioning') throw refusals.concurrency(`instance "${id}"`);
    if (!deepEqual(attributes(known), attributes(wanted)))
      throw new BrokerError(409, `There is an instance "${id}" with other attributes`, { error: 'Conflict' });
    if (state !== 'provisioning') return answer(200, this.#shown(known));
    if (operation?.state !== 'in progress') throw refusals.concurrency(`instance "${id}"`);
    if (!acceptsIncomplete) throw refusals.asyncRequired();
    return answer(202, { ...this.#shown(known), operation: operation.id });
  }

  #provisionJob(wanted: InstanceRecord, before: InstanceRecord | undefined): Job<Made> {
    const { store, definition } = this.#parts;
    return {
      verb: 'provision',
      key: wanted.id,
      begin: (operation) => store.put({ ...wanted, operation }),
      work: async (work) => definition.provision(this.#subject(wanted), work),
      succeed: (made, operation) => store.put(this.#ready({ ...wanted, operation }, made)),
      fail: async (error, operation) => {
        // a request that was refused has changed nothing; after other failures something may be there
        const isRefused = operation === undefined && error.status < 500;
        if (!isRefused) await store.put({ ...wanted, operation, state: 'failed' });
        else if (before === undefined) await store.delete(wanted.id);
        else await store.put(before);
      },
      tell: (operation) => store.change(wanted.id, (record) => ({ ...record, operation })),
    };
  }

  #updateJob(known: InstanceRecord, change: InstanceChange): Job<Made> {
    const { store, definition } = this.#parts;
    const { id } = known;
    const wanted = { ...known, ...change };
    const previous = this.#subject(known);
    const withChange = (operation: OperationRecord | undefined): OperationRecord | undefined =>
      operation === undefined ? undefined : { ...operation, change };
    return {
      verb: 'update',
      key: id,
      begin: (operation) => store.put({ ...known, state: 'updating', operation: withChange(operation) }),
      work: async (work) => definition.update?.(this.#subject(wanted), { ...work, previous }),
      succeed: (made, operation) =>
        store.change(id, (record) => this.#ready({ ...record, ...change, operation }, made)),
      fail: (_, operation) => store.change(id, (record) => ({ ...record, state: 'ready', operation })),
      tell: (operation) => store.change(id, (record) => ({ ...record, operation: withChange(operation) })),
    };
  }

  #deprovisionJob(known: InstanceRecord): Job<void> {
    const { store, runner, definition } = this.#parts;
    const { id } = known;
    const stateBefore = known.state === 'ready' ? 'ready' : 'failed';
    return {
      verb: 'deprovision',
      key: id,
      begin: (operation) => store.put({ ...known, state: 'deprovisioning', operation }),
      work: async (work) => {
        for (const binding of Object.keys(store.get(id)?.bindings ?? {})) {
          await runner.giveUp(`${id}/${binding}`);
          await this.#bindings.remove(id, binding, work);
        }
        await definition.deprovision(this.#subject(known), work);
      },
      succeed: () => store.delete(id),
      fail: (_, operation) => store.change(id, (record) => ({ ...record, state: stateBefore, operation })),
      tell: (operation) => store.change(id, (record) => ({ ...record, operation })),
    };
  }

  #ready(record: InstanceRecord, made: Made): InstanceRecord {
    const { metadata = record.metadata } = made ?? {};
    return { ...record, state: 'ready', metadata, dashboardUrl: this.#dashboard(record) };
  }

  #existing(id: string): InstanceRecord {
    const known = this.#parts.store.get(id);
    if (known === undefined || known.state === 'failed') throw new BrokerError(404, `There is no instance "${id}"`);
    return known;
  }

  #refuseBusyBindings({ bindings }: InstanceRecord): void {
    for (const { id, state } of Object.values(bindings))
      if (state !== 'ready' && state !== 'failed') throw refusals.concurrency(`binding "${id}"`);
  }

  #subject(record: InstanceRecord): ServiceInstance {
    return instanceSubject(record, this.#parts.catalog);
  }

  #dashboard(record: InstanceRecord): string | undefined {
    return this.#parts.definition.dashboard?.(this.#subject(record));
  }

  /** What every answer about an instance contains. */
  #shown(record: InstanceRecord): JsonObject {
    const { metadata, dashboardUrl = this.#dashboard(record) } = record;
    return {
      ...(dashboardUrl === undefined ? {} : { dashboard_url: dashboardUrl }),
      ...(metadata === undefined ? {} : { metadata }),
    };
  }
}

/** What a second request for the same instance must not change. */
function attributes({ serviceId, planId, parameters, organization, space }: InstanceRecord): unknown {
  return { serviceId, planId, parameters, organization, space };
}

function plainChange({ planId, parameters, context, maintenanceVersion: version }: InstanceChange): unknown {
  return { planId, parameters, context, version };
}
