import type { Binding, Pod, ServiceAccount } from '../../api/types/core/v1.d.ts';
import type { TokenRequest } from '../../api/types/authentication/v1.d.ts';
import type { Eviction } from '../../api/types/policy/v1.d.ts';
import type { CallOptions } from '../request/api-request.ts';
import { type DeleteOptions, deleteBody, type WriteOptions } from './options.ts';
import type { ResourceClient } from './resource-client.ts';

export interface LogOptions extends CallOptions {
  /** The container; needed when the pod has several. */
  readonly container?: string;
  /** Goes on as the container writes. */
  readonly follow?: boolean;
  /** Of the container's life before this one. */
  readonly previous?: boolean;
  readonly sinceSeconds?: number;
  /** RFC 3339. */
  readonly sinceTime?: string;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  /** Each line begins with its time. */
  readonly timestamps?: boolean;
}

/** What a container wrote, as text while it comes: pieces of any length, whole characters. */
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

/** Asks for a pod to be deleted, unless a PodDisruptionBudget forbids it: then it fails with 429 TooManyRequests. */
export async function evictPod(pods: ResourceClient<Pod>, name: string, options: DeleteOptions = {}): Promise<void> {
  const eviction = {
    kind: 'Eviction',
    apiVersion: 'policy/v1',
    metadata: { name },
    deleteOptions: deleteBody(options),
  } as Eviction;
  // a budget that forbids it now is an answer, not a busy server
  await pods.subresource<Eviction>('eviction').create(name, eviction, { maxRetries: 0, ...options });
}

/** Puts a pod on a node, as schedulers do. With `uid` only that very pod, not another that has got its name since. */
export async function bindPod(
  pods: ResourceClient<Pod>,
  name: string,
  options: WriteOptions & { readonly node: string; readonly uid?: string },
): Promise<void> {
  const target = { kind: 'Node', apiVersion: 'v1', name: options.node };
  const binding: Binding = { kind: 'Binding', apiVersion: 'v1', metadata: { name, uid: options.uid }, target };
  await pods.subresource<Binding>('binding').create(name, binding, options);
}

export interface IssuedToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/** A token for a service account, as kubelets put into pods. */
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
