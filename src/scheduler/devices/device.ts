import type { Observed, ResourceSlice } from '../../client/index.ts';

export type Slice = Observed<ResourceSlice>;
export type Device = NonNullable<Slice['spec']['devices']>[number];

/** Tells devices of all drivers apart. */
export function deviceId(driver: string, pool: string, device: string): string {
  return `${driver}/${pool}/${device}`;
}

/** A device that may be given to a request. */
export interface Candidate {
  readonly id: string;
  readonly device: Device;
  readonly slice: Slice;
  readonly pool: Pool;
}

/** The devices of a driver that belong together, as far as a node can use them. */
export interface Pool {
  readonly driver: string;
  readonly name: string;
  /** Its driver is about to publish it anew, so that slices are missing; or its slices contradict each other. */
  readonly state: 'usable' | 'incomplete' | 'invalid';
  /** The slices with devices that the node can use, by name. */
  readonly slices: readonly Slice[];
  /** Slices with devices for other nodes, which draw from the same counters. */
  readonly otherSlices: readonly Slice[];
  /** What there is to draw from, by counter set and counter. */
  readonly counters: ReadonlyMap<string, ReadonlyMap<string, string>>;
}
