import { AddressSet } from './address-set.ts';
import type { PolicedPod } from './policed-pod.ts';
import type { PortStatement } from './policy-statement.ts';
import type { ResolvedPort, SetId } from './resolved-policy.ts';

type PortName = Required<Pick<PortStatement, 'protocol'>> & { readonly port: string };

interface KnownName<User> {
  readonly users: Set<User>;
  /** The addresses of the pods that have given the name to this port. */
  readonly numbers: Map<number, AddressSet>;
}

/**
 * Names of ports that rules use, with the numbers that pods have given them.
 *
 * Example: with `http` on 80 in one pod and on 8080 in two, a rule about it is one about 80 to one address and 8080 to two others.
 */
export class NamedPorts<User> {
  readonly #names = new Map<string, KnownName<User>>();
  readonly #pods: () => Iterable<PolicedPod>;
  readonly #numbersChanged: (user: User) => void;

  /** `numbersChanged` is called with each user of a name that stands for other numbers now. */
  constructor(pods: () => Iterable<PolicedPod>, numbersChanged: (user: User) => void) {
    this.#pods = pods;
    this.#numbersChanged = numbersChanged;
  }

  /** The sets of addresses by id. */
  *sets(): Generator<[SetId, AddressSet]> {
    for (const [name, { numbers }] of this.#names)
      for (const [port, addresses] of numbers) yield [setId(name, port), addresses];
  }

  use(port: PortName, user: User): void {
    const id = nameOf(port);
    const known = this.#names.get(id);
    if (known !== undefined) return void known.users.add(user);
    this.#names.set(id, { users: new Set([user]), numbers: new Map() });
    for (const pod of this.#pods()) this.podChanged(undefined, pod, id);
  }

  release(port: PortName, user: User): void {
    const known = this.#names.get(nameOf(port));
    known?.users.delete(user);
    if (known?.users.size === 0) this.#names.delete(nameOf(port));
  }

  /** What the name stands for, in the order of the numbers. */
  resolve({ protocol, port }: PortName): readonly ResolvedPort[] {
    const name = nameOf({ protocol, port });
    const numbers = [...(this.#names.get(name)?.numbers.keys() ?? [])].toSorted((left, right) => left - right);
    return numbers.map((number) => ({
      protocol,
      first: number,
      last: number,
      destinations: setId(name, number),
    }));
  }

  /** With `only`, the change concerns one name. */
  podChanged(before: PolicedPod | undefined, after: PolicedPod | undefined, only?: string): void {
    if (this.#names.size === 0) return;
    for (const { number, known } of this.#used(after, only)) {
      const addresses = known.numbers.get(number) ?? new AddressSet();
      addresses.add(after?.addresses ?? []);
      if (!known.numbers.has(number)) this.#renumber(known, () => known.numbers.set(number, addresses));
    }
    for (const { number, known } of this.#used(before, only)) {
      const addresses = known.numbers.get(number);
      addresses?.remove(before?.addresses ?? []);
      if (addresses?.size === 0) this.#renumber(known, () => known.numbers.delete(number));
    }
  }

  *#used(pod: PolicedPod | undefined, only: string | undefined): Generator<{ number: number; known: KnownName<User> }> {
    if (pod === undefined || pod.addresses.length === 0) return;
    for (const { name, protocol, port } of pod.ports) {
      const id = nameOf({ protocol, port: name });
      const known = only === undefined || only === id ? this.#names.get(id) : undefined;
      if (known !== undefined) yield { number: port, known };
    }
  }

  #renumber({ users }: KnownName<User>, change: () => void): void {
    change();
    for (const user of users) this.#numbersChanged(user);
  }
}

function nameOf({ protocol, port }: PortName): string {
  return `${protocol} ${port}`;
}

function setId(name: string, number: number): SetId {
  return `ports ${name} ${number}`;
}
