import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';

type Address = DeepReadonly<EndpointAddress>;
type Port = DeepReadonly<EndpointPort>;

/** Addresses that share all their ports. */
export interface PortSubset {
  readonly ports: readonly Port[];
  readonly ready: readonly Address[];
  readonly notReady: readonly Address[];
}

interface PortAddresses {
  readonly port: Port | undefined;
  /** Readiness by address. */
  readonly isReady: Map<string, boolean>;
}

/** Regroups subsets so that ports with the same addresses share one, without duplicates. */
export function repackedSubsets(subsets: readonly DeepReadonly<EndpointSubset>[]): readonly PortSubset[] {
  const addresses = new Map<string, Address>();
  const byPort = new Map<string, PortAddresses>();
  for (const { ports = [], addresses: ready = [], notReadyAddresses = [] } of subsets)
    for (const port of ports.length === 0 ? [undefined] : ports) {
      const key = JSON.stringify([port?.name, port?.port, port?.protocol, port?.appProtocol]);
      const entry = byPort.get(key) ?? { port, isReady: new Map<string, boolean>() };
      byPort.set(key, entry);
      for (const address of ready) note(entry, address, true);
      for (const address of notReadyAddresses) note(entry, address, false);
    }
  const groups = groupBy([...byPort.values()]);
  return [...groups.values()].map((entries) => {
    const isReady = entries[0]?.isReady ?? new Map<string, boolean>();
    const inState = (state: boolean): Address[] =>
      [...isReady].filter(([, value]) => value === state).flatMap(([key]) => addresses.get(key) ?? []);
    return {
      ports: entries.flatMap(({ port }) => port ?? []),
      ready: inState(true),
      notReady: inState(false),
    };
  });

  /** An address that is both ready and not ready for a port counts as not ready. */
  function note({ isReady }: PortAddresses, address: Address, state: boolean): void {
    const key = JSON.stringify([address.ip, address.targetRef?.uid ?? '']);
    if (!addresses.has(key)) addresses.set(key, address);
    isReady.set(key, state && isReady.get(key) !== false);
  }
}

function groupBy(entries: readonly PortAddresses[]): Map<string, PortAddresses[]> {
  const groups = new Map<string, PortAddresses[]>();
  for (const entry of entries) {
    const key = JSON.stringify([...entry.isReady].toSorted(([left], [right]) => (left < right ? -1 : 1)));
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}
