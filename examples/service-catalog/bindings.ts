import {
  controller,
  type Controller,
  mergePatch,
  Namespace,
  type Observed,
  type ReconcileContext,
  Secret,
  watch,
} from 'keelson';
import { interpretPoll, interpretReply } from 'keelson/broker';
import type { Connect } from './catalog.ts';
import {
  ClusterServiceBroker,
  ClusterServiceClass,
  ClusterServicePlan,
  ServiceBinding,
  ServiceBroker,
  ServiceClass,
  ServiceInstance,
  ServicePlan,
} from './kinds.ts';
import {
  ask,
  conditionsOf,
  contextOf,
  ENDED,
  hasTakenTooLong,
  isGivenUp,
  isProblem,
  originatorOf,
  pollMs,
  retryMs,
  type Standing,
  timeOf,
} from './operations.ts';
import { parametersOf, type Problem, resolve } from './resolve.ts';

type Binding = Observed<ServiceBinding>;
type Status = NonNullable<ServiceBinding['status']>;
type Properties = NonNullable<Status['externalProperties']>;
type Context = Pick<
  ReconcileContext<Status, typeof Secret>,
  'objects' | 'clock' | 'signal' | 'after' | 'conditions' | 'event' | 'key' | 'desire'
> & { readonly connect: Connect };
type Credentials = Readonly<Record<string, unknown>>;

interface Next extends Partial<Omit<Status, 'conditions'>>, Standing {}

export function bindings(connect: Connect): Controller {
  return controller(ServiceBinding, {
    owns: [Secret],
    reads: [
      Namespace,
      ClusterServiceBroker,
      ServiceBroker,
      ClusterServiceClass,
      ServiceClass,
      ClusterServicePlan,
      ServicePlan,
    ],
    watches: [
      watch(ServiceInstance, {
        to: ({ metadata: { namespace, name } }, { objects }) =>
          objects(ServiceBinding)
            .list({ namespace: namespace ?? '' })
            .filter(({ spec }) => spec.instanceRef.name === name)
            .map(({ metadata }) => `${namespace}/${metadata.name}`),
        when: (instance, old) =>
          instance.status?.provisionStatus !== old?.status?.provisionStatus ||
          instance.status?.conditions[0]?.status !== old?.status?.conditions[0]?.status,
      }),
    ],
    concurrency: 10,
    async reconcile(binding, run) {
      const context = { ...run, connect };
      const next = await step(binding, context);
      return next === undefined ? undefined : statusOf(binding, next, context);
    },
    finalize: (binding, run) => unbind(binding, { ...run, connect }),
  });
}

/** The next thing to do for a binding; undefined when nothing is. */
async function step(binding: Binding, context: Context): Promise<Next | undefined> {
  const { status, spec, metadata } = binding;
  const { objects, clock, after } = context;
  const { namespace = '' } = metadata;
  if (status?.orphanMitigationInProgress === true) return mitigate(binding, context);
  if (isGivenUp(binding)) return undefined;
  const instance = objects(ServiceInstance).get(`${namespace}/${spec.instanceRef.name}`);
  if (instance === undefined)
    return {
      ready: false,
      reason: 'ReferencesNonexistentInstance',
      message: `There is no ServiceInstance "${spec.instanceRef.name}".`,
    };
  const known = instance.status?.externalProperties;
  const isThere =
    instance.status?.conditions[0]?.status === 'True' && instance.metadata.deletionTimestamp === undefined;
  if (
    known === undefined ||
    (!isThere && status?.inProgressProperties === undefined && status?.externalProperties === undefined)
  )
    return {
      ready: false,
      reason: 'ErrorInstanceNotReady',
      message: `ServiceInstance "${spec.instanceRef.name}" is not ready.`,
    };
  if (status?.asyncOpInProgress === true) return poll(binding, instance, context);
  const key = `${namespace}/${secretOf(binding)}`;
  const secret = objects(Secret).get(key);
  const isOwn = secret?.metadata.ownerReferences?.some(({ uid }) => uid === metadata.uid) === true;
  if (secret !== undefined && !isOwn)
    return {
      ready: false,
      reason: 'ErrorInjectingBindResult',
      message: `Secret "${secretOf(binding)}" is there, and not this binding's.`,
      hasFailed: true,
    };
  if (status?.externalProperties !== undefined && isOwn)
    return { ready: true, reason: 'InjectedBindResult', message: 'Injected bind result', ...ENDED };
  const resolved = resolve(instance.spec, namespace, objects);
  if (isProblem(resolved)) return { ready: false, ...resolved };
  if (!(resolved.plan.bindable ?? resolved.serviceClass.bindable))
    return {
      ready: false,
      reason: 'ErrorNonbindableServiceClass',
      message: 'The plan of the instance cannot be bound.',
      hasFailed: true,
    };
  const parameters = parametersOf(spec, (name) => objects(Secret).get(`${namespace}/${name}`));
  if (isProblem(parameters)) {
    after('30s');
    return { ready: false, ...parameters };
  }
  const wanted: Properties = {
    ...known,
    planExternalName: '',
    parameterChecksum: parameters.checksum,
    updateRequests: 0,
  };
  if (status?.currentOperation !== 'Bind') {
    after(0); // what is asked of the broker is written down before it is asked
    return {
      ready: false,
      reason: 'Binding',
      message: 'The broker is asked.',
      currentOperation: 'Bind',
      operationStartTime: timeOf(clock),
      unbindStatus: 'Required',
      inProgressProperties: wanted,
    };
  }
  return bind(binding, instance, { context, wanted, parameters: parameters.parameters });
}

interface Wanted {
  readonly context: Context;
  readonly wanted: Properties;
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Asks the broker for the binding; the same request again gives the same credentials. */
async function bind(
  binding: Binding,
  instance: Observed<ServiceInstance>,
  { context, wanted, parameters }: Wanted,
): Promise<Next> {
  const { objects, clock, after, signal, event } = context;
  const { status, spec } = binding;
  const { context: place, space_guid: app } = contextOf(instance, objects);
  const body = {
    service_id: wanted.serviceID,
    plan_id: wanted.planID,
    context: place,
    parameters,
    app_guid: app,
    bind_resource: { app_guid: app },
  };
  const id = { instance: instance.metadata.uid, binding: binding.metadata.uid };
  const reply = await ask(wanted.broker, context, (client) =>
    client.bind(id, body, { originator: originatorOf(spec.userInfo), signal }),
  );
  const again = (): void => after(retryMs(status?.operationStartTime, clock.now()));
  if (isProblem(reply)) {
    again();
    return { ready: false, ...reply };
  }
  const outcome = interpretReply('bind', reply);
  if (outcome.type === 'done') return inject(binding, outcome.body['credentials'], { context, wanted });
  if (outcome.type === 'begun') {
    after(pollMs(undefined, 0));
    return {
      ready: false,
      reason: 'Binding',
      message: 'The broker works in the background.',
      asyncOpInProgress: true,
      lastOperation: outcome.operation,
    };
  }
  event({ type: 'Warning', reason: 'BindCallFailed', message: outcome.message });
  const failed = { ready: false, reason: 'BindCallFailed', message: outcome.message } as const;
  if (outcome.leavesOrphan) {
    after(0);
    return { ...failed, orphanMitigationInProgress: true };
  }
  if (!outcome.isRetryable) return { ...failed, hasFailed: true, ...ENDED };
  again();
  return failed;
}

async function poll(
  binding: Binding,
  instance: Observed<ServiceInstance>,
  context: Context,
): Promise<Next | undefined> {
  const { clock, after, signal, event, objects } = context;
  const { status } = binding;
  const wanted = status?.inProgressProperties;
  if (status === undefined || wanted === undefined) return undefined;
  const id = { instance: instance.metadata.uid, binding: binding.metadata.uid };
  const place = { serviceId: wanted.serviceID, planId: wanted.planID };
  const reply = await ask(wanted.broker, context, (client) =>
    client.bindingOperation(id, { operation: status.lastOperation, ...place, signal }),
  );
  const outcome = isProblem(reply)
    ? { type: 'unknown' as const, message: reply.message }
    : interpretPoll('bind', reply);
  const now = clock.now();
  if (outcome.type === 'succeeded') {
    const got = await ask(wanted.broker, context, (client) => client.binding(id, { ...place, signal }));
    const body =
      isProblem(got) || got instanceof Error || got.status !== 200 ? undefined : (got.body as Credentials | undefined);
    if (body !== undefined) return inject(binding, body['credentials'], { context, wanted });
    after(retryMs(status.operationStartTime, now));
    return { ready: false, reason: 'FetchingBindingFailed', message: 'The binding is made, and cannot be fetched.' };
  }
  const resolved = resolve(instance.spec, instance.metadata.namespace ?? '', objects);
  const maxSeconds = 'plan' in resolved ? resolved.plan.maximumPollingDuration : undefined;
  if (outcome.type !== 'failed' && !hasTakenTooLong(status.operationStartTime, now, maxSeconds)) {
    after((outcome.type === 'in progress' ? outcome.afterMs : undefined) ?? pollMs(status.operationStartTime, now));
    const description = outcome.type === 'in progress' ? outcome.description : outcome.message;
    return {
      ready: false,
      reason: 'Binding',
      message: `The broker works in the background${description === undefined ? '.' : `: ${description}`}`,
    };
  }
  const message = outcome.type === 'failed' ? outcome.message : 'the work in the background has taken too long';
  event({ type: 'Warning', reason: 'BindCallFailed', message });
  after(0);
  return {
    ready: false,
    reason: 'BindCallFailed',
    message,
    asyncOpInProgress: false,
    lastOperation: undefined,
    orphanMitigationInProgress: true,
  };
}

/** Writes the Secret. */
async function inject(
  binding: Binding,
  credentials: unknown,
  { context, wanted }: Pick<Wanted, 'context' | 'wanted'>,
): Promise<Next> {
  const { objects, desire, event } = context;
  const { namespace = '' } = binding.metadata;
  const made = typeof credentials === 'object' && credentials !== null ? (credentials as Credentials) : {};
  const data = new Map(
    Object.entries(made).map(([key, value]) => [key, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  for (const { renameKey, addKey, addKeysFrom, removeKey } of binding.spec.secretTransforms ?? []) {
    if (renameKey !== undefined && data.has(renameKey.from)) {
      data.set(renameKey.to, data.get(renameKey.from) ?? '');
      data.delete(renameKey.from);
    }
    if (addKey !== undefined) data.set(addKey.key, addKey.stringValue);
    if (addKeysFrom !== undefined) {
      // a Secret of another namespace would hand out what the user may not read
      const from = addKeysFrom.secretRef.namespace ?? namespace;
      const others =
        from === namespace ? (objects(Secret).get(`${from}/${addKeysFrom.secretRef.name}`)?.data ?? {}) : {};
      for (const [key, value] of Object.entries(others)) data.set(key, Buffer.from(value, 'base64').toString('utf8'));
    }
    if (removeKey !== undefined) data.delete(removeKey.key);
  }
  const encoded = Object.fromEntries(
    [...data].map(([key, value]) => [key.replaceAll(/[^-._a-zA-Z0-9]/g, '_'), Buffer.from(value).toString('base64')]),
  );
  await desire(Secret, { metadata: { name: secretOf(binding) }, type: 'Opaque', data: encoded });
  event({ reason: 'InjectedBindResult', message: 'Injected bind result' });
  return {
    ready: true,
    reason: 'InjectedBindResult',
    message: 'Injected bind result',
    asyncOpInProgress: false,
    lastOperation: undefined,
    externalProperties: wanted,
    ...ENDED,
  };
}

/** Deletes what a failed request may have left at the broker; then the request is made again. */
async function mitigate(binding: Binding, context: Context): Promise<Next | undefined> {
  const { status } = binding;
  const { after, clock } = context;
  if (status === undefined) return undefined;
  const { reason = 'BindCallFailed', message = '' } = status.conditions[0] ?? {};
  const same = { ready: false, reason, message } as const;
  const removed = await removal(binding, context);
  after(
    removed.type === 'gone' || removed.afterMs === undefined
      ? retryMs(status.operationStartTime, clock.now())
      : removed.afterMs,
  );
  if (removed.type === 'gone')
    return { ...same, orphanMitigationInProgress: false, asyncOpInProgress: false, lastOperation: undefined };
  return { ...same, asyncOpInProgress: removed.isInProgress, lastOperation: removed.operation };
}

type Removal =
  | { readonly type: 'gone' }
  | {
      readonly type: 'wait';
      readonly afterMs: number | undefined;
      readonly isInProgress: boolean;
      readonly operation: string | undefined;
      readonly problem: Problem | undefined;
    };

/** One step towards the end of a binding at its broker. */
async function removal(binding: Binding, context: Context): Promise<Removal> {
  const { clock, signal, objects } = context;
  const { status, spec, metadata } = binding;
  const known = status?.externalProperties ?? status?.inProgressProperties;
  const instance = objects(ServiceInstance).get(`${metadata.namespace}/${spec.instanceRef.name}`);
  if (known === undefined || instance === undefined) return { type: 'gone' };
  const id = { instance: instance.metadata.uid, binding: binding.metadata.uid };
  const place = { serviceId: known.serviceID, planId: known.planID };
  const wait = (change: Partial<Removal>): Removal =>
    ({
      type: 'wait',
      afterMs: undefined,
      isInProgress: false,
      operation: undefined,
      problem: undefined,
      ...change,
    }) as Removal;
  const isRemoving =
    status?.asyncOpInProgress === true && (status.orphanMitigationInProgress || status.currentOperation === 'Unbind');
  const operation = status?.lastOperation;
  if (isRemoving) {
    const reply = await ask(known.broker, context, (client) =>
      client.bindingOperation(id, { operation, ...place, signal }),
    );
    if (isProblem(reply)) return wait({ isInProgress: true, operation, problem: reply });
    const outcome = interpretPoll('unbind', reply);
    if (outcome.type === 'succeeded') return { type: 'gone' };
    if (outcome.type === 'failed') return wait({ problem: { reason: 'UnbindCallFailed', message: outcome.message } });
    const afterMs =
      (outcome.type === 'in progress' ? outcome.afterMs : undefined) ?? pollMs(status.operationStartTime, clock.now());
    return wait({ afterMs, isInProgress: true, operation });
  }
  const reply = await ask(known.broker, context, (client) =>
    client.unbind(id, place, { originator: originatorOf(spec.userInfo), signal }),
  );
  if (isProblem(reply)) return wait({ problem: reply });
  const outcome = interpretReply('unbind', reply);
  if (outcome.type === 'done') return { type: 'gone' };
  if (outcome.type === 'begun')
    return wait({ afterMs: pollMs(undefined, 0), isInProgress: true, operation: outcome.operation });
  return wait({ problem: { reason: 'UnbindCallFailed', message: outcome.message } });
}

/** Deletes the binding at its broker before it goes; the Secret goes with it. */
async function unbind(binding: Binding, context: Context): Promise<'wait' | undefined> {
  const { objects, clock, after, key } = context;
  const { status, metadata } = binding;
  if (status === undefined) return undefined;
  const removed = await removal(binding, context);
  if (removed.type === 'gone') return undefined;
  const { isInProgress, operation, problem, afterMs } = removed;
  const says = problem ?? { reason: 'Unbinding', message: 'The broker deletes the binding in the background.' };
  const [before] = status.conditions;
  const begins =
    isInProgress && status.currentOperation !== 'Unbind'
      ? { currentOperation: 'Unbind', operationStartTime: timeOf(clock), lastOperation: operation ?? null }
      : {};
  const isNews =
    before?.message !== says.message || status.asyncOpInProgress !== isInProgress || Object.keys(begins).length > 0;
  if (isNews) {
    const conditions = context.conditions({ type: 'Ready', status: false, ...says });
    await objects(ServiceBinding).patchStatus(
      key,
      mergePatch({ status: { ...begins, asyncOpInProgress: isInProgress, conditions } }),
    );
  }
  after(afterMs ?? retryMs(metadata.deletionTimestamp, clock.now()));
  return 'wait';
}

function statusOf({ status, metadata }: Binding, next: Next, { conditions }: Context): Status {
  const { ready: _1, reason: _2, message: _3, hasFailed: _4, ...change } = next;
  const stated = conditionsOf(next);
  return {
    asyncOpInProgress: false,
    orphanMitigationInProgress: false,
    unbindStatus: 'NotRequired',
    ...status,
    ...change,
    reconciledGeneration: metadata.generation ?? 0,
    conditions: conditions(...stated),
  } as Status;
}

function secretOf({ spec, metadata }: Binding): string {
  return spec.secretName ?? metadata.name;
}
