import type { SizeEstimator } from '../cost/estimate.ts';
import type { Bounds } from '../cost/size.ts';
import { type DeclType, declared, mapType, structType, withMaxElements } from './decl-type.ts';

/** How many attributes and capacities a device has at most. */
const MOST_ENTRIES = 32;
/** How many values a list of a device's attributes has at most. */
export const MOST_ATTRIBUTE_VALUES = 48;
const LONGEST_VALUE = 64;
const LONGEST_DOMAIN = 63;
const LONGEST_ID = 32;

const domain = withMaxElements(declared.string, LONGEST_DOMAIN);
const id = withMaxElements(declared.string, LONGEST_ID);

/** What selectors of devices may use, by feature gate. */
export interface DeviceFeatures {
  /** DRAConsumableCapacity: `device.allowMultipleAllocations`. */
  readonly hasConsumableCapacity: boolean;
  /** DRAListTypeAttributes: lists as attributes, and `includes`. */
  readonly hasListAttributes: boolean;
}

/** The type of an attribute: not known, but bounded. */
function attributeType({ hasListAttributes }: DeviceFeatures): DeclType {
  return withMaxElements(hasListAttributes ? declared.dyn : declared.any, LONGEST_VALUE);
}

/** The type of `device`. */
export function deviceType(features: DeviceFeatures): DeclType {
  const byDomain = (value: DeclType): DeclType => mapType(domain, mapType(id, value, MOST_ENTRIES), MOST_ENTRIES);
  return structType('kubernetes.DRADevice', {
    ...(features.hasConsumableCapacity ? { allowMultipleAllocations: withMaxElements(declared.bool, 1) } : {}),
    driver: withMaxElements(declared.string, LONGEST_DOMAIN),
    attributes: byDomain(attributeType(features)),
    capacity: byDomain(declared.quantity),
  });
}

/** How large the parts of `device` can be. Attributes that are selected by name have the size of any attribute. */
export class DeviceSizes implements SizeEstimator {
  readonly #device: DeclType;

  constructor(features: DeviceFeatures) {
    this.#device = deviceType({ ...features, hasConsumableCapacity: true });
  }

  sizeAt([variable, ...path]: readonly string[]): Bounds | undefined {
    if (variable !== 'device') return undefined;
    let at: DeclType | undefined = this.#device;
    for (const name of path) {
      at = this.#step(at, name);
      if (at === undefined) return undefined;
    }
    return { min: 0n, max: BigInt.asUintN(64, BigInt(at.maxElements)) };
  }

  #step(at: DeclType, name: string): DeclType | undefined {
    switch (name) {
      case '@items':
      case '@values':
        return at.element;
      case '@keys':
        return at.key;
      default:
    }
    const isAttributes = at.element !== undefined && at.element === this.#attributes?.element;
    return at.fields?.get(name)?.type ?? (isAttributes ? at.element : undefined);
  }

  get #attributes(): DeclType | undefined {
    return this.#device.fields?.get('attributes')?.type.element;
  }
}
