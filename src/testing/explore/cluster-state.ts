import type { KubernetesObject } from '../../client/index.ts';
import { insidesOf } from '../cluster-insides.ts';
import type { TestCluster } from '../test-cluster.ts';
import { GeneratedNames } from './generated-names.ts';
import { isElectionLock } from './program/election-lock.ts';

/** An object in the form in which runs are compared: without what differs in every run. */
export interface StateObject {
  /** Such as `ConfigMap default/web`, with generated names replaced. */
  readonly id: string;
  readonly kind: string;
  readonly uid: string;
  readonly isTerminating: boolean;
  readonly value: unknown;
}

/** The objects that were created or changed since the scenario began. */
export interface ClusterState {
  readonly objects: readonly StateObject[];
}

/** The revisions of the objects that a scenario starts with, by key. */
export type StartRevisions = ReadonlyMap<string, number>;

/** Kinds that the cluster keeps for itself, or that say when and where something happened. */
const UNCOMPARED = new Set([
  'CertificateSigningRequest',
  'CSINode',
  'ControllerRevision',
  'Endpoints',
  'EndpointSlice',
  'Event',
  'IPAddress',
  'Lease',
  'Node',
  'ServiceCIDR',
]);

/** Kinds whose controllers are part of the cluster: what they create follows from their objects, which are compared. */
const BUILT_IN_OWNERS = new Set([
  'CronJob',
  'DaemonSet',
  'Deployment',
  'Job',
  'Node',
  'ReplicaSet',
  'ReplicationController',
  'Service',
]);

export function startRevisionsOf(cluster: TestCluster): StartRevisions {
  const { entries } = insidesOf(cluster).plane.contents();
  return new Map(entries.map(({ key, modRevision }) => [key, modRevision]));
}

/** What differs from the start, in comparable form. */
export function stateOf(cluster: TestCluster, start: StartRevisions): ClusterState {
  const { entries } = insidesOf(cluster).plane.contents();
  const changed = entries.filter(({ key, modRevision }) => start.get(key) !== modRevision);
  const stored = changed.flatMap(({ value }) => objectIn(Buffer.from(value).toString()));
  const names = new GeneratedNames();
  const ids = new Map<string, string>();
  for (const { object } of stored) names.note(object);
  for (const { object } of stored) ids.set(object.metadata?.uid ?? '', idOf(object, names));
  const kept = stored.filter(({ object }) => isCompared(object));
  const objects = kept.map(({ object, text }): StateObject => {
    const { uid = '', deletionTimestamp } = object.metadata ?? {};
    const plain = JSON.parse(plainText(text, names, ids)) as unknown;
    return {
      id: idOf(object, names),
      kind: object.kind ?? '',
      uid,
      isTerminating: deletionTimestamp !== undefined,
      value: comparable(plain),
    };
  });
  return { objects: [...objects, ...lostFrom(start, new Set(entries.map(({ key }) => key)))] };
}

/** Objects of the start that are gone. */
function lostFrom(start: StartRevisions, keys: ReadonlySet<string>): readonly StateObject[] {
  const lost = [...start.keys()].filter((key) => !keys.has(key) && !/\/(events|leases|ranges)\//.test(key));
  return lost.map((key) => ({ id: `deleted ${key}`, kind: 'deleted', uid: '', isTerminating: false, value: true }));
}

interface StoredObject {
  readonly object: Partial<KubernetesObject>;
  readonly text: string;
}

function objectIn(text: string): readonly StoredObject[] {
  if (!text.startsWith('{')) return []; // ranges of addresses and ports
  const object = JSON.parse(text) as Partial<KubernetesObject>;
  return object.kind === undefined || object.metadata?.name === undefined ? [] : [{ object, text }];
}

export function idOf({ kind = '', metadata }: Partial<KubernetesObject>, names: GeneratedNames): string {
  const { namespace, name = '' } = metadata ?? {};
  return names.plain(`${kind} ${namespace === undefined ? name : `${namespace}/${name}`}`);
}

function isCompared({ kind = '', metadata }: Partial<KubernetesObject>): boolean {
  if (UNCOMPARED.has(kind) || isElectionLock({ metadata: { annotations: metadata?.annotations ?? {} } })) return false;
  const controller = metadata?.ownerReferences?.find((owner) => owner.controller === true);
  if (controller === undefined) return true;
  return !(BUILT_IN_OWNERS.has(controller.kind) && /^(batch|apps|v1|discovery)/.test(controller.apiVersion));
}

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)/g;
/** Where an app of this process or machine answers: another place after each start. */
const OWN_SERVER = /https:\/\/((webhooks|apis)-\d+\.in-process\.invalid|(127\.0\.0\.1|localhost|\[::1\]):\d+)/g;
const ADDRESS = /\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/g;

function plainText(text: string, names: GeneratedNames, ids: ReadonlyMap<string, string>): string {
  return names
    .plain(text)
    .replaceAll(UID, (uid) => `<uid of ${ids.get(uid) ?? 'another'}>`)
    .replaceAll(TIME, '<time>')
    .replaceAll(OWN_SERVER, 'https://<its server>')
    .replaceAll(ADDRESS, '<address>');
}

/** Members of metadata that every run changes. */
const VOLATILE = [
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'generateName',
  'selfLink',
];

/** Annotations that count or describe changes. */
const VOLATILE_ANNOTATIONS = ['deployment.kubernetes.io/revision', 'kubectl.kubernetes.io/last-applied-configuration'];

function comparable(plain: unknown): unknown {
  const { metadata, status, ...rest } = plain as {
    readonly kind?: string;
    readonly metadata: Record<string, unknown>;
    readonly status?: unknown;
  };
  const generation = metadata['generation'];
  const kept = Object.fromEntries(Object.entries(metadata).filter(([name]) => !VOLATILE.includes(name)));
  const annotations = Object.entries((kept['annotations'] as Record<string, unknown> | undefined) ?? {});
  const own = annotations.filter(([name]) => !VOLATILE_ANNOTATIONS.includes(name));
  delete kept['annotations'];
  if (own.length > 0) kept['annotations'] = Object.fromEntries(own);
  const shown = rest.kind === 'Pod' ? podStatus(status) : observed(status, generation);
  return { ...rest, metadata: kept, ...(shown === undefined ? {} : { status: shown }) };
}

/** Of a pod's status only what its users see: the rest counts starts and names containers. */
function podStatus(status: unknown): unknown {
  const { phase, conditions = [] } = (status ?? {}) as {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  return { phase, ready: conditions.find(({ type }) => type === 'Ready')?.status };
}

/** A status whose observed generations say whether they are those of the object. */
function observed(value: unknown, generation: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => observed(item, generation));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      name === 'observedGeneration' && generation !== undefined
        ? member === generation
          ? '<current>'
          : '<old>'
        : observed(member, generation),
    ]),
  );
}
