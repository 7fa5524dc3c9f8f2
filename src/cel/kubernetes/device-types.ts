import type { SizeEstimator } from '../cost/estimate.ts';
import type { Bounds } from '../cost/size.ts';
import { type DeclType, declared, mapType, partOf, sizeAlong, structType, withMaxElements } from './decl-type.ts';

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
    return sizeAlong(path, this.#device, (at, name) => partOf(at, name) ?? this.#attributeOf(at));
  }

  #attributeOf({ element }: DeclType): DeclType | undefined {
    return element !== undefined && element === this.#attributes?.element ? element : undefined;
  }

  get #attributes(): DeclType | undefined {
    return this.#device.fields?.get('attributes')?.type.element;
  }
}
