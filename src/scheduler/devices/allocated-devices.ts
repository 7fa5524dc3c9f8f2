import { type Amounts, addAmounts, amountOf } from './capacity.ts';
import { deviceId } from './device.ts';
import type { Allocation, Claim } from './claim.ts';

const NOTHING: Amounts = new Map();

/** The devices that are allocated to claims, and the consumed capacity of shareable ones. */
export class AllocatedDevices {
  readonly #whole = new Set<string>();
  readonly #shared = new Set<string>();
  readonly #taken = new Map<string, Amounts>();

  constructor(claims: Iterable<Claim>, inFlight: Iterable<Allocation>) {
    for (const { status } of claims) if (status?.allocation !== undefined) this.#add(status.allocation);
    for (const allocation of inFlight) this.#add(allocation);
  }

  /** Whether the device is allocated as a whole. */
  isWhole(id: string): boolean {
    return this.#whole.has(id);
  }

  /** Whether the device or a share of it is allocated. */
  isAllocated(id: string): boolean {
    return this.#whole.has(id) || this.#shared.has(id);
  }

  /** Whether some of the device's capacity is consumed. */
  isTaken(id: string): boolean {
    return this.#taken.has(id);
  }

  taken(id: string): Amounts {
    return this.#taken.get(id) ?? NOTHING;
  }

  /** Skips admin access, which does not occupy a device. */
  #add({ devices }: Allocation): void {
    for (const { driver, pool, device, adminAccess, shareID, consumedCapacity } of devices?.results ?? []) {
      if (adminAccess === true) continue;
      const id = deviceId(driver, pool, device);
      if (shareID === undefined) {
        this.#whole.add(id);
        continue;
      }
      this.#shared.add(id);
      if (consumedCapacity === undefined) continue;
      const amounts = Object.entries(consumedCapacity).map(([name, value]) => [name, amountOf(value)] as const);
      this.#taken.set(id, addAmounts(this.taken(id), new Map(amounts)));
    }
  }
}
