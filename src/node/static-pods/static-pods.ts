import { numberOfInt64 } from '../../api/client.ts';
import type * as core from '../../api/types/core/v1.d.ts';
import { type Clock, deepEqual } from '../../base/index.ts';
import { keyOf, type Observed, type Pod } from '../../client/index.ts';

const DEFAULT_GRACE_SECONDS = 30;
const SEEN = 'kubernetes.io/config.seen';

interface Entry {
  readonly source: string;
  readonly pod: Observed<Pod>;
  /** The pod that takes the place of `pod` when that has ended. */
  readonly next: Observed<Pod> | undefined;
}

export interface StaticPodsParts {
  readonly clock: Clock;
  /** The sources that are read; orphans of mirror pods stay until each was read once. */
  readonly sources: readonly string[];
  changed(key: string): void;
}

/** The pods that a node runs by itself. A pod whose manifest is gone ends with its grace period, and only then the next one of its name starts. */
export class StaticPods {
  readonly #parts: StaticPodsParts;
  readonly #entries = new Map<string, Entry>();
  readonly #unread: Set<string>;

  constructor(parts: StaticPodsParts) {
    this.#parts = parts;
    this.#unread = new Set(parts.sources);
  }

  /** True when all sources have been read once. */
  get isReady(): boolean {
    return this.#unread.size === 0;
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }

  get(key: string): Observed<Pod> | undefined {
    return this.#entries.get(key)?.pod;
  }

  /** The pods of a source are these from now on. */
  replace(source: string, pods: readonly core.Pod[]): void {
    this.#unread.delete(source);
    const given = new Map(pods.map((pod) => asObserved(pod)).map((pod) => [keyOf(pod), pod]));
    for (const [key, entry] of this.#entries)
      if (entry.source === source && !given.has(key))
        this.#set(key, { ...entry, pod: this.#ending(entry.pod), next: undefined });
    for (const [key, pod] of given) this.#put(key, source, pod);
  }

  /** Nothing of a pod that was to end runs any more. */
  ended(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    if (entry.next === undefined) this.#entries.delete(key);
    else this.#entries.set(key, { ...entry, pod: entry.next, next: undefined });
    this.#parts.changed(key);
  }

  #put(key: string, source: string, pod: Observed<Pod>): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return this.#set(key, { source, pod, next: undefined });
    if (entry.source !== source) return; // the name is taken
    const isSame = entry.pod.metadata.uid === pod.metadata.uid;
    const isEnding = entry.pod.metadata.deletionTimestamp !== undefined;
    if (isSame && !isEnding) {
      if (!deepEqual(content(entry.pod), content(pod))) this.#set(key, { source, pod, next: undefined });
    } else {
      this.#set(key, { source, pod: isEnding ? entry.pod : this.#ending(entry.pod), next: pod });
    }
  }

  #set(key: string, entry: Entry): void {
    this.#entries.set(key, entry);
    this.#parts.changed(key);
  }

  #ending(pod: Observed<Pod>): Observed<Pod> {
    const { metadata, spec } = pod;
    if (metadata.deletionTimestamp !== undefined) return pod;
    const graceSeconds = numberOfInt64(spec?.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
    const endMs = this.#parts.clock.now() + graceSeconds * 1000;
    return {
      ...pod,
      metadata: {
        ...metadata,
        deletionTimestamp: new Date(endMs).toISOString(),
        deletionGracePeriodSeconds: graceSeconds,
      },
    };
  }
}

/** A pod that was checked, in the form in which the API would return it. */
function asObserved(pod: core.Pod): Observed<Pod> {
  const { metadata = {}, status } = pod;
  const { name = '', uid = '' } = metadata;
  const whole = { ...metadata, name, uid, resourceVersion: '' };
  return { ...pod, metadata: whole, status: { ...status, phase: 'Pending' } } as Observed<Pod>;
}

/** Everything but when the manifest was read. */
function content({ metadata, spec }: Observed<Pod>): object {
  const { [SEEN]: _, ...annotations } = metadata.annotations ?? {};
  return { metadata: { ...metadata, annotations }, spec };
}
