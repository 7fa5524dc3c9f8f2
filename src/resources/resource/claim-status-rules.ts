import { type FieldError, forbiddenField, invalidValue, required } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { AllocationResult, DeviceClaim, ResourceClaim } from '../../api/types/resource/v1.d.ts';
import { checkNodeSelector } from '../core/affinity-rules.ts';
import type { Whole } from '../kind.ts';

type Claim = Whole<ResourceClaim>;

interface NamedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  readonly shareID?: string;
}

/** The rules of a claim's status: reservations, allocation, and the drivers' device status. */
export function checkClaimStatus({ metadata, spec, status }: Claim, { status: old }: Claim): FieldError[] {
  const { allocation, reservedFor = [], devices = [] } = status;
  const errors: FieldError[] = [];
  for (const [index, device] of devices.entries()) errors.push(...checkDevice(device, allocation, index));
  if (reservedFor.length > 0 && allocation === undefined) {
    errors.push(forbiddenField('status.reservedFor', 'may not be specified when `allocated` is not set'));
  } else if (metadata.deletionTimestamp !== undefined) {
    const known = old.reservedFor ?? [];
    const detail = 'new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set';
    if (reservedFor.some((consumer) => !known.some((each) => deepEqual(each, consumer))))
      errors.push(forbiddenField('status.reservedFor', detail));
  }
  if (allocation === undefined) return errors;
  if (old.allocation === undefined) return [...errors, ...checkAllocation(allocation, spec.devices)];
  if (deepEqual(allocation, old.allocation)) return errors;
  return [...errors, invalidValue('status.allocation', allocation, 'field is immutable')];
}

function checkDevice(device: NamedDevice, allocation: AllocationResult | undefined, index: number): FieldError[] {
  const { driver, pool, device: name, shareID = '' } = device;
  const isSame = (each: NamedDevice): boolean =>
    each.driver === driver && each.pool === pool && each.device === name && (each.shareID ?? '') === shareID;
  if (allocation?.devices?.results?.some(isSame) === true) return [];
  const shown = { Driver: driver, Pool: pool, Device: name, ShareID: shareID };
  return [invalidValue(`status.devices[${index}]`, shown, 'must be an allocated device in the claim')];
}

/** Everything in an allocation must belong to a request of the claim. */
function checkAllocation({ devices, nodeSelector }: AllocationResult, wanted: DeviceClaim | undefined): FieldError[] {
  const field = 'status.allocation';
  const names = new Set(
    (wanted?.requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((alternative) => `${name}/${alternative.name}`),
    ]),
  );
  const checkName = (name: string, at: string): FieldError[] => {
    const detail =
      "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
    return names.has(name) ? [] : [invalidValue(at, name, detail)];
  };
  const results = (devices?.results ?? []).flatMap(({ request }, index) =>
    checkName(request, `${field}.devices.results[${index}].request`),
  );
  const config = (devices?.config ?? []).flatMap(({ requests = [], opaque }, index) => {
    const at = `${field}.devices.config[${index}]`;
    return [
      ...requests.flatMap((name, position) => checkName(name, `${at}.requests[${position}]`)),
      ...(opaque === undefined ? [required(`${at}.opaque`)] : []),
    ];
  });
  return [...results, ...config, ...checkNodeSelector(nodeSelector, `${field}.nodeSelector`)];
}
