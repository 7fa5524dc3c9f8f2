import type { ResourceClaim, ResourceSlice } from '../../api/types/resource/v1.d.ts';
import type { ResourcePoolStatusRequest } from '../../api/types/resource/v1alpha3.d.ts';
import type { DeviceTaintRule } from '../../api/types/resource/v1beta2.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageSince } from './age.ts';
import { ageColumn, column, each, nameColumn, NONE } from './column.ts';

export const deviceClassColumns: readonly Column[] = [nameColumn, ageColumn];

export const resourceClaimTemplateColumns: readonly Column[] = [nameColumn, ageColumn];

export const resourceClaimColumns: readonly Column[] = [
  nameColumn,
  column<ResourceClaim>('State', claimState, {
    description: 'Whether devices are allocated, and whether somebody uses them',
  }),
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
  column<ResourceSlice>('Node', ({ spec }) => spec?.nodeName ?? '', { description: 'Node that has the devices' }),
  column<ResourceSlice>('Driver', ({ spec }) => spec?.driver ?? '', { description: 'Driver of the devices' }),
  column<ResourceSlice>('Pool', ({ spec }) => spec?.pool?.name ?? '', {
    description: 'Pool that the devices are part of',
  }),
  ageColumn,
];

export const deviceTaintRuleColumns: readonly Column[] = [
  nameColumn,
  column<DeviceTaintRule>('Key', ({ spec }) => spec?.taint?.key ?? '', { description: 'Name of the taint' }),
  column<DeviceTaintRule>('Value', ({ spec }) => spec?.taint?.value ?? '', { description: 'Value of the taint' }),
  column<DeviceTaintRule>('Effect', ({ spec }) => spec?.taint?.effect ?? '', { description: 'What it does to pods' }),
  column<DeviceTaintRule>('TimeAdded', timeAdded, { description: 'Time since it was added' }),
  ageColumn,
];

function timeAdded({ spec }: DeviceTaintRule, now: number): string {
  const added = spec?.taint?.timeAdded;
  return added === undefined ? '' : ageSince(added, now);
}

type PoolStatus = NonNullable<NonNullable<ResourcePoolStatusRequest['status']>['pools']>[number];

export const resourcePoolStatusRequestColumns: readonly Column[] = [
  nameColumn,
  column<ResourcePoolStatusRequest>('Driver', ({ spec }) => spec?.driver ?? '', {
    description: 'Driver whose pools are counted',
  }),
  poolSum('Total', ({ totalDevices = 0 }) => totalDevices, 'Devices in all pools'),
  poolSum('Available', ({ availableDevices = 0 }) => availableDevices, 'Devices that are free'),
  poolSum('Allocated', ({ allocatedDevices = 0 }) => allocatedDevices, 'Devices that are in use'),
  poolSum('Unavailable', ({ unavailableDevices = 0 }) => unavailableDevices, 'Devices that cannot be used'),
  poolSum(
    'Errors',
    ({ validationError }) => (validationError === undefined ? 0 : 1),
    'Pools that could not be counted',
  ),
  column<ResourcePoolStatusRequest>('Pools', ({ status }) => status?.poolCount ?? 0, {
    type: 'integer',
    description: 'How many pools match',
  }),
  column<ResourcePoolStatusRequest>('Status', poolStatus, { description: 'Whether the answer is there' }),
  column<ResourcePoolStatusRequest>('Completed', completed, { description: 'Time since the answer was found' }),
];

function poolSum(name: string, amount: (pool: PoolStatus) => number, description: string): Column {
  return column<ResourcePoolStatusRequest>(
    name,
    (request) => {
      if (request.status === undefined || outcomeOf(request)?.type === 'Failed') return '-';
      return String(each(request.status.pools).reduce((sum, pool) => sum + amount(pool), 0));
    },
    { description },
  );
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
