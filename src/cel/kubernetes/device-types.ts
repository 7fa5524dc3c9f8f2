import type { SizeEstimator } from '../cost/estimate.ts';
import type { Bounds } from '../cost/size.ts';
import { type DeclType, declared, mapType, partOf, sizeAlong, structType, withMaxElements } from './decl-type.ts';

/** Max attributes, and max capacities, of a device. */
const MAX_ENTRIES = 32;
/** Max values of a list attribute. */
export const MAX_ATTRIBUTE_VALUES = 48;
const MAX_VALUE_LENGTH = 64;
const MAX_DOMAIN_LENGTH = 63;
const MAX_ID_LENGTH = 32;

const domain = withMaxElements(declared.string, MAX_DOMAIN_LENGTH);
const id = withMaxElements(declared.string, MAX_ID_LENGTH);

/** What selectors of devices may use, by feature gate. */
export interface DeviceFeatures {
  /** DRAConsumableCapacity: `device.allowMultipleAllocations`. */
  readonly hasConsumableCapacity: boolean;
  /** DRAListTypeAttributes: lists as attributes, and `includes`. */
  readonly hasListAttributes: boolean;
}

/** The type of an attribute: dynamic, but bounded. */
function attributeType({ hasListAttributes }: DeviceFeatures): DeclType {
  return withMaxElements(hasListAttributes ? declared.dyn : declared.any, MAX_VALUE_LENGTH);
}

/** The type of `device`. */
export function deviceType(features: DeviceFeatures): DeclType {
  const byDomain = (value: DeclType): DeclType => mapType(domain, mapType(id, value, MAX_ENTRIES), MAX_ENTRIES);
  return structType('kubernetes.DRADevice', {
    ...(features.hasConsumableCapacity ? { allowMultipleAllocations: withMaxElements(declared.bool, 1) } : {}),
    driver: withMaxElements(declared.string, MAX_DOMAIN_LENGTH),
    attributes: byDomain(attributeType(features)),
    capacity: byDomain(declared.quantity),
  });
}

/** Size bounds of the parts of `device`. An attribute selected by name has the bound of any attribute. */
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
