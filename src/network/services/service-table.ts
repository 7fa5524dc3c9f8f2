import type { Service } from '../../api/types/core/v1.d.ts';
import type { EndpointSlice } from '../../api/types/discovery/v1.d.ts';
import type { DeepReadonly, Slice } from '../../base/index.ts';
import { chooseEndpoints, type Place } from './choose-endpoints.ts';
import { type IpFamily, isSamePort, type ProxiedPort } from './proxied-port.ts';
import { portKey, readEndpointSlices, serviceOfSlice } from './read-endpoint-slices.ts';
import { readService } from './read-service.ts';

/** What became of one port of a Service; `before` is undefined for a new one, `after` for one that is gone. */
export interface PortChange {
  readonly name: string;
  readonly before: ProxiedPort | undefined;
  readonly after: ProxiedPort | undefined;
}

interface Known {
  service: DeepReadonly<Service> | undefined;
  /** By the slice's name. */
  readonly slices: Map<string, DeepReadonly<EndpointSlice>>;
  ports: readonly ProxiedPort[];
}

/** The part of `Slice` that long work needs: whether it has run for long, and a pause. */
export type Pauses = Pick<Slice, 'isOver' | 'next'>;

/**
 * The ports of all Services in one IP family, resolved for one node. It is given objects as they change, and asked for the
 * difference since it was last asked; what changed back in between is no difference.
 */
export class ServiceTable {
  readonly family: IpFamily;
  #place: Place;
  readonly #known = new Map<string, Known>();
  readonly #ports = new Map<string, ProxiedPort>();
  /** Services that have to be resolved again. */
  readonly #changed = new Set<string>();

  constructor(family: IpFamily, node: string) {
    this.family = family;
    this.#place = { node, zone: undefined };
  }

  /** All ports, as of the last `resolve`. */
  get ports(): ReadonlyMap<string, ProxiedPort> {
    return this.#ports;
  }

  /** How many Services wait to be resolved. */
  get pending(): number {
    return this.#changed.size;
  }

  /** Takes in a Service by its `namespace/name`; undefined when it is gone. */
  setService(key: string, service: DeepReadonly<Service> | undefined): void {
    const known = this.#of(key);
    known.service = service;
    this.#note(key);
  }

  /** Takes in an EndpointSlice. Returns false when it does not concern this family. */
  setSlice(slice: DeepReadonly<EndpointSlice>): boolean {
    const key = this.#serviceOf(slice);
    if (key === undefined) return false;
    this.#of(key).slices.set(slice.metadata?.name ?? '', slice);
    this.#note(key);
    return true;
  }

  removeSlice(slice: DeepReadonly<EndpointSlice>): boolean {
    const key = this.#serviceOf(slice);
    if (key === undefined || this.#known.get(key)?.slices.delete(slice.metadata?.name ?? '') !== true) return false;
    this.#note(key);
    return true;
  }

  /** The zone of the node: undefined without the label. Returns whether it is another one, so that everything is resolved again. */
  setZone(zone: string | undefined): boolean {
    if (zone === this.#place.zone) return false;
    this.#place = { ...this.#place, zone };
    for (const key of this.#known.keys()) this.#note(key);
    return true;
  }

  /** Resolves what has changed, and returns the difference. Calls must not overlap. */
  async resolve(pauses: Pauses): Promise<readonly PortChange[]> {
    const changes: PortChange[] = [];
    for (const key of [...this.#changed]) {
      this.#resolveService(key, changes);
      this.#changed.delete(key); // those left by a failure are resolved the next time
      if (pauses.isOver) await pauses.next();
    }
    return changes;
  }

  #resolveService(key: string, changes: PortChange[]): void {
    const known = this.#known.get(key);
    if (known === undefined) return;
    const before = known.ports;
    const after = this.#portsOf(known);
    for (const port of before) {
      const next = after.find(({ name }) => name === port.name);
      if (next !== undefined && isSamePort(port, next)) continue;
      changes.push({ name: port.name, before: port, after: next });
      if (next === undefined) this.#ports.delete(port.name);
      else this.#ports.set(port.name, next);
    }
    for (const port of after) {
      if (before.some(({ name }) => name === port.name)) continue;
      changes.push({ name: port.name, before: undefined, after: port });
      this.#ports.set(port.name, port);
    }
    known.ports = after;
    if (known.service === undefined && known.slices.size === 0) this.#known.delete(key);
  }

  #portsOf({ service, slices }: Known): readonly ProxiedPort[] {
    if (service === undefined) return [];
    const facts = readService(service, this.family);
    if (facts.length === 0) return [];
    const endpoints = readEndpointSlices(slices.values(), { family: this.family, node: this.#place.node });
    return facts.map((each) => ({
      ...each,
      endpoints: chooseEndpoints(endpoints.get(portKey(each.portName, each.protocol)) ?? [], each, this.#place),
    }));
  }

  #serviceOf(slice: DeepReadonly<EndpointSlice>): string | undefined {
    return slice.addressType === this.family ? serviceOfSlice(slice) : undefined;
  }

  #of(key: string): Known {
    const known = this.#known.get(key) ?? { service: undefined, slices: new Map(), ports: [] };
    this.#known.set(key, known);
    return known;
  }

  #note(key: string): void {
    this.#changed.add(key);
  }
}
