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
import { BrokerUnreachable, interpretPoll, interpretReply } from 'keelson/broker';
import { type Connect, propertiesOf } from './catalog.ts';
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
import { parametersOf, type Problem, referencesIn, resolve, type Resolved, userSpecified } from './resolve.ts';

type Instance = Observed<ServiceInstance>;
type Status = NonNullable<ServiceInstance['status']>;
type Properties = NonNullable<Status['externalProperties']>;
type Context = Pick<ReconcileContext, 'objects' | 'clock' | 'signal' | 'after' | 'conditions' | 'event' | 'key'> & {
  readonly connect: Connect;
};

const RECHECK = '30s';

/** What a run makes of the status: everything that is not said stays. */
interface Next extends Partial<Omit<Status, 'conditions'>>, Standing {}

export function instances(connect: Connect): Controller {
  return controller(ServiceInstance, {
    reads: [Namespace, ClusterServiceBroker, ServiceBroker],
    watches: [
      watch(ServiceBinding, { to: ({ metadata, spec }) => [`${metadata.namespace}/${spec.instanceRef.name}`] }),
      watch(ClusterServiceClass, { to: (_, { objects }) => waiting(objects(ServiceInstance).list()) }),
      watch(ClusterServicePlan, { to: (_, { objects }) => waiting(objects(ServiceInstance).list()) }),
      watch(ServiceClass, {
        to: ({ metadata }, { objects }) =>
          waiting(objects(ServiceInstance).list({ namespace: metadata.namespace ?? '' })),
      }),
      watch(ServicePlan, {
        to: ({ metadata }, { objects }) =>
          waiting(objects(ServiceInstance).list({ namespace: metadata.namespace ?? '' })),
      }),
      watch(Secret, {
        to: ({ metadata }, { objects }) =>
          objects(ServiceInstance)
            .list({ namespace: metadata.namespace ?? '' })
            .filter(
              ({ spec }) =>
                spec.parametersFrom?.some(({ secretKeyRef }) => secretKeyRef.name === metadata.name) === true,
            )
            .map(({ metadata: { namespace, name } }) => `${namespace}/${name}`),
      }),
    ],
    concurrency: 10,
    async reconcile(instance, run) {
      const context = { ...run, connect };
      const next = await step(instance, context);
      return next === undefined ? undefined : statusOf(instance, next, context);
    },
    finalize: (instance, run) => deprovision(instance, { ...run, connect }),
  });
}

/** The instances whose class or plan was not there. */
function waiting(all: readonly Instance[]): string[] {
  const waits = all.filter(({ status }) => status?.conditions[0]?.reason.startsWith('Referenc') === true);
  return waits.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`);
}

/** The next thing to do for an instance; undefined when nothing is. */
async function step(instance: Instance, context: Context): Promise<Next | undefined> {
  const { status, spec, metadata } = instance;
  const { objects, clock, after } = context;
  if (status?.orphanMitigationInProgress === true) return mitigate(instance, context);
  if (status?.asyncOpInProgress === true) return poll(instance, context);
  if (isGivenUp(instance)) return undefined;

  const resolved = resolve(spec, metadata.namespace ?? '', objects);
  if ('reason' in resolved) return { ready: false, ...resolved };
  if (JSON.stringify(referencesIn(spec)) !== JSON.stringify(resolved.references)) {
    // names of the catalog may move to other plans later: the instance stays what it was found to be
    await objects(ServiceInstance).patch(context.key, mergePatch({ spec: resolved.references }));
    after(0);
    return undefined;
  }
  const parameters = parametersOf(spec, (name) => objects(Secret).get(`${metadata.namespace}/${name}`));
  if (isProblem(parameters)) return { ready: false, ...parameters };
  const wanted: Properties = {
    broker: resolved.broker,
    serviceID: resolved.serviceClass.externalID,
    planID: resolved.plan.externalID,
    planExternalName: resolved.plan.externalName,
    parameterChecksum: parameters.checksum,
    updateRequests: spec.updateRequests,
  };
  const isProvisioned = status?.provisionStatus === 'Provisioned';
  if (isProvisioned && isSame(status?.externalProperties, wanted))
    return {
      ready: true,
      reason: 'ProvisionedSuccessfully',
      message: 'The instance was provisioned successfully.',
      ...ENDED,
    };
  if (!isProvisioned && resolved.isRemoved)
    return {
      ready: false,
      reason: 'ReferencesDeletedServicePlan',
      message: 'The class or the plan was removed from the catalog of its broker.',
    };
  const verb = isProvisioned ? 'Update' : 'Provision';
  if (status?.currentOperation !== verb || !isSame(status.inProgressProperties, wanted)) {
    after(0); // what is asked of the broker is written down before it is asked
    return {
      ready: false,
      reason: isProvisioned ? 'UpdatingInstance' : 'Provisioning',
      message: 'The broker is asked.',
      currentOperation: verb,
      operationStartTime: timeOf(clock),
      inProgressProperties: wanted,
    };
  }
  return call(instance, context, { resolved, parameters: parameters.parameters, wanted });
}

interface Wanted {
  readonly resolved: Resolved;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly wanted: Properties;
}

/** Asks the broker to make or change the instance. */
async function call(instance: Instance, context: Context, { resolved, parameters, wanted }: Wanted): Promise<Next> {
  const { objects, clock, after, signal, event } = context;
  const { spec, status } = instance;
  const isUpdate = status?.currentOperation === 'Update';
  const options = { originator: originatorOf(spec.userInfo), signal };
  const place = contextOf(instance, objects);
  const before = status?.externalProperties;
  const body = { service_id: wanted.serviceID, plan_id: wanted.planID, parameters, ...version(resolved) };
  const reply = await ask(wanted.broker, context, (client) =>
    isUpdate
      ? client.update(
          instance.metadata.uid,
          {
            ...body,
            context: place.context,
            previous_values: { service_id: before?.serviceID, plan_id: before?.planID },
          },
          options,
        )
      : client.provision(instance.metadata.uid, { ...body, ...place }, options),
  );
  const verb = isUpdate ? 'update' : 'provision';
  const again = (): void => after(retryMs(status?.operationStartTime, clock.now()));
  if (isProblem(reply)) {
    again();
    return { ready: false, ...reply };
  }
  const outcome = interpretReply(verb, reply);
  if (outcome.type === 'done') {
    event({
      reason: isUpdate ? 'InstanceUpdatedSuccessfully' : 'ProvisionedSuccessfully',
      message: 'The broker has done it.',
    });
    return { ...provisioned(wanted), ...dashboardIn(outcome.body) };
  }
  if (outcome.type === 'begun') {
    after(pollMs(undefined, 0));
    return {
      ready: false,
      reason: isUpdate ? 'UpdatingInstance' : 'Provisioning',
      message: 'The broker works in the background.',
      asyncOpInProgress: true,
      lastOperation: outcome.operation,
      ...dashboardIn(outcome.body),
    };
  }
  const reason = isUpdate
    ? 'UpdateInstanceCallFailed'
    : reply instanceof BrokerUnreachable
      ? 'ErrorCallingProvision'
      : 'ProvisionCallFailed';
  event({ type: 'Warning', reason, message: outcome.message });
  if (outcome.leavesOrphan) {
    after(0);
    return { ready: false, reason, message: outcome.message, orphanMitigationInProgress: true };
  }
  // the broker has refused it, and has nothing of it: nothing is to be deleted there
  if (!outcome.isRetryable) return { ready: false, reason, message: outcome.message, hasFailed: true, ...ENDED };
  again();
  return { ready: false, reason, message: outcome.message };
}

/** Looks at work in the background. */
async function poll(instance: Instance, context: Context): Promise<Next | undefined> {
  const { clock, after, signal, event, objects } = context;
  const { status, metadata, spec } = instance;
  const known = propertiesOf(instance);
  if (status === undefined || known === undefined) return undefined;
  const isUpdate = status.currentOperation === 'Update';
  const verb = isUpdate ? 'update' : 'provision';
  const { lastOperation: operation, operationStartTime } = status;
  const reply = await ask(known.broker, context, (client) =>
    client.instanceOperation(instance.metadata.uid, {
      operation,
      serviceId: known.serviceID,
      planId: known.planID,
      signal,
    }),
  );
  const outcome = isProblem(reply) ? { type: 'unknown' as const, message: reply.message } : interpretPoll(verb, reply);
  const now = clock.now();
  const resolved = resolve(spec, metadata.namespace ?? '', objects);
  const maxSeconds = 'plan' in resolved ? resolved.plan.maximumPollingDuration : undefined;
  const isLate = hasTakenTooLong(operationStartTime, now, maxSeconds);
  if (outcome.type === 'succeeded') {
    event({
      reason: isUpdate ? 'InstanceUpdatedSuccessfully' : 'ProvisionedSuccessfully',
      message: 'The broker has done it.',
    });
    return provisioned(status.inProgressProperties ?? known);
  }
  if (outcome.type !== 'failed' && !isLate) {
    after((outcome.type === 'in progress' ? outcome.afterMs : undefined) ?? pollMs(operationStartTime, now));
    const description = outcome.type === 'in progress' ? outcome.description : outcome.message;
    const message = `The broker works in the background${description === undefined ? '.' : `: ${description}`}`;
    return { ready: false, reason: isUpdate ? 'UpdatingInstance' : 'Provisioning', message };
  }
  const message = outcome.type === 'failed' ? outcome.message : 'the work in the background has taken too long';
  const reason = isUpdate ? 'UpdateInstanceCallFailed' : 'ProvisionCallFailed';
  event({ type: 'Warning', reason, message });
  const ended = { ready: false, reason, message, asyncOpInProgress: false, lastOperation: undefined } as const;
  if (!isUpdate) {
    after(0);
    return { ...ended, orphanMitigationInProgress: true };
  }
  const mayRepeat = outcome.type === 'failed' && outcome.isRetryable;
  if (!mayRepeat) return { ...ended, hasFailed: true };
  after(retryMs(operationStartTime, now));
  return ended;
}

/** Deletes what a failed request may have left at the broker; then the request is made again, if that makes sense. */
async function mitigate(instance: Instance, context: Context): Promise<Next | undefined> {
  const { clock, after, event } = context;
  const { status } = instance;
  const known = status?.inProgressProperties;
  if (status === undefined || known === undefined) return undefined;
  const again = retryMs(status.operationStartTime, clock.now());
  const removed = await removal(instance, known, context);
  const { reason = 'ProvisionCallFailed', message = '' } = status.conditions[0] ?? {};
  const same = { ready: false, reason, message } as const;
  switch (removed.type) {
    case 'gone':
      event({ reason: 'OrphanMitigationSuccessful', message: 'What the failed request left was deleted.' });
      after(again);
      return { ...same, orphanMitigationInProgress: false, asyncOpInProgress: false, lastOperation: undefined };
    case 'begun':
      after(pollMs(undefined, 0));
      return { ...same, asyncOpInProgress: true, lastOperation: removed.operation };
    case 'wait':
      after(removed.afterMs ?? again);
      return {
        ...same,
        asyncOpInProgress: removed.isInProgress,
        ...(removed.isInProgress ? {} : { lastOperation: undefined }),
      };
  }
}

type Removal =
  | { readonly type: 'gone' }
  | { readonly type: 'begun'; readonly operation: string | undefined }
  | {
      readonly type: 'wait';
      readonly afterMs?: number;
      readonly isInProgress: boolean;
      readonly problem: Problem | undefined;
    };

/** One step towards the end of an instance at its broker. */
async function removal(instance: Instance, known: Properties, context: Context): Promise<Removal> {
  const { clock, signal } = context;
  const { status, spec } = instance;
  const place = { serviceId: known.serviceID, planId: known.planID };
  const isRemoving =
    status?.asyncOpInProgress === true &&
    (status.orphanMitigationInProgress || status.currentOperation === 'Deprovision');
  const failed = (message: string): Problem => ({ reason: 'DeprovisionCallFailed', message });
  if (isRemoving) {
    const reply = await ask(known.broker, context, (client) =>
      client.instanceOperation(instance.metadata.uid, { operation: status.lastOperation, ...place, signal }),
    );
    if (isProblem(reply)) return { type: 'wait', isInProgress: true, problem: reply };
    const outcome = interpretPoll('deprovision', reply);
    if (outcome.type === 'succeeded') return { type: 'gone' };
    if (outcome.type === 'failed') return { type: 'wait', isInProgress: false, problem: failed(outcome.message) };
    const afterMs =
      (outcome.type === 'in progress' ? outcome.afterMs : undefined) ?? pollMs(status.operationStartTime, clock.now());
    return { type: 'wait', afterMs, isInProgress: true, problem: undefined };
  }
  const options = { originator: originatorOf(spec.userInfo), signal };
  const reply = await ask(known.broker, context, (client) => client.deprovision(instance.metadata.uid, place, options));
  if (isProblem(reply)) return { type: 'wait', isInProgress: false, problem: reply };
  const outcome = interpretReply('deprovision', reply);
  if (outcome.type === 'done') return { type: 'gone' };
  if (outcome.type === 'begun') return { type: 'begun', operation: outcome.operation };
  return { type: 'wait', isInProgress: false, problem: failed(outcome.message) };
}

/** Deletes the instance at its broker before it goes. */
async function deprovision(instance: Instance, context: Context): Promise<'wait' | undefined> {
  const { objects, clock, after, key } = context;
  const { metadata, status } = instance;
  const known = propertiesOf(instance);
  if (known === undefined || status === undefined) return undefined;
  const isBound = objects(ServiceBinding)
    .list({ namespace: metadata.namespace ?? '' })
    .some(({ spec }) => spec.instanceRef.name === metadata.name);
  const say = async (change: Partial<Status>, problem: Problem): Promise<void> => {
    const [{ reason, message } = problem] = status.conditions;
    const isNews = reason !== problem.reason || message !== problem.message || Object.keys(change).length > 0;
    const conditions = context.conditions({ type: 'Ready', status: false, ...problem });
    if (isNews) await objects(ServiceInstance).patchStatus(key, mergePatch({ status: { ...change, conditions } }));
  };
  if (isBound) {
    await say(
      {},
      {
        reason: 'DeprovisionBlockedByExistingCredentials',
        message: 'All bindings of the instance have to be deleted first.',
      },
    );
    return 'wait';
  }
  const removed = await removal(instance, known, context);
  if (removed.type === 'gone') return undefined;
  const goesOn = { reason: 'Deprovisioning', message: 'The broker deletes the instance in the background.' };
  if (removed.type === 'begun') {
    const started = {
      currentOperation: 'Deprovision',
      operationStartTime: timeOf(clock),
      asyncOpInProgress: true,
      lastOperation: removed.operation,
    };
    await say(started, goesOn);
    after(pollMs(undefined, 0));
    return 'wait';
  }
  const { isInProgress, problem, afterMs } = removed;
  await say(isInProgress === status.asyncOpInProgress ? {} : { asyncOpInProgress: isInProgress }, problem ?? goesOn);
  after(afterMs ?? (problem === undefined ? RECHECK : retryMs(metadata.deletionTimestamp, clock.now())));
  return 'wait';
}

function provisioned(externalProperties: Properties): Next {
  return {
    ready: true,
    reason: 'ProvisionedSuccessfully',
    message: 'The instance was provisioned successfully.',
    provisionStatus: 'Provisioned',
    asyncOpInProgress: false,
    lastOperation: undefined,
    externalProperties,
    ...ENDED,
  };
}

function statusOf({ status, metadata, spec }: Instance, next: Next, { conditions }: Context): Status {
  const { ready: _1, reason, message, hasFailed: _2, ...change } = next;
  const mitigating = change.orphanMitigationInProgress ?? status?.orphanMitigationInProgress ?? false;
  const stated = conditionsOf(next);
  if (mitigating) stated.push({ type: 'OrphanMitigation', status: true, reason: 'OrphanMitigation', message });
  return {
    asyncOpInProgress: false,
    provisionStatus: 'NotProvisioned',
    ...status,
    ...change,
    ...userSpecified(spec),
    orphanMitigationInProgress: mitigating,
    reconciledGeneration: metadata.generation ?? 0,
    conditions: conditions(...stated),
  } as Status;
}

function isSame(known: Partial<Properties> | undefined, wanted: Properties): boolean {
  return known !== undefined && Object.entries(wanted).every(([field, value]) => Reflect.get(known, field) === value);
}

function version({ plan: { maintenanceVersion } }: Resolved) {
  return maintenanceVersion === undefined ? {} : { maintenance_info: { version: maintenanceVersion } };
}

function dashboardIn({ dashboard_url: url }: Readonly<Record<string, unknown>>) {
  return typeof url === 'string' ? { dashboardURL: url } : {};
}
