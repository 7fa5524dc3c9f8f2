import { type Clock, deepEqual } from '../../base/index.ts';
import { BrokerError, refusals } from '../protocol/broker-error.ts';
import type { JsonObject, OsbBinding } from '../protocol/osb.ts';
import type { BindingRecord, InstanceRecord } from '../records/broker-records.ts';
import { answer, type Asking, type BrokerAnswer } from './broker-answer.ts';
import type { OfferedPlan } from './broker-catalog.ts';
import { type BrokerWork, type ServiceBinding, wireBinding } from './broker-definition.ts';
import { goneOrUnknown, instanceSubject, offered, stateAnswer, type VerbParts } from './verb-parts.ts';
import { fitting, malformed, optionalObject, optionalText, requiredText } from './request-fields.ts';
import type { Job } from './verb-runner.ts';

/** A binding of an instance, by the ids of both. */
export interface BindingKey {
  readonly instance: string;
  readonly binding: string;
}

/** What platforms ask about bindings. */
export class BindingVerbs {
  readonly #parts: VerbParts;
  readonly #clock: Clock;

  constructor(parts: VerbParts, clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
  }

  async bind(key: BindingKey, body: JsonObject, asking: Asking): Promise<BrokerAnswer> {
    const { store, runner, definition } = this.#parts;
    const predecessor = optionalText(body, 'predecessor_binding_id');
    const instance = this.#instance(key.instance);
    const plan = this.#planOf(instance, body, predecessor !== undefined);
    if (!plan.isBindable || definition.bind === undefined)
      throw new BrokerError(400, `Instances of plan "${plan.name}" cannot be bound`, { error: 'NotBindable' });
    const wanted =
      predecessor === undefined
        ? wantedBinding(key, body, plan)
        : this.#successor(key, { predecessor, instance, plan, body });
    if (plan.needsApp && appOf(wanted) === undefined) throw refusals.requiresApp();
    const known = store.binding(key.instance, key.binding);
    if (known !== undefined && known.state !== 'failed') return this.#again(known, wanted, asking);
    if (instance.state !== 'ready') throw refusals.concurrency(`instance "${key.instance}"`);
    const job = this.#bindJob(key.instance, wanted, known);
    if (!plan.isAsync('bind')) return answer(201, await runner.now(job, asking));
    if (!asking.acceptsIncomplete) throw refusals.asyncRequired();
    const { id: operation } = await runner.later(job, asking);
    return answer(202, { operation });
  }

  async unbind(key: BindingKey, query: JsonObject, asking: Asking): Promise<BrokerAnswer> {
    const { store, runner, catalog } = this.#parts;
    const serviceId = requiredText(query, 'service_id');
    requiredText(query, 'plan_id');
    const instance = store.get(key.instance);
    const known = store.binding(key.instance, key.binding);
    if (instance === undefined || known === undefined) return answer(410);
    if (serviceId !== instance.serviceId) throw malformed(`The instance is not one of service "${serviceId}"`);
    const isBackground = known.operation?.state === 'in progress';
    if (known.state === 'deprovisioning' && isBackground) return answer(202, { operation: known.operation?.id });
    const isHalted = known.state === 'provisioning' && isBackground;
    if (!isHalted && known.state !== 'ready' && known.state !== 'failed')
      throw refusals.concurrency(`binding "${key.binding}"`);
    if (instance.state === 'deprovisioning') throw refusals.concurrency(`instance "${key.instance}"`);
    const job = this.#unbindJob(key.instance, known);
    if (catalog.plan(instance.serviceId, instance.planId)?.isAsync('unbind') !== true) {
      if (isHalted) await store.putBinding(key.instance, { ...known, state: 'deprovisioning' });
      await runner.giveUp(job.key);
      await runner.now(job, asking);
      return answer(200);
    }
    if (!asking.acceptsIncomplete) throw refusals.asyncRequired();
    const { id: operation } = await runner.later(job, asking);
    return answer(202, { operation });
  }

  fetch({ instance, binding }: BindingKey): BrokerAnswer {
    const known = this.#parts.store.binding(instance, binding);
    if (known === undefined || known.state !== 'ready')
      throw new BrokerError(404, `There is no binding "${binding}" of instance "${instance}"`);
    return answer(200, { ...known.result, parameters: known.parameters });
  }

  lastOperation({ instance, binding }: BindingKey, query: JsonObject): BrokerAnswer {
    const asked = optionalText(query, 'operation');
    const known = this.#parts.store.binding(instance, binding);
    if (known === undefined) return goneOrUnknown(asked, 'unbind', `There is no binding "${binding}"`);
    return stateAnswer(known.operation, asked, 'unbind');
  }

  /** Removes a binding of an instance that is removed. */
  async remove(instance: string, id: string, work: BrokerWork): Promise<void> {
    const { store, definition } = this.#parts;
    const known = store.binding(instance, id);
    if (known === undefined) return;
    await definition.unbind?.(this.#subject(instance, known), work);
    await store.deleteBinding(instance, id);
  }

  /** Goes on with what a former process has begun in the background; what it did not finish otherwise has failed. */
  async resume(instance: string, record: BindingRecord): Promise<void> {
    const { store, runner } = this.#parts;
    const { state, operation } = record;
    if (state === 'ready' || state === 'failed') return;
    if (operation?.state !== 'in progress') await store.putBinding(instance, { ...record, state: 'failed' });
    else if (state === 'provisioning') runner.resume(this.#bindJob(instance, record, undefined), operation);
    else runner.resume(this.#unbindJob(instance, record), operation);
  }

  #instance(id: string): InstanceRecord {
    const instance = this.#parts.store.get(id);
    if (instance === undefined || instance.state === 'failed')
      throw new BrokerError(404, `There is no instance "${id}"`);
    if (instance.state === 'provisioning') throw refusals.concurrency(`instance "${id}"`);
    return instance;
  }

  /** The plan of the instance. A successor need not name it. */
  #planOf(instance: InstanceRecord, body: JsonObject, isSuccessor: boolean): OfferedPlan {
    const { catalog } = this.#parts;
    const field = isSuccessor ? optionalText : requiredText;
    const serviceId = field(body, 'service_id') ?? instance.serviceId;
    const planId = field(body, 'plan_id') ?? instance.planId;
    offered(catalog, serviceId, planId);
    if (serviceId !== instance.serviceId) throw malformed(`The instance is not one of service "${serviceId}"`);
    return offered(catalog, instance.serviceId, instance.planId);
  }

  #successor(key: BindingKey, { predecessor, instance, plan, body }: Succession): BindingRecord {
    if (plan.wire.binding_rotatable !== true)
      throw malformed(`Bindings of plan "${plan.name}" cannot be succeeded by others`);
    const before = this.#parts.store.binding(instance.id, predecessor);
    if (before === undefined || before.state !== 'ready')
      throw malformed(`The instance has no binding "${predecessor}" that could be succeeded`);
    const end = before.result?.metadata?.expires_at;
    if (end !== undefined && Date.parse(end) <= this.#clock.now())
      throw malformed(`Binding "${predecessor}" has expired`);
    return {
      ...before,
      id: key.binding,
      predecessor,
      context: optionalObject(body, 'context') ?? before.context,
      state: 'provisioning',
      operation: undefined,
      result: undefined,
    };
  }

  /** The answer to a request to make what is there. */
  #again(known: BindingRecord, wanted: BindingRecord, { acceptsIncomplete }: Asking): BrokerAnswer {
    const { id, state, operation } = known;
    if (state === 'deprovisioning') throw refusals.concurrency(`binding "${id}"`);
    if (!deepEqual(attributes(known), attributes(wanted)))
      throw new BrokerError(409, `There is a binding "${id}" with other parameters`, { error: 'Conflict' });
    if (state === 'ready') return answer(200, known.result);
    if (operation?.state !== 'in progress') throw refusals.concurrency(`binding "${id}"`);
    if (!acceptsIncomplete) throw refusals.asyncRequired();
    return answer(202, { operation: operation.id });
  }

  #bindJob(instance: string, wanted: BindingRecord, before: BindingRecord | undefined): Job<OsbBinding> {
    const { store, definition, catalog } = this.#parts;
    return {
      verb: 'bind',
      key: `${instance}/${wanted.id}`,
      begin: (operation) => store.putBinding(instance, { ...wanted, operation }),
      work: async (work) => {
        const made = (await definition.bind?.(this.#subject(instance, wanted), work)) ?? {};
        const { serviceId = '' } = store.get(instance) ?? {};
        return wireBinding(made, catalog.plan(serviceId, wanted.planId)?.offering.requires ?? []);
      },
      succeed: (result, operation) => store.putBinding(instance, { ...wanted, operation, state: 'ready', result }),
      fail: async (error, operation) => {
        const isRefused = operation === undefined && error.status < 500;
        if (!isRefused) await store.putBinding(instance, { ...wanted, operation, state: 'failed' });
        else if (before === undefined) await store.deleteBinding(instance, wanted.id);
        else await store.putBinding(instance, before);
      },
      tell: (operation) => store.putBinding(instance, { ...wanted, operation }),
    };
  }

  #unbindJob(instance: string, known: BindingRecord): Job<void> {
    const { store, definition } = this.#parts;
    const stateBefore = known.state === 'ready' ? 'ready' : 'failed';
    const removing = { ...known, state: 'deprovisioning' } as const;
    return {
      verb: 'unbind',
      key: `${instance}/${known.id}`,
      begin: (operation) => store.putBinding(instance, { ...removing, operation }),
      work: async (work) => definition.unbind?.(this.#subject(instance, known), work),
      succeed: () => store.deleteBinding(instance, known.id),
      fail: (_, operation) => store.putBinding(instance, { ...known, state: stateBefore, operation }),
      tell: (operation) => store.putBinding(instance, { ...removing, operation }),
    };
  }

  #subject(instance: string, record: BindingRecord): ServiceBinding {
    const { store, catalog } = this.#parts;
    const holder = store.get(instance);
    if (holder === undefined) throw new Error(`Instance "${instance}" is gone`);
    const subject = instanceSubject(holder, catalog);
    const { id, parameters, context, predecessor, resource } = record;
    const { route } = resource;
    return {
      id,
      service: subject.service,
      plan: subject.plan,
      parameters,
      context,
      app: appOf(record),
      route: typeof route === 'string' ? route : undefined,
      predecessor,
      instance: subject,
    };
  }
}

interface Succession {
  readonly predecessor: string;
  readonly instance: InstanceRecord;
  readonly plan: OfferedPlan;
  readonly body: JsonObject;
}

function wantedBinding({ binding }: BindingKey, body: JsonObject, plan: OfferedPlan): BindingRecord {
  const resource = optionalObject(body, 'bind_resource') ?? {};
  const app = optionalText(body, 'app_guid') ?? optionalText(resource, 'app_guid');
  return {
    id: binding,
    planId: plan.wire.id,
    parameters: fitting(plan.schemas.bind, optionalObject(body, 'parameters') ?? {}),
    resource: { ...resource, ...(app === undefined ? {} : { app_guid: app }) },
    context: optionalObject(body, 'context') ?? {},
    state: 'provisioning',
  };
}

function appOf({ resource }: BindingRecord): string | undefined {
  const { app_guid: app } = resource;
  return typeof app === 'string' ? app : undefined;
}

/** What a second request for the same binding must not change. */
function attributes({ parameters, resource, predecessor }: BindingRecord): unknown {
  return { parameters, resource, predecessor };
}
