import type { DeepReadonly } from '../../base/index.ts';
import type { Pod } from '../types/core/v1.d.ts';
import { isSidecar } from './containers.ts';

/** A node port that a pod uses. */
export interface HostPort {
  /** `0.0.0.0` for all addresses. */
  readonly ip: string;
  /** Protocol and number, such as `TCP/8080`. */
  readonly port: string;
}

const ALL_ADDRESSES = '0.0.0.0';
const NO_PORTS: readonly HostPort[] = [];

/** The host ports that a pod uses while it runs: those of its containers and sidecars. */
export function hostPortsOf(pod: DeepReadonly<Pod>): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  const sidecars = pod.spec?.initContainers?.filter(isSidecar) ?? [];
  for (const { ports: containerPorts } of [...sidecars, ...(pod.spec?.containers ?? [])]) {
    for (const { hostPort = 0, hostIP, protocol } of containerPorts ?? []) {
      if (hostPort <= 0) continue;
      ports ??= [];
      ports.push({ ip: orElse(hostIP, ALL_ADDRESSES), port: `${orElse(protocol, 'TCP')}/${hostPort}` });
    }
  }
  return ports ?? NO_PORTS;
}

/** The used host ports of a node, by address. A port on all addresses conflicts with the same port on any, and the reverse. */
export class HostPorts {
  readonly #counts = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add({ ip, port }: HostPort): void {
    let ports = this.#counts.get(ip);
    if (ports === undefined) this.#counts.set(ip, (ports = new Map()));
    ports.set(port, (ports.get(port) ?? 0) + 1);
  }

  remove({ ip, port }: HostPort): void {
    const ports = this.#counts.get(ip);
    const count = ports?.get(port);
    if (ports === undefined || count === undefined) return;
    if (count > 1) ports.set(port, count - 1);
    else ports.delete(port);
    if (ports.size === 0) this.#counts.delete(ip);
  }

  isTaken({ ip, port }: HostPort): boolean {
    if (ip !== ALL_ADDRESSES) return this.#has(ip, port) || this.#has(ALL_ADDRESSES, port);
    for (const ports of this.#counts.values()) {
      if (ports.has(port)) return true;
    }
    return false;
  }

  copyFrom(other: HostPorts): void {
    this.#counts.clear();
    for (const [ip, ports] of other.#counts) this.#counts.set(ip, new Map(ports));
  }

  #has(ip: string, port: string): boolean {
    return this.#counts.get(ip)?.has(port) === true;
  }
}

function orElse(text: string | undefined, otherwise: string): string {
  return text === undefined || text === '' ? otherwise : text;
}
