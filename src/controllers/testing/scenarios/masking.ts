import type { KubernetesObject, Observed } from '../../../client/index.ts';

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
/** Metadata that differs between runs or does not matter. */
const LEFT_OUT = new Set(['uid', 'resourceVersion', 'managedFields', 'creationTimestamp', 'namespace', 'selfLink']);
/** Pod names in messages, possibly of pods that were never observed. */
const POD_IN_MESSAGE = /((?:pod: |pods? ")[a-z0-9-]+-)[a-z0-9]{5}\b/gi;
/** The number of characters that the API server appends to `generateName`. */
const SUFFIX_LENGTH = 5;

/** Replaces what differs between runs: uids, times, generated name suffixes, the namespace's name. */
export class Masking {
  readonly #namespace: string;
  readonly #more: readonly (readonly [RegExp, string])[];
  readonly #uids = new Map<string, string>();
  readonly #names = new Map<string, string>();

  constructor(namespace: string, more: readonly (readonly [RegExp, string])[] = []) {
    this.#namespace = namespace;
    this.#more = more;
  }

  /** Records an object's name and uid, to replace them where other objects mention them. */
  learn(kind: string, { metadata: { name, uid, generateName } }: Observed<KubernetesObject>): void {
    if (
      generateName !== undefined &&
      name.startsWith(generateName) &&
      name.length === generateName.length + SUFFIX_LENGTH
    )
      this.#names.set(name, `${name.slice(0, -SUFFIX_LENGTH)}${'?'.repeat(SUFFIX_LENGTH)}`);
    this.#uids.set(uid, `<uid of ${kind} ${this.text(name)}>`);
  }

  knows(uid: string): boolean {
    return this.#uids.has(uid);
  }

  metadata(metadata: Readonly<Record<string, unknown>>): object {
    const { deletionTimestamp, ...kept } = Object.fromEntries(
      Object.entries(metadata).filter(([name]) => !LEFT_OUT.has(name)),
    );
    return deletionTimestamp === undefined ? kept : { ...kept, isDeleted: true };
  }

  /** The masked value, with members sorted by name. */
  value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.value(each));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const masked = members.map(([name, member]) => [this.text(name), this.value(member)] as const);
    return Object.fromEntries(masked.toSorted(([left], [right]) => (left < right ? -1 : 1)));
  }

  text(text: string): string {
    let masked = text;
    for (const [name, shown] of this.#names) masked = masked.replaceAll(name, shown);
    masked = masked
      .replaceAll(this.#namespace, 'here')
      .replaceAll(UID, (uid) => this.#uids.get(uid) ?? '<uid>')
      .replaceAll(TIME, '<time>')
      .replaceAll(POD_IN_MESSAGE, '$1?????');
    for (const [pattern, shown] of this.#more) masked = masked.replaceAll(pattern, shown);
    return masked;
  }
}
