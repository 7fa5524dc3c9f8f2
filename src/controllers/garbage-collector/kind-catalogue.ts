import type { Clock } from '../../base/index.ts';
import type { ServedKind, Survey } from '../../client/index.ts';

/** Minimum interval between discoveries for an unknown kind, unless the served kinds changed. */
const MIN_AGE_MS = 30_000;
const NEEDED_VERBS = ['delete', 'list', 'watch'];
/** Ignored: too many, too short-lived, and without owners. */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);

/** Runs discovery. A client's `apis` implements it. */
export interface KindDiscovery {
  survey(options: { readonly signal: AbortSignal }): Promise<Survey>;
}

interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The kinds that the API server serves, discovered once and again on demand. */
export class KindCatalogue {
  readonly #surveyor: KindDiscovery;
  readonly #clock: Clock;
  #kinds: readonly ServedKind[] = [];
  #byName = new Map<string, ServedKind>();
  #askedMs = -Infinity;
  #refreshing: Promise<boolean> | undefined;

  constructor(surveyor: KindDiscovery, clock: Clock) {
    this.#surveyor = surveyor;
    this.#clock = clock;
  }

  /** The kinds to watch: one version of each deletable resource. */
  get deletable(): ServedKind[] {
    const found = new Map<string, ServedKind>();
    for (const kind of this.#kinds) {
      const resource = `${kind.group}/${kind.plural}`;
      if (found.has(resource) || IGNORED.has(resource)) continue;
      if (NEEDED_VERBS.every((verb) => kind.verbs.includes(verb))) found.set(resource, kind);
    }
    return [...found.values()];
  }

  /** Forces a discovery at the next lookup of an unknown kind. */
  expire(): void {
    this.#askedMs = -Infinity;
  }

  /** The served kind with this name; undefined when it is not served. */
  async find(wanted: KindName, options: { readonly signal: AbortSignal }): Promise<ServedKind | undefined> {
    const name = nameOf(wanted);
    const known = this.#byName.get(name);
    if (known !== undefined || this.#clock.monotonic() - this.#askedMs < MIN_AGE_MS) return known;
    await this.refresh(options);
    return this.#byName.get(name);
  }

  /** Resolves when discovery has succeeded: runs it the first time, after a change, and after a failure. */
  async known(options: { readonly signal: AbortSignal }): Promise<void> {
    try {
      if (this.#askedMs === -Infinity) await this.refresh(options);
      else await this.#refreshing;
    } catch (error) {
      this.expire();
      throw error;
    }
  }

  /** Runs discovery; returns whether the result changed. */
  async refresh({ signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    this.#refreshing ??= this.#ask(signal).finally(() => void (this.#refreshing = undefined));
    return await this.#refreshing;
  }

  async #ask(signal: AbortSignal): Promise<boolean> {
    this.#askedMs = this.#clock.monotonic();
    const { kinds, failures } = await this.#surveyor.survey({ signal });
    // kinds of a group that failed now are still considered served
    const remembered = this.#kinds.filter(({ apiVersion }) => failures.has(apiVersion));
    const all = [...kinds, ...remembered];
    const isOther = describe(all) !== describe(this.#kinds);
    this.#kinds = all;
    this.#byName = new Map();
    for (const kind of all) {
      const name = nameOf(kind);
      if (!this.#byName.has(name)) this.#byName.set(name, kind);
    }
    return isOther;
  }
}

function describe(kinds: readonly ServedKind[]): string {
  return kinds
    .map(({ apiVersion, plural }) => `${apiVersion}/${plural}`)
    .sort()
    .join(' ');
}

function nameOf({ apiVersion, kind }: KindName): string {
  return `${apiVersion} ${kind}`;
}
