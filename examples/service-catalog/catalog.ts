import { createHash } from 'node:crypto';
import {
  controller,
  type Controller,
  keyOf,
  type Kind,
  type KubernetesObject,
  mergePatch,
  type Observed,
  type Patch,
  type ReconcileContext,
  Secret,
  watch,
} from 'keelson';
import {
  type BrokerClient,
  type BrokerClientOptions,
  catalogProblems,
  type OsbCatalog,
  type OsbPlan,
  type OsbService,
} from 'keelson/broker';
import {
  ClusterServiceBroker,
  ClusterServiceClass,
  ClusterServicePlan,
  ServiceBroker,
  ServiceClass,
  ServiceInstance,
  ServicePlan,
} from './kinds.ts';
import { restricted } from './restrictions.ts';

type Broker = Observed<ServiceBroker>;
type Objects = ReconcileContext['objects'];

const RETRY = '30s';
const MIN_RELIST_MS = 10_000;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** The name of a class or plan in the cluster: its id, if that can be one. */
export function nameOf(id: string): string {
  const isName = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(id) && id.length <= 63 && !id.includes('..');
  return isName ? id : createHash('sha256').update(id).digest('hex').slice(0, 40);
}

/** `1h30m` as milliseconds; undefined for what is no duration. */
export function durationOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0);
}

/** How brokers are called: `brokerClient`, or a broker without a network in tests. */
export type Connect = (options: BrokerClientOptions) => BrokerClient;

/** How to call a broker, with the credentials of its Secret. */
export function connectionOf(
  broker: Broker,
  secret: (key: string) => Observed<Secret> | undefined,
): BrokerClientOptions {
  const { url, insecureSkipTLSVerify, caBundle, authInfo } = broker.spec;
  const textIn = (ref: { readonly namespace?: string; readonly name: string }, field: string): string => {
    const key = `${ref.namespace ?? broker.metadata.namespace ?? ''}/${ref.name}`;
    const value = secret(key)?.data?.[field];
    if (value === undefined) throw new Error(`Secret "${key}" has no "${field}"`);
    return Buffer.from(value, 'base64').toString('utf8');
  };
  const { basic, bearer } = authInfo ?? {};
  return {
    url,
    insecureSkipTlsVerify: insecureSkipTLSVerify,
    ...(caBundle === undefined ? {} : { certificateAuthority: Buffer.from(caBundle, 'base64').toString('utf8') }),
    ...(basic === undefined
      ? {}
      : { basic: { username: textIn(basic.secretRef, 'username'), password: textIn(basic.secretRef, 'password') } }),
    ...(bearer === undefined ? {} : { bearer: textIn(bearer.secretRef, 'token') }),
  };
}

/** The catalog, or why there is none. */
async function fetchCatalog(
  broker: Broker,
  { objects, signal }: Pick<ReconcileContext, 'objects' | 'signal'>,
  connect: Connect,
): Promise<OsbCatalog | string> {
  try {
    using client = connect(connectionOf(broker, (key) => objects(Secret).get(key)));
    const { status, body } = await client.catalog({ signal });
    if (status !== 200) return `the broker has answered ${status}`;
    const problems = catalogProblems(body);
    return problems.length === 0 ? (body as OsbCatalog) : problems.slice(0, 5).join('; ');
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof Error ? error.message : String(error);
  }
}

function classSpec({
  name,
  id,
  description,
  bindable,
  bindings_retrievable,
  plan_updateable,
  metadata,
  tags,
  requires,
}: OsbService) {
  return {
    externalName: name,
    externalID: id,
    description,
    bindable,
    bindingRetrievable: bindings_retrievable ?? false,
    planUpdatable: plan_updateable ?? false,
    ...(metadata === undefined ? {} : { externalMetadata: { ...metadata } }),
    ...(tags === undefined ? {} : { tags: [...tags] }),
    ...(requires === undefined ? {} : { requires: [...requires] }),
  };
}

function planSpec({
  name,
  id,
  description,
  bindable,
  free,
  metadata,
  schemas,
  maximum_polling_duration: longest,
  maintenance_info: info,
}: OsbPlan) {
  const { service_instance: instance, service_binding: binding } = schemas ?? {};
  const copied = (field: string, value: object | undefined): object =>
    value === undefined ? {} : { [field]: { ...value } };
  return {
    externalName: name,
    externalID: id,
    description,
    free: free ?? true,
    ...(bindable === undefined ? {} : { bindable }),
    ...copied('externalMetadata', metadata),
    ...copied('instanceCreateParameterSchema', instance?.create?.parameters),
    ...copied('instanceUpdateParameterSchema', instance?.update?.parameters),
    ...copied('serviceBindingCreateParameterSchema', binding?.create?.parameters),
    ...(longest === undefined ? {} : { maximumPollingDuration: longest }),
    ...(info === undefined ? {} : { maintenanceVersion: info.version }),
  };
}

/** How a broker knows an instance or binding, also one that it was only asked for. */
export function propertiesOf({ status }: Pick<Observed<ServiceInstance>, 'status'>) {
  return status?.externalProperties ?? status?.inProgressProperties;
}

/** The instances that a broker may have something of. */
function instancesOf(key: string, objects: Objects): Observed<ServiceInstance>[] {
  return objects(ServiceInstance)
    .list()
    .filter((instance) => propertiesOf(instance)?.broker === key);
}

/** What a relist says in the status. */
function outcome(
  broker: Broker,
  context: Pick<ReconcileContext, 'clock' | 'conditions'>,
  result: { readonly problem: string } | { readonly offered: number },
) {
  const { clock, conditions } = context;
  const problem = 'problem' in result ? result.problem : undefined;
  const offered = 'offered' in result ? result.offered : broker.status?.offered;
  const now = `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const last = broker.status?.lastCatalogRetrievalTime;
  const ready =
    problem === undefined
      ? {
          type: 'Ready',
          status: true,
          reason: 'FetchedCatalog',
          message: 'Successfully fetched catalog entries from broker.',
        }
      : { type: 'Ready', status: false, reason: 'ErrorFetchingCatalog', message: `Error fetching catalog: ${problem}` };
  return {
    conditions: conditions(ready),
    reconciledGeneration: broker.metadata.generation ?? 0,
    ...(offered === undefined ? {} : { offered }),
    ...(problem === undefined
      ? { lastCatalogRetrievalTime: now }
      : last === undefined
        ? {}
        : { lastCatalogRetrievalTime: last }),
  };
}

/** How long until the catalog is read again; undefined when that is left to the user, 0 when it is due. */
function dueIn(broker: Broker, known: number, now: number): number | undefined {
  const { status, spec, metadata } = broker;
  const isFetched = status?.conditions[0]?.status === 'True' && status.reconciledGeneration === metadata.generation;
  if (!isFetched || status.lastCatalogRetrievalTime === undefined) return 0;
  if (status.offered !== undefined && known < status.offered) return 0; // a user has deleted one
  if (spec.relistBehavior === 'Manual') return undefined;
  return Math.max(0, Date.parse(status.lastCatalogRetrievalTime) + relistMs(broker) - now);
}

/** The kinds of brokers for the whole cluster, or for a namespace. */
interface Level {
  readonly broker: Kind<ServiceBroker>;
  readonly serviceClass: Kind<ServiceClass>;
  readonly plan: Kind<ServicePlan>;
  readonly prefix: 'cluster' | '';
}

/** Reads catalogs, and keeps classes and plans as they say. What instances still use stays, and is marked as removed. */
function brokers({ broker: kind, serviceClass, plan, prefix }: Level, connect: Connect): Controller {
  const field = (name: string): string => (prefix === '' ? name : `${prefix}${name[0]?.toUpperCase()}${name.slice(1)}`);
  const keyIn = ({ metadata: { namespace, name } }: Broker): string =>
    [kind.kind, ...(namespace === undefined ? [] : [namespace]), name].join('/');
  return controller(kind, {
    owns: [serviceClass, plan],
    watches: [
      watch(ServiceInstance, {
        to(instance) {
          const [type, ...key] = propertiesOf(instance)?.broker.split('/') ?? [];
          return type === kind.kind ? [key.join('/')] : [];
        },
      }),
      watch(Secret, {
        to: (secret, { objects }) =>
          objects(kind)
            .list()
            .filter((each) => usesSecret(each, secret))
            .map(({ metadata: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`)),
        when: (secret, old) => old === undefined || secret.data !== old.data,
      }),
    ],
    concurrency: 5,
    async reconcile(broker, context) {
      const { objects, desireAll, clock, after } = context;
      const { uid, name, namespace } = broker.metadata;
      const knownClasses = objects(serviceClass).list({ controlledBy: uid }).map(bare);
      const knownPlans = objects(plan).list({ controlledBy: uid }).map(bare);
      const isOffered = ({ status }: Entry): boolean => status?.removedFromBrokerCatalog !== true;
      const known = knownClasses.filter(isOffered).length + knownPlans.filter(isOffered).length;
      const wait = dueIn(broker, known, clock.now());
      const catalog = wait === 0 ? await fetchCatalog(broker, context, connect) : undefined;
      if (typeof catalog === 'string') {
        after(RETRY);
        return outcome(broker, context, { problem: catalog });
      }
      const place = namespace === undefined ? {} : { namespace };
      const own = { [field('serviceBrokerName')]: name };
      const allClasses = (catalog?.services ?? []).map((each) => ({
        metadata: { ...place, name: nameOf(each.id) },
        spec: { ...classSpec(each), ...own },
      }));
      const allPlans = (catalog?.services ?? []).flatMap(({ id, plans: offered }) =>
        offered.map((each) => ({
          metadata: { ...place, name: nameOf(each.id) },
          spec: { ...planSpec(each), ...own, [field('serviceClassRef')]: { name: nameOf(id) } },
        })),
      );
      const { classes, plans } = restricted({ classes: allClasses, plans: allPlans }, broker.spec.catalogRestrictions);
      const others = [
        ...classes.filter(({ metadata }) => isOthers(objects(serviceClass).get(keyOf({ metadata })), uid)),
        ...plans.filter(({ metadata }) => isOthers(objects(plan).get(keyOf({ metadata })), uid)),
      ].map(({ spec }) => `id "${spec.externalID}" is that of a class or plan of another owner`);
      if (others.length > 0) {
        after(RETRY);
        return outcome(broker, context, { problem: others.join('; ') });
      }
      const used = instancesOf(keyIn(broker), objects).map(propertiesOf);
      const nowClasses = keeping({
        known: knownClasses,
        fresh: catalog === undefined ? undefined : classes,
        isUsed: (id) => used.some((each) => each?.serviceID === id),
      });
      const nowPlans = keeping({
        known: knownPlans,
        fresh: catalog === undefined ? undefined : plans,
        isUsed: (id) => used.some((each) => each?.planID === id),
      });
      for (const each of await desireAll(serviceClass, nowClasses.all))
        await mark(objects(serviceClass), each, nowClasses.isRemoved(each));
      for (const each of await desireAll(plan, nowPlans.all)) await mark(objects(plan), each, nowPlans.isRemoved(each));
      if (catalog === undefined) {
        if (wait !== undefined) after(wait);
        return undefined;
      }
      if (broker.spec.relistBehavior === 'Duration') after(relistMs(broker));
      return outcome(broker, context, { offered: classes.length + plans.length });
    },
    finalize: (broker, { objects }) => (instancesOf(keyIn(broker), objects).length > 0 ? 'wait' : undefined),
  });
}

export function clusterBrokers(connect: Connect): Controller {
  return brokers(
    { broker: ClusterServiceBroker, serviceClass: ClusterServiceClass, plan: ClusterServicePlan, prefix: 'cluster' },
    connect,
  );
}

export function namespacedBrokers(connect: Connect): Controller {
  return brokers({ broker: ServiceBroker, serviceClass: ServiceClass, plan: ServicePlan, prefix: '' }, connect);
}

interface Entry {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: { readonly removedFromBrokerCatalog: boolean };
}

/** A class or plan as it is stated. */
interface Stated<Spec> {
  readonly metadata: Entry['metadata'];
  readonly spec: Spec;
}

function bare<Spec>({ metadata: { name, namespace }, spec, status }: Stated<Spec> & Entry) {
  return { metadata: { name, ...(namespace === undefined ? {} : { namespace }) }, spec, status };
}

interface Catalogued<Spec> {
  readonly known: readonly (Stated<Spec> & Entry)[];
  /** What the catalog has; undefined when it was not read. */
  readonly fresh: readonly Stated<Spec>[] | undefined;
  readonly isUsed: (externalID: string) => boolean;
}

/** The entries of the catalog, and those that it had and instances still use. */
function keeping<Spec extends { readonly externalID: string }>({ known, fresh, isUsed }: Catalogued<Spec>) {
  const isGone = (each: Stated<Spec> & Entry): boolean =>
    fresh === undefined
      ? each.status?.removedFromBrokerCatalog === true
      : !fresh.some(({ metadata }) => metadata.name === each.metadata.name);
  const removed = known.filter((each) => isGone(each) && isUsed(each.spec.externalID));
  const offered: readonly Stated<Spec>[] = fresh ?? known.filter((each) => !isGone(each));
  const all = [...offered, ...removed].map(({ metadata, spec }) => ({ metadata, spec }));
  return { all, isRemoved: ({ metadata }: Entry) => removed.some((each) => each.metadata.name === metadata.name) };
}

/** Whether an object is there that this broker has not made: ids are to be unique among all brokers. */
function isOthers(found: Observed<KubernetesObject> | undefined, uid: string): boolean {
  return found !== undefined && found.metadata.ownerReferences?.some((owner) => owner.uid === uid) !== true;
}

function usesSecret({ spec: { authInfo = {} }, metadata }: Broker, secret: Observed<Secret>): boolean {
  return [authInfo.basic, authInfo.bearer].some(
    (each) =>
      each?.secretRef.name === secret.metadata.name &&
      (each.secretRef.namespace ?? metadata.namespace) === secret.metadata.namespace,
  );
}

interface StatusPatcher {
  patchStatus(key: string, patch: Patch): Promise<unknown>;
}

async function mark(
  objects: StatusPatcher,
  { metadata: { namespace, name }, status }: Entry,
  isRemoved: boolean,
): Promise<void> {
  if (status?.removedFromBrokerCatalog === isRemoved) return;
  const key = namespace === undefined ? name : `${namespace}/${name}`;
  await objects.patchStatus(key, mergePatch({ status: { removedFromBrokerCatalog: isRemoved } }));
}

function relistMs({ spec }: Broker): number {
  return Math.max(durationOf(spec.relistDuration) ?? 0, MIN_RELIST_MS);
}
