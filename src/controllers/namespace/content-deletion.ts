import { numberOfInt64 } from '../../api/client.ts';
import { isFinished } from '../../api/meaning/index.ts';
import type { Pod } from '../../api/types/core/v1.d.ts';
import {
  type Client,
  type Kind,
  type KubernetesObject,
  type Observed,
  Pod as PodKind,
  type ServedKind,
  StatusError,
} from '../../client/index.ts';

/** Estimated time that finalizers take, in seconds. */
const FINALIZER_ESTIMATE_SECONDS = 15;

/** Objects of one kind that still exist after their deletion was requested. */
export interface Leftover {
  readonly count: number;
  /** The number of objects per finalizer. */
  readonly finalizers: ReadonlyMap<string, number>;
  /** Estimated seconds until they are gone; 0 when they should be gone already. */
  readonly estimateSeconds: number;
  /** Why the deletion failed. */
  readonly failure?: string;
}

const NOTHING: Leftover = { count: 0, finalizers: new Map(), estimateSeconds: 0 };

/** Deletes all objects of a namespace, kind by kind. */
export class ContentDeletion {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #signal: AbortSignal;

  constructor(client: Client, namespace: string, options: { readonly signal: AbortSignal }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#signal = options.signal;
  }

  /** Deletes all objects of a kind and returns what is left. `ageMs` is the time since the namespace's deletion. */
  async deleteAll(kind: ServedKind, ageMs: number): Promise<Leftover> {
    let estimateSeconds = 0;
    try {
      const graceSeconds = isPods(kind) ? await this.#longestGracePeriod() : 0;
      if (ageMs < graceSeconds * 1000) estimateSeconds = graceSeconds;
      if (!(await this.#deleteCollection(kind))) await this.#deleteEach(kind);
      return this.#leftover(kind, (await this.#list(kind)) ?? [], estimateSeconds);
    } catch (error) {
      this.#signal.throwIfAborted();
      return { ...NOTHING, estimateSeconds, failure: error instanceof Error ? error.message : String(error) };
    }
  }

  #leftover(kind: ServedKind, left: readonly Observed<KubernetesObject>[], estimateSeconds: number): Leftover {
    if (left.length === 0) return NOTHING;
    const finalizers = new Map<string, number>();
    for (const { metadata } of left) {
      for (const name of metadata.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    const found = { count: left.length, finalizers };
    if (estimateSeconds > 0) return { ...found, estimateSeconds };
    if (finalizers.size > 0) return { ...found, estimateSeconds: FINALIZER_ESTIMATE_SECONDS };
    const resource = `${kind.group}/${kind.version}, Resource=${kind.plural}`;
    const failure = `unexpected items still remain in namespace: ${this.#namespace} for gvr: ${resource}`;
    return { ...found, estimateSeconds, failure };
  }

  /** False when the server does not support it. */
  async #deleteCollection(kind: ServedKind): Promise<boolean> {
    if (!kind.verbs.includes('deletecollection')) return false;
    const deletion = this.#in(kind).deleteCollection({ propagationPolicy: 'Background', signal: this.#signal });
    return (await unlessUnsupported(deletion.then(() => true))) ?? false;
  }

  async #deleteEach(kind: ServedKind): Promise<void> {
    const resource = this.#in(kind);
    for (const { metadata } of (await this.#list(kind)) ?? []) {
      await unlessUnsupported(
        resource.delete(metadata.name, { propagationPolicy: 'Background', signal: this.#signal }),
      );
    }
  }

  /** Undefined when the server does not support it. */
  async #list(kind: ServedKind): Promise<readonly Observed<KubernetesObject>[] | undefined> {
    if (!kind.verbs.includes('list')) return undefined;
    return (await unlessUnsupported(this.#in(kind).metadata().list({ signal: this.#signal })))?.items;
  }

  async #longestGracePeriod(): Promise<number> {
    const { items } = await this.#client.kindIn<Pod>(PodKind, this.#namespace).list({ signal: this.#signal });
    return Math.max(
      0,
      ...items
        .filter((pod) => !isFinished(pod))
        .map(({ spec }) => numberOfInt64(spec?.terminationGracePeriodSeconds ?? 0)),
    );
  }

  #in(kind: Kind): ReturnType<Client['kindIn']> {
    return this.#client.kindIn(kind, this.#namespace);
  }
}

export function isPods({ group, plural }: Kind): boolean {
  return group === '' && plural === 'pods';
}

/** Undefined when the server does not support the request for the kind, or the object is gone. */
async function unlessUnsupported<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof StatusError && (error.code === 404 || error.code === 405)) return undefined;
    throw error;
  }
}
