import type { Observed, ResourceSlice } from '../../client/index.ts';

export type Slice = Observed<ResourceSlice>;
export type Device = NonNullable<Slice['spec']['devices']>[number];

/** Identifies a device across all drivers. */
export function deviceId(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}

/** A device that may be allocated to a request. */
export interface Candidate {
  readonly id: string;
  readonly device: Device;
  readonly slice: Slice;
  readonly pool: Pool;
}

/** The devices of a driver's pool, as far as a node can use them. */
export interface Pool {
  readonly driver: string;
  readonly name: string;
  /**
   * `incomplete`: the driver is publishing a new generation and slices are missing. `invalid`: its slices contradict
   * each other.
   */
  readonly state: 'usable' | 'incomplete' | 'invalid';
  /** The slices with devices that the node can use, by name. */
  readonly slices: readonly Slice[];
  /** Slices with devices for other nodes, which consume the same counters. */
  readonly otherSlices: readonly Slice[];
  /** Available counters, by counter set and counter. */
  readonly counters: ReadonlyMap<string, ReadonlyMap<string, string>>;
}
