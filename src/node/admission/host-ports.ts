import type { Observed, Pod } from '../../client/index.ts';
import { isSidecar } from '../life/restart-rules.ts';

const ANY_ADDRESS = '0.0.0.0';

/** Ports of the node that pods have taken, as `protocol/address/port`. */
export class HostPorts {
  readonly #byPort = new Map<string, Set<string>>();

  /** Whether all ports that the pod wants are free. */
  areFree(pod: Observed<Pod>): boolean {
    return hostPortsOf(pod).every(({ port, address }) => {
      const addresses = this.#byPort.get(port);
      if (addresses === undefined || addresses.size === 0) return true;
      return address !== ANY_ADDRESS && !addresses.has(ANY_ADDRESS) && !addresses.has(address);
    });
  }

  take(pod: Observed<Pod>): void {
    for (const { port, address } of hostPortsOf(pod)) {
      const addresses = this.#byPort.get(port) ?? new Set();
      this.#byPort.set(port, addresses.add(address));
    }
  }

  release(pod: Observed<Pod>): void {
    for (const { port, address } of hostPortsOf(pod)) {
      const addresses = this.#byPort.get(port);
      addresses?.delete(address);
      if (addresses?.size === 0) this.#byPort.delete(port);
    }
  }
}

function hostPortsOf({ spec }: Observed<Pod>): { readonly port: string; readonly address: string }[] {
  const containers = [...(spec?.initContainers ?? []).filter(isSidecar), ...(spec?.containers ?? [])];
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort = 0, protocol = 'TCP', hostIP = '' }) =>
      hostPort === 0 ? [] : [{ port: `${protocol}/${hostPort}`, address: hostIP === '' ? ANY_ADDRESS : hostIP }],
    ),
  );
}
