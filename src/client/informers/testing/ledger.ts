// Checks the notifications of a handler: no repetition, nothing out of order, and each consistent with the ones before.
import type { KubernetesObject, Observed } from '../../kind.ts';
import type { Handler } from '../handler-registration.ts';

export class Ledger implements Handler<KubernetesObject> {
  /** The objects according to the notifications: `name` to `uid@resourceVersion`. */
  readonly state = new Map<string, string>();
  /** All notifications about each object, oldest first. */
  readonly history = new Map<string, string[]>();
  readonly problems: string[] = [];
  readonly #received = new Set<string>();

  add(object: Observed<KubernetesObject>): void {
    if (this.state.has(object.metadata.name)) this.problems.push(`${say(object)} was added twice`);
    this.#note('add', object);
    this.state.set(object.metadata.name, say(object));
  }

  update(object: Observed<KubernetesObject>, old: Observed<KubernetesObject>): void {
    const known = this.state.get(object.metadata.name);
    if (known !== say(old)) this.problems.push(`${say(object)} was updated from ${say(old)}, but ${known} was there`);
    if (object.metadata.uid !== old.metadata.uid) this.problems.push(`${say(object)} is not an update of ${say(old)}`);
    if (!isAfter(object, old)) this.problems.push(`${say(object)} went back in time from ${say(old)}`);
    this.#note('update', object);
    this.state.set(object.metadata.name, say(object));
  }

  delete(object: Observed<KubernetesObject>): void {
    const known = this.state.get(object.metadata.name);
    if (known === undefined) this.problems.push(`${say(object)} was deleted, but was not there`);
    else if (!known.startsWith(`${object.metadata.uid}@`))
      this.problems.push(`${say(object)} was deleted, but ${known} was there`);
    this.#note('delete', object);
    this.state.delete(object.metadata.name);
  }

  #note(what: string, object: Observed<KubernetesObject>): void {
    const line = `${what} ${say(object)}`;
    if (this.#received.has(line)) this.problems.push(`received twice: ${line}`);
    this.#received.add(line);
    const history = this.history.get(object.metadata.name) ?? [];
    history.push(line);
    this.history.set(object.metadata.name, history);
  }
}

export function say({ metadata }: Observed<KubernetesObject>): string {
  return `${metadata.uid}@${metadata.resourceVersion}`;
}

function isAfter(left: Observed<KubernetesObject>, right: Observed<KubernetesObject>): boolean {
  return BigInt(left.metadata.resourceVersion) > BigInt(right.metadata.resourceVersion);
}
