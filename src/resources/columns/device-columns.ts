import type { ResourceClaim, ResourceSlice } from '../../api/types/resource/v1.d.ts';
import type { ResourcePoolStatusRequest } from '../../api/types/resource/v1alpha3.d.ts';
import type { DeviceTaintRule } from '../../api/types/resource/v1beta2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageSince } from './age.ts';
import { ageColumn, column, each, integer, nameColumn, NONE } from './column.ts';

export const deviceClassColumns: readonly Column[] = [nameColumn, ageColumn];

export const resourceClaimTemplateColumns: readonly Column[] = [nameColumn, ageColumn];

export const resourceClaimColumns: readonly Column[] = [
  nameColumn,
  column<ResourceClaim>('State', 'Whether devices are allocated, and whether somebody uses them', claimState),
  ageColumn,
];

function claimState({ metadata, status }: ResourceClaim): string {
  const isDeleted = metadata?.deletionTimestamp !== undefined;
  const states = isDeleted ? ['deleted'] : [];
  if (status?.allocation !== undefined)
    states.push('allocated', ...(each(status.reservedFor).length > 0 ? ['reserved'] : []));
  else if (!isDeleted) states.push('pending');
  return states.join(',');
}

export const resourceSliceColumns: readonly Column[] = [
  nameColumn,
  column<ResourceSlice>('Node', 'Node that has the devices', ({ spec }) => spec?.nodeName ?? ''),
  column<ResourceSlice>('Driver', 'Driver of the devices', ({ spec }) => spec?.driver ?? ''),
  column<ResourceSlice>('Pool', 'Pool that the devices are part of', ({ spec }) => spec?.pool?.name ?? ''),
  ageColumn,
];

export const deviceTaintRuleColumns: readonly Column[] = [
  nameColumn,
  column<DeviceTaintRule>('Key', 'Name of the taint', ({ spec }) => spec?.taint?.key ?? ''),
  column<DeviceTaintRule>('Value', 'Value of the taint', ({ spec }) => spec?.taint?.value ?? ''),
  column<DeviceTaintRule>('Effect', 'What it does to pods', ({ spec }) => spec?.taint?.effect ?? ''),
  column<DeviceTaintRule>('TimeAdded', 'Time since it was added', timeAdded),
  ageColumn,
];

function timeAdded({ spec }: DeviceTaintRule, now: number): string {
  const added = spec?.taint?.timeAdded;
  return added === undefined ? '' : ageSince(added, now);
}

type PoolStatus = NonNullable<NonNullable<ResourcePoolStatusRequest['status']>['pools']>[number];

export const resourcePoolStatusRequestColumns: readonly Column[] = [
  nameColumn,
  column<ResourcePoolStatusRequest>('Driver', 'Driver whose pools are counted', ({ spec }) => spec?.driver ?? ''),
  poolSum('Total', ({ totalDevices = 0 }) => totalDevices, 'Devices in all pools'),
  poolSum('Available', ({ availableDevices = 0 }) => availableDevices, 'Devices that are free'),
  poolSum('Allocated', ({ allocatedDevices = 0 }) => allocatedDevices, 'Devices that are in use'),
  poolSum('Unavailable', ({ unavailableDevices = 0 }) => unavailableDevices, 'Devices that cannot be used'),
  poolSum(
    'Errors',
    ({ validationError }) => (validationError === undefined ? 0 : 1),
    'Pools that could not be counted',
  ),
  integer<ResourcePoolStatusRequest>('Pools', 'How many pools match', ({ status }) => status?.poolCount ?? 0),
  column<ResourcePoolStatusRequest>('Status', 'Whether the answer is there', poolStatus),
  column<ResourcePoolStatusRequest>('Completed', 'Time since the answer was found', completed),
];

function poolSum(name: string, amount: (pool: PoolStatus) => number, description: string): Column {
  return column<ResourcePoolStatusRequest>(name, description, (request) => {
    if (request.status === undefined || outcomeOf(request)?.type === 'Failed') return '-';
    return String(each(request.status.pools).reduce((sum, pool) => sum + amount(pool), 0));
  });
}

function outcomeOf({
  status,
}: ResourcePoolStatusRequest): { readonly type: string; readonly lastTransitionTime: string } | undefined {
  return each(status?.conditions).find(
    (condition) => condition.status === 'True' && (condition.type === 'Complete' || condition.type === 'Failed'),
  );
}

/** Says so when there are more pools than are listed. */
function poolStatus(request: ResourcePoolStatusRequest): string {
  const outcome = outcomeOf(request)?.type ?? 'Pending';
  const listed = each(request.status?.pools).length;
  const count = request.status?.poolCount ?? 0;
  return outcome === 'Complete' && count > listed ? `Complete (${listed}/${count} pools)` : outcome;
}

function completed(request: ResourcePoolStatusRequest, now: number): string {
  const outcome = outcomeOf(request);
  return outcome?.type === 'Complete' ? ageSince(outcome.lastTransitionTime, now) : NONE;
}
