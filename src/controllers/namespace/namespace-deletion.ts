import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { Namespace } from '../../api/types/core/v1.d.ts';
import { type Clock, describeError, type Logger } from '../../base/index.ts';
import { type Client, hasReason, type ServedKind, type Stored } from '../../client/index.ts';
import { ContentDeletion, isPods, type Leftover } from './content-deletion.ts';
import { deletionConditions, type DeletionFindings, describeDiscoveryFailures } from './namespace-conditions.ts';

const FINALIZER = 'kubernetes';

export interface NamespaceDeletionOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** The result of an attempt: the namespace is done, or its content needs an estimated time to go. */
export type DeletionProgress =
  | { readonly type: 'over' }
  | { readonly type: 'waiting'; readonly estimateSeconds: number };

const OVER: DeletionProgress = { type: 'over' };

interface Emptying {
  readonly estimateSeconds: number;
  readonly findings: DeletionFindings;
}

/** Deletes the content of terminating namespaces, then removes their finalizer. */
export class NamespaceDeletion {
  readonly #client: Client;
  readonly #options: NamespaceDeletionOptions;

  constructor(client: Client, options: NamespaceDeletionOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** One attempt, repeated until the namespace is done. Throws when a failure should be retried soon. */
  async advance(name: string): Promise<DeletionProgress> {
    const found = await this.#get(name);
    if (found?.metadata.deletionTimestamp === undefined) return OVER;
    const namespace = await this.#change(found, (current) => this.#markTerminating(current));
    if (namespace?.metadata.deletionTimestamp === undefined || !isHeld(namespace)) return OVER;
    const { estimateSeconds, findings } = await this.#empty(namespace);
    await this.#report(namespace, findings);
    const failures = [findings.discoveryFailure, ...findings.contentFailures].filter(
      (failure) => failure !== undefined,
    );
    if (failures.length > 0) throw new Error(`Cannot empty namespace "${name}": ${failures.join('; ')}`);
    if (estimateSeconds > 0) return { type: 'waiting', estimateSeconds };
    await this.#change(namespace, (current) => this.#finalize(current));
    return OVER;
  }

  /** Deletes pods first: the objects that they use must outlive them. */
  async #empty(namespace: Stored<Namespace>): Promise<Emptying> {
    const { clock, signal } = this.#options;
    const { kinds, discoveryFailure } = await this.#contentKinds();
    const content = new ContentDeletion(this.#client, namespace.metadata.name, { signal });
    const ageMs = clock.now() - Date.parse(namespace.metadata.deletionTimestamp ?? '');
    const leftovers = new Map<ServedKind, Leftover>();
    const pods = kinds.find(isPods);
    if (pods !== undefined) leftovers.set(pods, await content.deleteAll(pods, ageMs));
    const hasPods = pods !== undefined && (leftovers.get(pods)?.count ?? 0) > 0;
    if (!hasPods) {
      for (const kind of kinds) if (kind !== pods) leftovers.set(kind, await content.deleteAll(kind, ageMs));
    }
    const estimateSeconds = Math.max(0, ...[...leftovers.values()].map((leftover) => leftover.estimateSeconds));
    const findings = { ...findingsOf(leftovers, { isCounted: !hasPods }), discoveryFailure };
    return { estimateSeconds, findings };
  }

  /** One version of each deletable namespaced resource. */
  async #contentKinds(): Promise<{ kinds: readonly ServedKind[]; discoveryFailure: string | undefined }> {
    try {
      const { kinds, failures } = await this.#client.apis.survey({ signal: this.#options.signal });
      const found = new Map<string, ServedKind>();
      for (const kind of kinds) {
        const resource = `${kind.group}/${kind.plural}`;
        const isContent = kind.scope === 'Namespaced' && kind.verbs.includes('delete');
        if (isContent && !found.has(resource)) found.set(resource, kind);
      }
      return { kinds: [...found.values()], discoveryFailure: describeDiscoveryFailures(failures) };
    } catch (error) {
      this.#options.signal.throwIfAborted();
      return { kinds: [], discoveryFailure: describeError(error) };
    }
  }

  /** Never fails: the next attempt writes the conditions again. */
  async #report(namespace: Stored<Namespace>, findings: DeletionFindings): Promise<void> {
    const { clock, log, signal } = this.#options;
    const old = namespace.status?.conditions ?? [];
    const conditions = deletionConditions(old, findings, formatTime(instantOfMillis(clock.now())));
    if (conditions === old) return;
    try {
      const status = { ...namespace.status, conditions };
      await this.#client.core.v1.namespaces.status.update({ ...namespace, status }, { signal });
    } catch (error) {
      log.debug('conditions not written', { namespace: namespace.metadata.name, error: describeError(error) });
    }
  }

  async #markTerminating(namespace: Stored<Namespace>): Promise<Stored<Namespace>> {
    if (namespace.metadata.deletionTimestamp === undefined || namespace.status?.phase === 'Terminating')
      return namespace;
    const status = { ...namespace.status, phase: 'Terminating' } as const;
    const { signal } = this.#options;
    return await this.#client.core.v1.namespaces.status.update({ ...namespace, status }, { signal });
  }

  async #finalize({ kind, apiVersion, metadata, spec }: Stored<Namespace>): Promise<Stored<Namespace>> {
    const others = new Set((spec?.finalizers ?? []).filter((name) => name !== FINALIZER));
    const namespace = { kind, apiVersion, metadata, spec: { ...spec, finalizers: [...others].sort() } };
    const { signal } = this.#options;
    return await this.#client.core.v1.namespaces.subresource<Namespace>('finalize').update(namespace, { signal });
  }

  /** Updates the namespace's current version. Undefined when it is gone. */
  async #change(
    namespace: Stored<Namespace>,
    change: (current: Stored<Namespace>) => Promise<Stored<Namespace>>,
  ): Promise<Stored<Namespace> | undefined> {
    let current: Stored<Namespace> | undefined = namespace;
    while (current !== undefined) {
      try {
        return await change(current);
      } catch (error) {
        if (hasReason(error, 'NotFound')) return undefined;
        if (!hasReason(error, 'Conflict')) throw error;
      }
      current = await this.#get(namespace.metadata.name);
      if (current !== undefined && current.metadata.uid !== namespace.metadata.uid) return undefined;
    }
    return undefined;
  }

  async #get(name: string): Promise<Stored<Namespace> | undefined> {
    try {
      return await this.#client.core.v1.namespaces.get(name, { signal: this.#options.signal });
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }
}

function isHeld({ spec }: Stored<Namespace>): boolean {
  return (spec?.finalizers ?? []).length > 0;
}

/** As upstream, does not count the remaining objects while pods are being deleted. */
function findingsOf(
  leftovers: ReadonlyMap<ServedKind, Leftover>,
  { isCounted }: { readonly isCounted: boolean },
): DeletionFindings {
  const contentFailures: string[] = [];
  const remaining = new Map<string, number>();
  const finalizers = new Map<string, number>();
  for (const [kind, { count, finalizers: held, failure }] of leftovers) {
    if (failure !== undefined) contentFailures.push(failure);
    if (count === 0 || !isCounted) continue;
    remaining.set(`${kind.plural}.${kind.group}`, count);
    for (const [name, number] of held) finalizers.set(name, (finalizers.get(name) ?? 0) + number);
  }
  return { contentFailures, remaining, finalizers };
}
