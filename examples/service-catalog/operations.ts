import type { Observed, ReconcileContext, StatedCondition } from 'keelson';
import {
  type BrokerClient,
  type BrokerReply,
  BrokerUnreachable,
  type OriginatingIdentity,
  type OsbProvisionRequest,
} from 'keelson/broker';
import { Namespace, Secret } from 'keelson';
import { type Connect, connectionOf } from './catalog.ts';
import type { ServiceInstance } from './kinds.ts';
import { brokerOf, type Problem } from './resolve.ts';

type Context = Pick<ReconcileContext, 'objects' | 'clock' | 'signal'> & { readonly connect: Connect };
type UserInfo = Observed<ServiceInstance>['spec']['userInfo'];

const FIRST_RETRY_MS = 5000;
const LAST_RETRY_MS = 10 * 60_000;
const FIRST_POLL_MS = 1000;
const LAST_POLL_MS = 5 * 60_000;
/** After this, work in the background has failed, unless the plan says something else. */
const MAX_WORK_MS = 7 * 24 * 60 * 60_000;

/** A call of the broker whose key an object remembers: its answer, or that there is none; a problem when the broker cannot be called. */
export async function ask(
  broker: string,
  { objects, signal, connect }: Pick<Context, 'objects' | 'signal' | 'connect'>,
  call: (client: BrokerClient) => Promise<BrokerReply>,
): Promise<BrokerReply | BrokerUnreachable | Problem> {
  const found = brokerOf(broker, objects);
  if (found === undefined) return { reason: 'ReferencesNonexistentBroker', message: `There is no broker "${broker}".` };
  let client: BrokerClient;
  try {
    client = connect(connectionOf(found, (key) => objects(Secret).get(key)));
  } catch (error) {
    return { reason: 'ErrorGettingAuthCredentials', message: error instanceof Error ? error.message : String(error) };
  }
  using _closing = client;
  try {
    return await call(client);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof BrokerUnreachable) return error;
    throw error;
  }
}

export function isProblem<T extends object>(value: T | Problem): value is Problem {
  return 'reason' in value && 'message' in value && !(value instanceof Error);
}

/** Now, as status fields have it. */
export function timeOf(clock: { now(): number }): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
}

/** How long until a request is made again: longer, the longer it has failed. */
export function retryMs(startedAt: string | undefined, now: number): number {
  return Math.min(Math.max(sinceMs(startedAt, now), FIRST_RETRY_MS), LAST_RETRY_MS);
}

/** How long until work in the background is looked at again. */
export function pollMs(startedAt: string | undefined, now: number): number {
  return Math.min(Math.max(sinceMs(startedAt, now) / 4, FIRST_POLL_MS), LAST_POLL_MS);
}

export function hasTakenTooLong(startedAt: string | undefined, now: number, maxSeconds: number | undefined): boolean {
  return sinceMs(startedAt, now) > (maxSeconds === undefined ? MAX_WORK_MS : maxSeconds * 1000);
}

function sinceMs(startedAt: string | undefined, now: number): number {
  return startedAt === undefined ? 0 : now - Date.parse(startedAt);
}

/** Who changed an object last, for the broker. */
export function originatorOf(user: UserInfo): OriginatingIdentity | undefined {
  if (user === undefined) return undefined;
  const { username, uid, groups = [], extra = {} } = user;
  return { platform: 'kubernetes', value: { username, uid, groups: [...groups], extra: { ...extra } } };
}

/** What brokers learn of the place, by the profile of Kubernetes. */
export function contextOf({ metadata }: Observed<ServiceInstance>, objects: Context['objects']) {
  const { namespace = '', name } = metadata;
  const uid = objects(Namespace).get(namespace)?.metadata.uid ?? namespace;
  const clusterid = objects(Namespace).get('kube-system')?.metadata.uid ?? '';
  return {
    organization_guid: uid,
    space_guid: uid,
    context: { platform: 'kubernetes', namespace, clusterid, instance_name: name },
  } satisfies Partial<OsbProvisionRequest>;
}

/** The fields of a status that go when an operation is over. */
export const ENDED = {
  currentOperation: undefined,
  operationStartTime: undefined,
  inProgressProperties: undefined,
} as const;

/** How things stand after a run. */
export interface Standing {
  readonly ready: StatedCondition['status'];
  readonly reason: string;
  readonly message: string;
  /** For good, until the spec changes. */
  readonly hasFailed?: boolean;
}

export function conditionsOf({ ready, reason, message, hasFailed = false }: Standing): StatedCondition[] {
  const stated: StatedCondition[] = [{ type: 'Ready', status: ready, reason, message }];
  if (hasFailed) stated.push({ type: 'Failed', status: true, reason, message });
  return stated;
}

/** Whether an object has failed for good, and its spec is still the one that failed. */
export function isGivenUp({ status, metadata }: Judged): boolean {
  const isFailed = status?.conditions.some(({ type, status: is }) => type === 'Failed' && is === 'True') === true;
  return isFailed && status?.reconciledGeneration === metadata.generation;
}

interface Judged {
  readonly metadata: { readonly generation?: number };
  readonly status?: {
    readonly reconciledGeneration: number;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
  };
}
