import type { APIGroupList } from '../../api/types/meta/v1.d.ts';
import type { Clock } from '../../base/index.ts';
import type { Client, ServedKind } from '../../client/index.ts';

/** Discovery results that are in doubt are refreshed after this time. */
const MAX_AGE_MS = 30_000;
/** Minimum interval between discoveries for an unknown kind. */
const MIN_AGE_MS = 1000;

/** Discovery of scalable kinds. */
export class ServedTargets {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #groups = new Map<string, { readonly versions: readonly string[]; readonly askedMs: number }>();
  #askedMs = -Infinity;

  constructor(client: Client, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * The resources of a kind, in the server's order of preference, without duplicates. A kind that was found once is not looked for
   * again until `doubt` is called, so that syncs that succeed need no discovery.
   */
  async find(group: string, kind: string, signal: AbortSignal): Promise<readonly ServedKind[]> {
    const known = select(await this.#kinds(Infinity, signal), group, kind);
    return known.length > 0 ? known : select(await this.#kinds(MIN_AGE_MS, signal), group, kind);
  }

  /** To be called when a kind cannot be used. Returns whether the next `find` asks the server again, because the last answer is old. */
  doubt(): boolean {
    const isOld = this.#clock.monotonic() - this.#askedMs >= MAX_AGE_MS;
    if (isOld) this.#askedMs = -Infinity;
    return isOld;
  }

  /** The served versions of a group, with or without resources; the preferred one first. */
  async versionsOf(group: string, signal: AbortSignal): Promise<readonly string[]> {
    const known = this.#groups.get(group);
    const maxAgeMs = known?.versions.length === 0 ? MIN_AGE_MS : MAX_AGE_MS;
    if (known !== undefined && this.#clock.monotonic() - known.askedMs < maxAgeMs) return known.versions;
    const askedMs = this.#clock.monotonic();
    const { groups } = (await this.#client.request({ method: 'GET', path: '/apis', signal })) as APIGroupList;
    const found = groups.find(({ name }) => name === group);
    const first = found?.preferredVersion?.version;
    const others = (found?.versions ?? []).map(({ version }) => version).filter((version) => version !== first);
    const versions = first === undefined ? others : [first, ...others];
    this.#groups.set(group, { versions, askedMs });
    return versions;
  }

  async #kinds(maxAgeMs: number, signal: AbortSignal): Promise<readonly ServedKind[]> {
    const nowMs = this.#clock.monotonic();
    if (this.#askedMs === -Infinity || nowMs - this.#askedMs >= maxAgeMs) {
      this.#client.apis.forget();
      this.#askedMs = nowMs;
    }
    return await this.#client.apis.kinds({ signal });
  }
}

function select(kinds: readonly ServedKind[], group: string, kind: string): readonly ServedKind[] {
  const found = new Map<string, ServedKind>();
  for (const each of kinds)
    if (each.group === group && each.kind === kind && !found.has(each.plural)) found.set(each.plural, each);
  return [...found.values()];
}
