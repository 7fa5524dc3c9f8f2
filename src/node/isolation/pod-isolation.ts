// How the runtime keeps a pod apart from the machine: the handler of its RuntimeClass, and its user namespace.
import { type Client, hasReason, type Observed, type Pod } from '../../client/index.ts';
import type { IdMapping, RuntimeStatus } from '../runtime/index.ts';
import type { UserNamespaces } from './user-namespaces.ts';

export interface PodIsolation {
  /** Empty for the runtime's default handler. */
  readonly runtimeHandler: string;
  /** The ids of the pod's user namespace; undefined for pods with the users of the machine. */
  readonly userNamespace: IdMapping | undefined;
}

export interface PodIsolationsParts {
  readonly client: Client;
  readonly userNamespaces: UserNamespaces;
  /** What the runtime said last; undefined before it was asked. */
  runtime(): RuntimeStatus | undefined;
}

export class PodIsolations {
  readonly #parts: PodIsolationsParts;

  constructor(parts: PodIsolationsParts) {
    this.#parts = parts;
  }

  /** Throws when the pod's RuntimeClass does not exist, and when its handler has no user namespaces but the pod wants one. */
  async of(pod: Observed<Pod>, signal: AbortSignal): Promise<PodIsolation> {
    const { hostUsers = true } = pod.spec ?? {};
    const runtimeHandler = await this.runtimeHandler(pod, signal);
    if (hostUsers) return { runtimeHandler, userNamespace: undefined };
    this.#checkSupport(runtimeHandler);
    return { runtimeHandler, userNamespace: await this.#parts.userNamespaces.of(pod.metadata.uid) };
  }

  /** The handler of the pod's RuntimeClass; empty for the runtime's default. */
  async runtimeHandler({ spec }: Observed<Pod>, signal: AbortSignal): Promise<string> {
    const { runtimeClassName = '' } = spec ?? {};
    if (runtimeClassName === '') return '';
    try {
      return (await this.#parts.client.node.v1.runtimeclasses.get(runtimeClassName, { signal })).handler;
    } catch (error) {
      if (hasReason(error, 'NotFound')) throw error;
      throw new Error(`failed to lookup RuntimeClass ${runtimeClassName}`, { cause: error });
    }
  }

  /** The files of the pod have been removed. */
  release(podUid: string): void {
    this.#parts.userNamespaces.release(podUid);
  }

  #checkSupport(runtimeHandler: string): void {
    const found = this.#parts.runtime()?.runtimeHandlers.find(({ name }) => name === runtimeHandler);
    if (found?.features.userNamespaces === true) return;
    const what = runtimeHandler === '' ? 'runtime does' : `RuntimeClass handler ${JSON.stringify(runtimeHandler)} does`;
    throw new Error(`can't set \`spec.hostUsers: false\`, ${what} not support user namespaces`);
  }
}
