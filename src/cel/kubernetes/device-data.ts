import { parseQuantity, ValueError } from '../../api/values/index.ts';
import { QuantityValue, SemverValue } from './libraries/index.ts';
import { type Failure, MapBase, MapValue, type Value } from '../values/index.ts';
import { parseSemver } from './semver.ts';

/** A device attribute as in a ResourceSlice: exactly one field is set. */
export interface DeviceAttribute {
  readonly int?: number | bigint;
  readonly bool?: boolean;
  readonly string?: string;
  readonly version?: string;
  readonly ints?: readonly (number | bigint)[];
  readonly bools?: readonly boolean[];
  readonly strings?: readonly string[];
  readonly versions?: readonly string[];
}

/** A device to match against selectors. */
export interface Device {
  /** Also the domain of attributes and capacities whose names have none. */
  readonly driver: string;
  readonly allowMultipleAllocations?: boolean;
  readonly attributes?: Readonly<Record<string, DeviceAttribute>>;
  readonly capacity?: Readonly<Record<string, { readonly value: string | number }>>;
}

/** Device data that cannot be used in expressions. */
export class DeviceError extends Error {
  override readonly name = 'DeviceError';
}

/** The device as the variable `device`. Throws DeviceError. */
export function deviceValue(device: Device, hasListAttributes: boolean): Value {
  const attributes = Object.entries(device.attributes ?? {}).map(
    ([name, attribute]) => [name, attributeValue(name, attribute, hasListAttributes)] as const,
  );
  const capacities = Object.entries(device.capacity ?? {}).map(
    ([name, { value }]) => [name, capacityValue(name, value)] as const,
  );
  return MapValue.from([
    ['driver', device.driver],
    ['allowMultipleAllocations', device.allowMultipleAllocations === true],
    ['attributes', byDomain(attributes, device.driver)],
    ['capacity', byDomain(capacities, device.driver)],
  ]);
}

function attributeValue(name: string, attribute: DeviceAttribute, hasListAttributes: boolean): Value {
  const version = (text: string): Value => {
    const parsed = parseSemver(text);
    if (typeof parsed === 'string') throw new DeviceError(`attribute ${name}: parse semantic version: ${parsed}`);
    return new SemverValue(parsed);
  };
  if (hasListAttributes) {
    const list = attribute.ints ?? attribute.bools ?? attribute.strings ?? attribute.versions?.map(version);
    if (list !== undefined) return list;
  }
  const scalar = attribute.int ?? attribute.bool ?? attribute.string;
  if (scalar !== undefined) return scalar;
  if (attribute.version !== undefined) return version(attribute.version);
  throw new DeviceError(`attribute ${name}: unsupported attribute value`);
}

function capacityValue(name: string, text: string | number): Value {
  const quantity = parseQuantity(String(text));
  if (quantity instanceof ValueError) throw new DeviceError(`capacity ${name}: ${quantity.message}`);
  return new QuantityValue(quantity);
}

function byDomain(entries: readonly (readonly [name: string, value: Value])[], driver: string): Value {
  const domains = new Map<string, MapValue>();
  for (const [name, value] of entries) {
    const slash = name.indexOf('/');
    const domain = slash < 0 ? driver : name.slice(0, slash);
    const values = domains.get(domain) ?? new MapValue();
    domains.set(domain, values);
    values.set(name.slice(slash + 1), value);
  }
  return new DomainMap(domains);
}

/** A map in which every domain can be looked up: a missing one is empty. */
class DomainMap extends MapBase {
  readonly #domains: ReadonlyMap<string, MapValue>;

  constructor(domains: ReadonlyMap<string, MapValue>) {
    super();
    this.#domains = domains;
  }

  get goName(): string {
    return 'cel.mapper';
  }

  get size(): number {
    return this.#domains.size;
  }

  find(key: Value): Value | Failure | undefined {
    return this.#domains.get(key as string) ?? new MapValue();
  }

  /** `domain in device.attributes` is true only for existing domains. */
  override has(key: Value): boolean {
    return this.#domains.has(key as string);
  }

  keys(): Iterable<Value> {
    return this.#domains.keys();
  }
}
