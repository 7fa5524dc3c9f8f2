import type {
  CounterSet,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from '../../api/types/resource/v1.d.ts';

/** A fact about a device, for selectors of claims and classes. A version is given as `{ version: '1.2.0' }`. */
export type AttributeValue = string | number | boolean | DeviceAttribute;

/** A device of a DRA driver. */
export interface DraDevice {
  /** Unique in its pool: lower case letters, digits and `-`. */
  readonly name: string;
  /** Facts about the device; a name without a domain gets that of the driver. */
  readonly attributes?: Readonly<Record<string, AttributeValue>>;
  /** Amounts that the device has, such as `{ memory: '16Gi' }`. */
  readonly capacity?: Readonly<Record<string, string | DeviceCapacity>>;
  /** Marks that keep claims away from the device. */
  readonly taints?: readonly DeviceTaint[];
  /** What a partition draws from counters of its pool. */
  readonly consumesCounters?: readonly DeviceCounterConsumption[];
  /** Whether several claims may share the device; default false. */
  readonly allowMultipleAllocations?: boolean;
  /** Conditions that the driver sets in the status of the claim before a pod is bound. */
  readonly bindingConditions?: readonly string[];
  readonly bindingFailureConditions?: readonly string[];
  /** Whether the device can only be used on the node that the claim was allocated for; default false. */
  readonly bindsToNode?: boolean;
  /** Default `Healthy`. Shown in the status of pods that use the device. */
  readonly health?: 'Healthy' | 'Unhealthy' | 'Unknown';
  /** More about the health, for people to read; at most 1024 characters. */
  readonly healthMessage?: string;
}

/** Devices that share counters, and are published together. */
export interface DraPool {
  readonly devices: readonly DraDevice[];
  /** Amounts that partitions draw from, by counter set; default none. */
  readonly sharedCounters?: readonly CounterSet[];
}

/** The device as the API has it. */
export function apiDevice(device: DraDevice): Device {
  const { name, attributes, capacity, taints, consumesCounters } = device;
  const { allowMultipleAllocations, bindingConditions, bindingFailureConditions, bindsToNode } = device;
  return {
    name,
    ...(attributes === undefined ? {} : { attributes: mapValues(attributes, attributeOf) }),
    ...(capacity === undefined
      ? {}
      : { capacity: mapValues(capacity, (value) => (typeof value === 'string' ? { value } : value)) }),
    ...(isEmpty(taints) ? {} : { taints: [...taints] }),
    ...(isEmpty(consumesCounters) ? {} : { consumesCounters: [...consumesCounters] }),
    ...(allowMultipleAllocations === true ? { allowMultipleAllocations } : {}),
    ...(isEmpty(bindingConditions) ? {} : { bindingConditions: [...bindingConditions] }),
    ...(isEmpty(bindingFailureConditions) ? {} : { bindingFailureConditions: [...bindingFailureConditions] }),
    ...(bindsToNode === true ? { bindsToNode } : {}),
  };
}

function attributeOf(value: AttributeValue): DeviceAttribute {
  if (typeof value === 'string') return { string: value };
  if (typeof value === 'boolean') return { bool: value };
  if (typeof value === 'object') return value;
  if (!Number.isInteger(value)) throw new TypeError(`Not an attribute of a device: ${value} is no whole number`);
  return { int: value };
}

function isEmpty<T>(list: readonly T[] | undefined): list is undefined {
  return list === undefined || list.length === 0;
}

function mapValues<V, R>(values: Readonly<Record<string, V>>, map: (value: V) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
