import type { DeviceConstraint } from '../../api/types/resource/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import type { Candidate } from './device.ts';

/** The name of the request that a device is for, and of its subrequest. */
export interface RequestName {
  readonly request: string;
  readonly alternative?: string;
}

/** A constraint on the devices of several requests. */
export interface Constraint {
  /** Adds the device if the constraint allows it beside those added before; otherwise returns false. */
  add(name: RequestName, candidate: Candidate): boolean;
  /** Undoes `add`. */
  remove(name: RequestName): void;
}

export function constraintOf({
  requests = [],
  matchAttribute,
  distinctAttribute,
}: DeepReadonly<DeviceConstraint>): Constraint {
  const attribute = matchAttribute ?? distinctAttribute ?? '';
  const names = new Set(requests);
  const inner = matchAttribute === undefined ? new DistinctValues(attribute) : new SameValue(attribute);
  const concerns = ({ request, alternative }: RequestName): boolean =>
    names.size === 0 || names.has(request) || (alternative !== undefined && names.has(`${request}/${alternative}`));
  return {
    add: (name, candidate) => !concerns(name) || inner.add(name, candidate),
    remove(name) {
      if (concerns(name)) inner.remove(name);
    },
  };
}

class SameValue implements Constraint {
  readonly #attribute: string;
  #value: string | undefined;
  #count = 0;

  constructor(attribute: string) {
    this.#attribute = attribute;
  }

  add(_: RequestName, candidate: Candidate): boolean {
    const value = valueOf(candidate, this.#attribute);
    if (value === undefined || (this.#count > 0 && value !== this.#value)) return false;
    this.#value = value;
    this.#count += 1;
    return true;
  }

  remove(): void {
    this.#count -= 1;
  }
}

/** As in kube-scheduler 1.36, a device is compared with the last device of each request, not with all of them. */
class DistinctValues implements Constraint {
  readonly #attribute: string;
  readonly #values = new Map<string, string>();
  #count = 0;

  constructor(attribute: string) {
    this.#attribute = attribute;
  }

  add({ request }: RequestName, candidate: Candidate): boolean {
    const value = valueOf(candidate, this.#attribute);
    if (value === undefined) return false;
    if (this.#count > 0 && [...this.#values.values()].includes(value)) return false;
    this.#values.set(request, value);
    this.#count += 1;
    return true;
  }

  remove({ request }: RequestName): void {
    this.#values.delete(request);
    this.#count -= 1;
  }
}

/** The value of an attribute with its type; an unqualified name is in the driver's domain. */
function valueOf({ device, slice }: Candidate, name: string): string | undefined {
  const { attributes = {} } = device;
  const domain = `${slice.spec.driver}/`;
  const attribute = attributes[name] ?? (name.startsWith(domain) ? attributes[name.slice(domain.length)] : undefined);
  const [type, value] = Object.entries(attribute ?? {}).find(([, each]) => each !== undefined) ?? [];
  return type === undefined ? undefined : `${type}:${String(value)}`;
}
