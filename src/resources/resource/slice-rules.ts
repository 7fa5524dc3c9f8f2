import {
  dns1123SubdomainProblems,
  type FieldError,
  forbiddenField,
  internalForms,
  invalidValue,
  required,
  sentEmpty,
  tooLong,
  tooMany,
} from '../../api/index.ts';
import type {
  CapacityRequestPolicy,
  CapacityRequestPolicyRange,
  Counter,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  ResourcePool,
  ResourceSlice,
} from '../../api/types/resource/v1.d.ts';
import { deepEqual } from '../../base/index.ts';
import { checkNodeSelector } from '../core/affinity-rules.ts';
import { amount } from '../core/resource-list.ts';
import { checkDriverName } from '../core/volume-sources.ts';
import type { Whole } from '../kind.ts';
import { unversioned } from '../unversioned.ts';
import {
  checkAttributeName,
  checkBinding,
  checkDeviceTaint,
  checkLabelName,
  checkList,
  checkPoolName,
  checkSet,
} from './device-rules.ts';

type Slice = Whole<ResourceSlice>;

const MAX_DEVICES = 128;
const MAX_COMPLEX_DEVICES = 64;
const MAX_COUNTER_SETS = 8;
const MAX_COUNTERS = 32;

/** A slice of a driver's devices; taints that `old` has are not checked again. */
export function checkSlice({ spec }: Slice, old?: Slice): FieldError[] {
  const { sharedCounters = [] } = spec;
  const devices = spec.devices ?? [];
  const isComplex = devices.some(
    (device) => (device.taints ?? []).length > 0 || (device.consumesCounters ?? []).length > 0,
  );
  const known = new Map((old?.spec.devices ?? []).map((device) => [device.name, device]));
  const both = (['sharedCounters', 'devices'] as const).every(
    (name) => (spec[name] ?? undefined) !== undefined || sentEmpty(spec, name) !== null,
  );
  return [
    ...checkDriverName(spec.driver ?? '', 'spec.driver'),
    ...checkPool(spec.pool ?? {}, 'spec.pool'),
    ...(old === undefined ? [] : checkUnchanged({ spec } as Slice, old)),
    ...checkNodes(spec),
    ...(both ? [invalidValue('spec', '', 'only one of `sharedCounters` or `devices` is allowed')] : []),
    ...checkSet(devices, 'spec.devices', {
      max: isComplex ? MAX_COMPLEX_DEVICES : MAX_DEVICES,
      check: (device, at) => checkDevice(device, at, { spec, old: known.get(device.name) }),
      key: ({ name = '' }) => name,
    }),
    ...checkSet(sharedCounters, 'spec.sharedCounters', {
      max: MAX_COUNTER_SETS,
      check: ({ name = '', counters = {} }, at) => [
        ...(name === '' ? [required(`${at}.name`)] : checkLabelName(name, `${at}.name`)),
        ...checkCounters(counters, `${at}.counters`),
      ],
      key: ({ name = '' }) => name,
    }),
  ];
}

const IMMUTABLE = 'field is immutable';

function checkUnchanged({ spec }: Slice, { spec: old }: Slice): FieldError[] {
  const changes: readonly (readonly [field: string, now: unknown, was: unknown])[] = [
    ['spec.pool.name', spec.pool?.name ?? '', old.pool?.name ?? ''],
    ['spec.driver', spec.driver ?? '', old.driver ?? ''],
    ['spec.nodeName', spec.nodeName ?? null, old.nodeName ?? null],
  ];
  return changes.filter(([, now, was]) => now !== was).map(([field, now]) => invalidValue(field, now, IMMUTABLE));
}

function checkPool(pool: Partial<ResourcePool>, field: string): FieldError[] {
  const { name = '', resourceSliceCount: count = 0, generation = 0 } = pool;
  return [
    ...checkPoolName(name, `${field}.name`),
    ...(count <= 0 ? [invalidValue(`${field}.resourceSliceCount`, count, 'must be greater than zero')] : []),
    ...(generation < 0
      ? [invalidValue(`${field}.generation`, generation, 'must be greater than or equal to zero')]
      : []),
  ];
}

/** A slice states where its devices are: on one node, on those of a selector, on all, or each device for itself. */
function checkNodes({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }: Slice['spec']): FieldError[] {
  const field = 'spec';
  const errors: FieldError[] = [];
  if (nodeName === '') {
    errors.push(invalidValue(`${field}.nodeName`, '', 'must be either unset or set to a non-empty string'));
  } else if (nodeName !== undefined) errors.push(...checkNodeName(nodeName, `${field}.nodeName`));
  errors.push(...checkOneTerm(nodeSelector, `${field}.nodeSelector`));
  for (const [name, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === false) errors.push(invalidValue(`${field}.${name}`, value, 'must be either unset or set to true'));
  }
  const given = [
    ...((nodeName ?? '') === '' ? [] : ['`nodeName`']),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes === true ? ['`allNodes`'] : []),
    ...(perDeviceNodeSelection === true ? ['`perDeviceNodeSelection`'] : []),
  ];
  const detail = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (given.length === 0) errors.push(required(field, detail));
  if (given.length > 1) {
    errors.push(invalidValue(field, `{${given.join(', ')}}`, `${detail}, but multiple fields are set`));
  }
  return errors;
}

function checkNodeName(name: string, field: string): FieldError[] {
  return dns1123SubdomainProblems(name).map((problem) => invalidValue(field, name, problem));
}

function checkOneTerm(selector: Slice['spec']['nodeSelector'], field: string): FieldError[] {
  if (selector === undefined) return [];
  const errors = checkNodeSelector(selector, field);
  const terms = selector.nodeSelectorTerms ?? [];
  if (terms.length === 1) return errors;
  const shown =
    terms.length === 0 ? sentEmpty(selector, 'nodeSelectorTerms') : internalForms(terms, 'core.v1.NodeSelectorTerm');
  const detail = 'must have exactly one node selector term';
  return [...errors, invalidValue(`${field}.nodeSelectorTerms`, shown, detail)];
}

const MAX_NAMES = 32;
const MAX_VALUES = 48;
const MAX_TAINTS = 16;
const MAX_CONSUMPTIONS = 2;

interface DeviceContext {
  readonly spec: Slice['spec'];
  readonly old: Device | undefined;
}

function checkDevice(device: Device, field: string, { spec, old }: DeviceContext): FieldError[] {
  const { name = '', attributes = {}, capacity = {}, taints = [], consumesCounters = [] } = device;
  const names = Object.keys(attributes).length + Object.keys(capacity).length;
  const values = Object.keys(attributes).length;
  const isShared = device.allowMultipleAllocations === true;
  const errors = checkLabelName(name, `${field}.name`);
  if (names > MAX_NAMES) {
    const detail = `the total number of attributes and capacities must not exceed ${MAX_NAMES}`;
    errors.push(invalidValue(field, names, detail));
  }
  if (values > MAX_VALUES) {
    errors.push(invalidValue(field, values, `the total number of attribute values must not exceed ${MAX_VALUES}`));
  }
  return [
    ...errors,
    ...checkNamed(attributes, `${field}.attributes`, checkAttribute),
    ...checkNamed(capacity, `${field}.capacity`, (item, at) => checkCapacity(item, at, isShared)),
    ...(old !== undefined && deepEqual(old.taints, device.taints)
      ? []
      : checkList(taints, `${field}.taints`, { max: MAX_TAINTS, check: checkDeviceTaint })),
    ...checkSet(consumesCounters, `${field}.consumesCounters`, {
      max: MAX_CONSUMPTIONS,
      check: ({ counterSet = '', counters = {} }, at) => [
        ...(counterSet === '' ? [required(`${at}.counterSet`)] : checkLabelName(counterSet, `${at}.counterSet`)),
        ...checkCounters(counters, `${at}.counters`),
      ],
      key: ({ counterSet = '' }) => counterSet,
    }),
    ...checkNodesOfDevice(device, field, spec.perDeviceNodeSelection === true),
    ...checkBinding(device, field),
  ];
}

/** Attributes or capacities by name; problems of names are reported at the map. */
function checkNamed<T>(
  map: Readonly<Record<string, T>>,
  field: string,
  check: (item: T, at: string) => readonly FieldError[],
): FieldError[] {
  return Object.entries(map).flatMap(([name, item]) => [
    ...checkAttributeName(name, field),
    ...check(item, `${field}[${shortened(name, MAX_ATTRIBUTE_NAME)}]`),
  ]);
}

const MAX_ATTRIBUTE_NAME = 63 + 1 + 32;

/** A long key as paths show it: its ends. */
function shortened(key: string, max: number): string {
  if (key.length <= max) return key;
  const rest = max - 3;
  return `${key.slice(0, Math.floor((rest + 1) / 2))}...${key.slice(key.length - Math.floor(rest / 2))}`;
}

function checkCounters(counters: Readonly<Record<string, Counter>>, field: string): FieldError[] {
  const names = Object.keys(counters);
  if (names.length === 0) return [required(field)];
  if (names.length > MAX_COUNTERS) return [tooMany(field, names.length, MAX_COUNTERS)];
  return names.flatMap((name) => checkLabelName(name, field));
}

const SEMVER =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;
const MAX_VALUE = 64;
const VALUES = ['bool', 'int', 'string', 'version', 'bools', 'ints', 'strings', 'versions'] as const;
const ATTRIBUTE = {
  IntValue: null,
  BoolValue: null,
  StringValue: null,
  VersionValue: null,
  IntValues: null,
  BoolValues: null,
  StringValues: null,
  VersionValues: null,
};

/** An attribute has one value of one type. */
function checkAttribute(attribute: DeviceAttribute, field: string): FieldError[] {
  const { string: text, version } = attribute;
  const errors: FieldError[] = [];
  if (text !== undefined && Buffer.byteLength(text) > MAX_VALUE) errors.push(tooLong(`${field}.string`, MAX_VALUE));
  if (version !== undefined) {
    const at = `${field}.version`;
    const detail = 'must be a string compatible with semver.org spec 2.0.0';
    if (!SEMVER.test(version)) errors.push(invalidValue(at, version, detail));
    if (Buffer.byteLength(version) > MAX_VALUE) errors.push(tooLong(at, MAX_VALUE));
  }
  const count = VALUES.filter((name) => attribute[name] !== undefined).length;
  if (count === 1) return errors;
  const shown = count === 0 ? '' : printedAttribute(attribute);
  return [...errors, invalidValue(field, shown, 'exactly one value must be specified')];
}

/** An attribute by the names of upstream's internal type. */
function printedAttribute(attribute: DeviceAttribute): unknown {
  const named = Object.fromEntries(
    Object.entries(attribute).map(([name, value]) => [
      name.endsWith('s') ? `${name.slice(0, -1)}Values` : `${name}Value`,
      value,
    ]),
  );
  return unversioned(named, ATTRIBUTE);
}

function checkCapacity(
  { value, requestPolicy: policy }: DeviceCapacity,
  field: string,
  isShared: boolean,
): FieldError[] {
  if (policy === undefined) return [];
  const at = `${field}.requestPolicy`;
  if (!isShared) return [forbiddenField(at, 'allowMultipleAllocations must be true')];
  const { validValues = [], validRange } = policy;
  const usual = policy.default ?? undefined; // absence is written as null
  if (validValues.length > 0 && validRange !== undefined) {
    const detail =
      'exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time';
    return [forbiddenField(at, detail)];
  }
  if (validValues.length > 0) {
    if (usual === undefined) return [required(`${at}.default`, 'required when validValues is defined')];
    return checkValidValues({ usual, values: validValues, capacity: value ?? '0' }, `${at}.validValues`);
  }
  if (validRange === undefined) return [];
  if (usual === undefined) return [required(`${at}.default`, 'required when validRange is defined')];
  return checkRange(validRange, `${at}.validRange`, { usual, capacity: value ?? '0' });
}

const MAX_CHOICES = 10;

interface Choices {
  readonly usual: NonNullable<CapacityRequestPolicy['default']>;
  readonly values: readonly string[];
  readonly capacity: string;
}

function checkValidValues({ usual, values, capacity }: Choices, field: string): FieldError[] {
  const errors = values.flatMap((text, index) => {
    const before = values[index - 1];
    if (before === undefined || amount(before).compare(amount(text)) <= 0) return [];
    return [invalidValue(`${field}[${index}]`, text, 'values must be sorted in ascending order')];
  });
  const isTooLong = values.length > MAX_CHOICES;
  errors.push(
    ...checkSet(values, field, {
      max: MAX_CHOICES,
      check: (text, at) =>
        amount(text).compare(amount(capacity)) > 0
          ? [invalidValue(at, text, `option is larger than capacity value: ${capacity}`)]
          : [],
      key: (text) => String(amount(text).value()),
    }),
  );
  const isThere = !isTooLong && values.some((text) => amount(text).compare(amount(usual)) === 0);
  return isThere
    ? errors
    : [...errors, invalidValue(field, usual, 'default value is not valid according to the requestPolicy')];
}

function checkRange(
  range: CapacityRequestPolicyRange,
  field: string,
  { usual, capacity }: { readonly usual: string; readonly capacity: string },
): FieldError[] {
  const { min, max, step } = range;
  if (min === undefined) return [required(`${field}.min`, 'required when validRange is defined')];
  const errors: FieldError[] = [];
  const isMore = (left: string, right: string): boolean => amount(left).compare(amount(right)) > 0;
  const wrong = (name: string, value: string, detail: string): number =>
    errors.push(invalidValue(`${field}.${name}`, value, detail));
  if (isMore(min, capacity)) wrong('min', min, `min is larger than capacity value: ${capacity}`);
  if (isMore(min, usual)) wrong('min', usual, `default is less than min: ${min}`);
  if (max !== undefined) {
    if (isMore(min, max)) wrong('max', min, `min is larger than max: ${max}`);
    if (isMore(max, capacity)) wrong('max', max, `max is larger than capacity value: ${capacity}`);
    if (isMore(usual, max)) wrong('max', usual, `default is more than max: ${max}`);
  }
  if (step === undefined) return errors;
  const added = amount(min).add(amount(step));
  if (added.compare(amount(capacity)) > 0) {
    wrong('step', step, `one step ${added.toString()} is larger than capacity value: ${capacity}`);
  }
  for (const value of [usual, ...(max === undefined ? [] : [max])]) {
    const distance = amount(value).value() - amount(min).value();
    if (distance % amount(step).value() === 0) continue;
    wrong('step', value, `value is not a multiple of a given step (${step}) from (${min})`);
  }
  return errors;
}

function checkNodesOfDevice(device: Device, field: string, isPerDevice: boolean): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  if (!isPerDevice) {
    if (nodeName === undefined && nodeSelector === undefined && allNodes === undefined) return [];
    const fields = '`nodeName`, `nodeSelector` and `allNodes`';
    const detail = `${fields} can only be set if \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`;
    return [invalidValue(field, null, detail)];
  }
  const errors: FieldError[] = [];
  if (nodeName === '') errors.push(invalidValue(`${field}.nodeName`, '', 'must not be empty'));
  else if (nodeName !== undefined) errors.push(...checkNodeName(nodeName, `${field}.nodeName`));
  errors.push(...checkNodeSelector(nodeSelector, `${field}.nodeSelector`));
  if (allNodes === false) {
    errors.push(invalidValue(`${field}.allNodes`, allNodes, 'must be either unset or set to true'));
  }
  const given = [
    ...((nodeName ?? '') === '' ? [] : ['`nodeName`']),
    ...(nodeSelector === undefined ? [] : ['`nodeSelector`']),
    ...(allNodes === true ? ['`allNodes`'] : []),
  ];
  if (given.length === 1) return errors;
  const detail =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  const found = given.length === 0 ? required(field, detail) : invalidValue(field, `{${given.join(', ')}}`, detail);
  return [...errors, found];
}
