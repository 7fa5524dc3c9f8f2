import {
  asJson,
  type FieldError,
  forbiddenField,
  interfaceAddressProblems,
  internalForm,
  invalidValue,
  notSupported,
  required,
  tooLong,
  tooMany,
} from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type {
  AllocatedDeviceStatus,
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  NetworkDeviceData,
  ResourceClaim,
  ResourceClaimConsumerReference,
} from '../../api/types/resource/v1.d.ts';
import { checkConditions } from '../condition-rules.ts';
import { checkNodeSelector } from '../core/affinity-rules.ts';
import { checkDriverName, needs } from '../core/volume-sources.ts';
import type { Whole } from '../kind.ts';
import { checkRequestName, checkRequestNames, MAX_REQUESTS, requestNames } from './claim-rules.ts';
import {
  checkBinding,
  checkConfiguration,
  checkLabelName,
  checkList,
  checkPoolName,
  checkRawObject,
  checkSet,
} from './device-rules.ts';

type Claim = Whole<ResourceClaim>;

interface NamedDevice {
  readonly driver?: string;
  readonly pool?: string;
  readonly device?: string;
  readonly shareID?: string;
}

const MAX_CONSUMERS = 256;
const MAX_CONFIG = 64;

/** The rules of a claim's status: reservations, allocation, and the drivers' device status. */
export function checkClaimStatus({ metadata, spec, status }: Claim, { status: old }: Claim): FieldError[] {
  const { allocation, reservedFor = [], devices = [] } = status;
  const allocated = allocation?.devices?.results ?? [];
  const errors = [
    ...checkSet(reservedFor, 'status.reservedFor', {
      max: MAX_CONSUMERS,
      check: (consumer: ResourceClaimConsumerReference, at) => needs('resource', 'name', 'uid')(consumer, at),
      key: ({ uid = '' }) => uid,
    }),
    ...checkSet(devices, 'status.devices', {
      max: Infinity,
      check: (device, at) => checkDevice(device, at, allocated),
      key: shownDevice,
    }),
  ];
  if (reservedFor.length > 0 && allocation === undefined) {
    errors.push(forbiddenField('status.reservedFor', 'may not be specified when `allocated` is not set'));
  } else if (metadata.deletionTimestamp !== undefined) {
    const known = old.reservedFor ?? [];
    const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    if (reservedFor.some((consumer) => !known.some((each) => deepEqual(each, consumer))))
      errors.push(forbiddenField('status.reservedFor', detail));
  }
  if (allocation === undefined) return errors;
  if (old.allocation === undefined) {
    return [...errors, ...checkAllocation(allocation, 'status.allocation', requestNames(spec.devices ?? {}))];
  }
  if (deepEqual(allocation, old.allocation)) return errors;
  return [
    ...errors,
    invalidValue('status.allocation', internalForm(allocation, 'resource.v1.AllocationResult'), 'field is immutable'),
  ];
}

/** A device by the names of upstream's internal type. */
function shownDevice({ driver = '', pool = '', device = '', shareID = '' }: NamedDevice): unknown {
  return { Driver: driver, Pool: pool, Device: device, ShareID: shareID };
}

const MAX_CONDITIONS = 8;
const MAX_DATA = 10 * 1024;

function checkDevice(device: AllocatedDeviceStatus, field: string, allocated: readonly NamedDevice[]): FieldError[] {
  const { driver = '', pool = '', device: name = '', shareID, data, networkData } = device;
  const conditions = device.conditions ?? []; // null where the driver has sent none
  const shown = shownDevice(device);
  const isAllocated = allocated.some((each) => deepEqual(shownDevice(each), shown));
  return [
    ...checkDriverName(driver, `${field}.driver`),
    ...checkPoolName(pool, `${field}.pool`),
    ...checkLabelName(name, `${field}.device`),
    ...(shareID === undefined ? [] : checkUid(shareID, `${field}.shareID`)),
    ...(isAllocated ? [] : [invalidValue(field, shown, 'must be an allocated device in the claim')]),
    ...(conditions.length > MAX_CONDITIONS ? [tooMany(`${field}.conditions`, conditions.length, MAX_CONDITIONS)] : []),
    ...checkConditions(conditions, `${field}.conditions`),
    ...(data === undefined || data === null ? [] : checkRawObject(data, `${field}.data`, MAX_DATA)),
    ...(networkData === undefined ? [] : checkNetworkData(networkData, `${field}.networkData`)),
  ];
}

const MAX_INTERFACE_NAME = 256;
const MAX_HARDWARE_ADDRESS = 128;
const MAX_ADDRESSES = 16;

function checkNetworkData(data: NetworkDeviceData, field: string): FieldError[] {
  const { interfaceName = '', hardwareAddress = '', ips = [] } = data;
  const bound = (name: string, value: string, max: number): FieldError[] =>
    Buffer.byteLength(value) > max ? [tooLong(`${field}.${name}`, max)] : [];
  return [
    ...bound('interfaceName', interfaceName, MAX_INTERFACE_NAME),
    ...bound('hardwareAddress', hardwareAddress, MAX_HARDWARE_ADDRESS),
    ...checkSet(ips, `${field}.ips`, {
      max: MAX_ADDRESSES,
      check: (address, at) => interfaceAddressProblems(address).map((problem) => invalidValue(at, address, problem)),
      key: (address) => address,
    }),
  ];
}

/** A UUID in its usual form; others that can be read are refused in other words. */
function checkUid(uid: string, field: string): FieldError[] {
  const says = (detail: string): FieldError[] => [invalidValue(field, uid, detail)];
  const forms: Readonly<Record<number, RegExp>> = {
    36: /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i,
    45: /^urn:uuid:[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i,
    38: /^\{[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}\}$/i,
    32: /^[\da-f]{32}$/i,
  };
  const form = forms[uid.length];
  if (form === undefined) return says(`error validating uid: invalid UUID length: ${uid.length}`);
  if (!form.test(uid)) return says('error validating uid: invalid UUID format');
  if (uid.length === 36 && uid === uid.toLowerCase()) return [];
  const shape = '`xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx`';
  return says(`uid must be in RFC 4122 normalized form, ${shape} with lowercase hexadecimal characters`);
}

/** Everything in an allocation must belong to a request of the claim. */
function checkAllocation(allocation: AllocationResult, field: string, names: ReadonlySet<string>): FieldError[] {
  const { devices = {}, nodeSelector } = allocation;
  return [
    ...checkList(devices.results ?? [], `${field}.devices.results`, {
      max: MAX_REQUESTS,
      check: (result, at) => checkResult(result, at, names),
    }),
    ...checkList(devices.config ?? [], `${field}.devices.config`, {
      max: MAX_CONFIG,
      check: (config, at) => checkConfig(config, at, names),
    }),
    ...checkNodeSelector(nodeSelector, `${field}.nodeSelector`),
  ];
}

function checkResult(result: DeviceRequestAllocationResult, field: string, names: ReadonlySet<string>): FieldError[] {
  const { request = '', driver = '', pool = '', device = '', shareID } = result;
  return [
    ...checkRequestName(request, `${field}.request`, names),
    ...checkDriverName(driver, `${field}.driver`),
    ...checkPoolName(pool, `${field}.pool`),
    ...checkLabelName(device, `${field}.device`),
    ...checkBinding(result, field),
    ...(shareID === undefined ? [] : checkUid(shareID, `${field}.shareID`)),
  ];
}

const SOURCES = ['FromClaim', 'FromClass'];

function checkConfig(config: DeviceAllocationConfiguration, field: string, names: ReadonlySet<string>): FieldError[] {
  const source: string = config.source ?? '';
  const errors: FieldError[] = [];
  if (source === '') errors.push(required(`${field}.source`));
  else if (!SOURCES.includes(source)) errors.push(notSupported(`${field}.source`, asJson(source ?? ''), SOURCES));
  return [
    ...errors,
    ...checkRequestNames(config.requests ?? [], `${field}.requests`, names),
    ...checkConfiguration(config, field),
  ];
}
