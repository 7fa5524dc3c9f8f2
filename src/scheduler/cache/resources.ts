import { amountsOf, isExtendedResource, type ResourceAmounts } from '../../api/meaning/index.ts';

/**
 * Amounts of resources as the scheduler counts them: CPU in thousandths, everything else in whole units.
 *
 * The common resources are fields because filters read them for every node; the rest (extended resources, huge pages,
 * attachable volumes) are `scalars`.
 */
export class Resources {
  milliCpu = 0;
  memory = 0;
  ephemeralStorage = 0;
  /** Maximum number of pods; set for nodes only. */
  pods = 0;
  scalars: Map<string, number> | undefined;

  /** CPU is rounded up to thousandths, everything else to whole units. */
  static of(amounts: ResourceAmounts): Resources {
    const resources = new Resources();
    for (const [name, amount] of amounts) resources.#set(name, name === 'cpu' ? amount.milliValue() : amount.value());
    return resources;
  }

  /** Parses a resource list; an amount that does not parse counts as zero. */
  static read(list: Readonly<Record<string, string>> | undefined): Resources {
    return Resources.of(amountsOf(list));
  }

  /** Adds `sign` times the other's amounts, except `pods`. */
  add(other: Resources, sign: 1 | -1): void {
    this.milliCpu += sign * other.milliCpu;
    this.memory += sign * other.memory;
    this.ephemeralStorage += sign * other.ephemeralStorage;
    if (other.scalars === undefined) return;
    this.scalars ??= new Map();
    for (const [name, amount] of other.scalars) this.scalars.set(name, this.scalar(name) + sign * amount);
  }

  copyFrom(other: Resources): void {
    this.milliCpu = other.milliCpu;
    this.memory = other.memory;
    this.ephemeralStorage = other.ephemeralStorage;
    this.pods = other.pods;
    this.scalars = other.scalars === undefined ? undefined : new Map(other.scalars);
  }

  equals(other: Resources): boolean {
    if (this.milliCpu !== other.milliCpu || this.memory !== other.memory || this.pods !== other.pods) return false;
    if (this.ephemeralStorage !== other.ephemeralStorage) return false;
    const [mine, theirs] = [this.scalars ?? new Map<string, number>(), other.scalars ?? new Map<string, number>()];
    return mine.size === theirs.size && [...mine].every(([name, amount]) => theirs.get(name) === amount);
  }

  scalar(name: string): number {
    return this.scalars?.get(name) ?? 0;
  }

  /** The amount of any resource; undefined when a scalar resource has no amount. */
  amount(name: string): number | undefined {
    switch (name) {
      case 'cpu':
        return this.milliCpu;
      case 'memory':
        return this.memory;
      case 'ephemeral-storage':
        return this.ephemeralStorage;
      default:
        return this.scalars?.get(name);
    }
  }

  #set(name: string, amount: number): void {
    if (name === 'cpu') this.milliCpu = amount;
    else if (name === 'memory') this.memory = amount;
    else if (name === 'ephemeral-storage') this.ephemeralStorage = amount;
    else if (name === 'pods') this.pods = amount;
    else if (isScalarResource(name)) (this.scalars ??= new Map()).set(name, amount);
  }
}

/** Whether the scheduler counts the resource as a scalar, beside CPU, memory, ephemeral storage and pods. */
export function isScalarResource(name: string): boolean {
  return (
    isExtendedResource(name) ||
    name.startsWith('hugepages-') ||
    name.startsWith('attachable-volumes-') ||
    name.includes('kubernetes.io/')
  );
}
