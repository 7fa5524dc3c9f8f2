import type { Binding, Pod, ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { TokenRequest } from '../../api/types/authentication/v1.d.ts';
import type { Eviction } from '../../api/types/policy/v1.d.ts';
import type { CallOptions } from '../request/api-request.ts';
import { type DeleteOptions, deleteBody, type WriteOptions } from './options.ts';
import type { ResourceClient } from './resource-client.ts';

/** Which part of a container's log is read. */
export interface LogOptions extends CallOptions {
  /** Required when the pod has several containers. */
  readonly container?: string;
  /** Keeps the stream open and yields new output. */
  readonly follow?: boolean;
  /** Reads the log of the container's previous run. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Each line begins with its time. */
  readonly timestamps?: boolean;
}

/** Streams a container's log as text, in pieces of any length that never split a character. */
export async function* podLog(
  pods: ResourceClient<Pod>,
  name: string,
  options: LogOptions = {},
): AsyncGenerator<string> {
  const { signal, timeout, maxRetries, ...query } = options;
  const decoder = new TextDecoder();
  for await (const chunk of pods.subresource('log').chunks(name, query, { signal, timeout, maxRetries })) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
}

/** Evicts a pod. Fails with 429 TooManyRequests if a PodDisruptionBudget forbids it. */
export async function evictPod(pods: ResourceClient<Pod>, name: string, options: DeleteOptions = {}): Promise<void> {
  const eviction = {
    kind: 'Eviction',
    apiVersion: 'policy/v1',
    metadata: { name },
    deleteOptions: deleteBody(options),
  } as Eviction;
  // this 429 is a budget's refusal, not a busy server
  await pods.subresource<Eviction>('eviction').create(name, eviction, { maxRetries: 0, ...options });
}

/** Binds a pod to a node, as schedulers do. With `uid`, only that pod, not a later one of the same name. */
export async function bindPod(
  pods: ResourceClient<Pod>,
  name: string,
  options: WriteOptions & { readonly node: string; readonly uid?: string },
): Promise<void> {
  const target = { kind: 'Node', apiVersion: 'v1', name: options.node };
  const binding: Binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name, uid: options.uid }, target };
  await pods.subresource<Binding>('binding').create(name, binding, options);
}

/** A token of a service account, and when it expires. */
export interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** Requests a token for a service account, as kubelets do for pods. */
export async function requestToken(
  accounts: ResourceClient<ServiceAccount>,
  name: string,
  options: WriteOptions & { readonly spec?: Partial<TokenRequest['spec']> } = {},
): Promise<IssuedToken> {
  const spec = { audiences: [], ...options.spec };
  const request: TokenRequest = { kind: 'TokenRequest', apiVersion: 'authentication.k8s.io/v1', spec };
  const { status } = await accounts.subresource<TokenRequest>('token').create(name, request, options);
  const { token = '', expirationTimestamp = '' } = status ?? {};
  if (token === '') throw new Error(`Cannot get a token for service account "${name}": the answer has none`);
  return { token, expirationTimestamp };
}
