import type { Clock } from '../../base/index.ts';
import type { ServedKind, Survey } from '../../client/index.ts';

/** A kind that is not known is asked for again no more often than this, unless something has changed. */
const MIN_AGE_MS = 30_000;
const NEEDED_VERBS = ['delete', 'list', 'watch'];
/** Too many, too short-lived, and owned by nobody. */
const IGNORED = new Set(['/events', 'events.k8s.io/events']);

/** Who knows what is served. A client's `apis` does. */
export interface Surveyor {
  survey(options: { readonly signal: AbortSignal }): Promise<Survey>;
}

interface KindName {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Which kinds the server serves: asked once, and again when there is a reason. */
export class KindCatalogue {
  readonly #surveyor: Surveyor;
  readonly #clock: Clock;
  #kinds: readonly ServedKind[] = [];
  #byName = new Map<string, ServedKind>();
  #askedMs = -Infinity;
  #refreshing: Promise<boolean> | undefined;

  constructor(surveyor: Surveyor, clock: Clock) {
    this.#surveyor = surveyor;
    this.#clock = clock;
  }

  /** What there is to watch: one version of each resource whose objects can be deleted. */
  get deletable(): ServedKind[] {
    const found = new Map<string, ServedKind>();
    for (const kind of this.#kinds) {
      const resource = `${kind.group}/${kind.plural}`;
      if (found.has(resource) || IGNORED.has(resource)) continue;
      if (NEEDED_VERBS.every((verb) => kind.verbs.includes(verb))) found.set(resource, kind);
    }
    return [...found.values()];
  }

  /** Something has changed: the next question about an unknown kind goes to the server. */
  expire(): void {
    this.#askedMs = -Infinity;
  }

  /** The kind of this name; undefined when it is not served. */
  async find(wanted: KindName, options: { readonly signal: AbortSignal }): Promise<ServedKind | undefined> {
    const name = nameOf(wanted);
    const known = this.#byName.get(name);
    if (known !== undefined || this.#clock.monotonic() - this.#askedMs < MIN_AGE_MS) return known;
    await this.refresh(options);
    return this.#byName.get(name);
  }

  /** Resolves when it is known what is served: asks the server the first time, when something has changed, and after a failure. */
  async known(options: { readonly signal: AbortSignal }): Promise<void> {
    try {
      if (this.#askedMs === -Infinity) await this.refresh(options);
      else await this.#refreshing;
    } catch (error) {
      this.expire();
      throw error;
    }
  }

  /** Asks the server; tells whether the answer is another one than before. */
  async refresh({ signal }: { readonly signal: AbortSignal }): Promise<boolean> {
    this.#refreshing ??= this.#ask(signal).finally(() => void (this.#refreshing = undefined));
    return await this.#refreshing;
  }

  async #ask(signal: AbortSignal): Promise<boolean> {
    this.#askedMs = this.#clock.monotonic();
    const { kinds, failures } = await this.#surveyor.survey({ signal });
    // what cannot be asked for now has not gone away
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
