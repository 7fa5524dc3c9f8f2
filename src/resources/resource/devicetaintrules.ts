import { type FieldError, formatTime, instantOfMillis, tooMany } from '../../api/index.ts';
import type { DeviceTaintRule, ResourcePoolStatusRequest } from '../../api/types/resource/v1alpha3.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { changes } from '../change.ts';
import { ageSince } from '../../apiserver/index.ts';
import { ageColumn, column, each, integer, nameColumn, NONE } from '../columns/column.ts';
import { checkConditions } from '../condition-rules.ts';
import { checkDriverName } from '../core/volume-sources.ts';
import { defineKind, type Kind, type Whole } from '../kind.ts';
import type { KindEnvironment } from '../kind-environment.ts';
import { checkLabelName, checkPoolName, checkTaintTexts } from './device-rules.ts';
import { GROUP } from './versions.ts';

type Rule = Whole<DeviceTaintRule>;

/** The alpha kinds about devices: taint rules, and pool status requests. */
export function deviceTaintRules({ clock }: KindEnvironment): Kind {
  return defineKind<DeviceTaintRule>({
    group: GROUP,
    plural: 'devicetaintrules',
    columns: [
      nameColumn,
      column('Key', 'Name of the taint', ({ spec }) => spec?.taint?.key ?? ''),
      column('Value', 'Value of the taint', ({ spec }) => spec?.taint?.value ?? ''),
      column('Effect', 'What it does to pods', ({ spec }) => spec?.taint?.effect ?? ''),
      column('TimeAdded', 'Time since it was added', timeAdded),
      ageColumn,
    ],
    storedVersion: 'v1alpha3',
    announcedVersions: ['v1beta2@1.37'],
    deprecations: {
      v1alpha3: 'resource.k8s.io/v1alpha3 DeviceTaintRule is deprecated in v1.36+, unavailable in v1.39+',
    },
    returnsDeletedObject: true,
    returnsStatusIn: ['v1'],
    statusMetadata: 'owned',
    raisesGeneration: changes('spec'),
    ownRulesFor: [
      'spec.deviceSelector.driver',
      'spec.deviceSelector.pool',
      'spec.deviceSelector.device',
      'spec.taint.key',
      'spec.taint.value',
    ],
    validate: checkTaintRule,
    validateStatus: ({ status }) => {
      const { conditions = [] } = status;
      return [
        ...checkConditions(conditions, CONDITIONS),
        ...(conditions.length > MAX_CONDITIONS ? [tooMany(CONDITIONS, conditions.length, MAX_CONDITIONS)] : []),
      ];
    },

    /** A taint starts when it is sent. */
    applyDefaults(rule) {
      if (rule.spec.taint.timeAdded === undefined) setTime(rule, clock.now());
    },

    /** It starts again when its effect changes. */
    prepareForUpdate(rule, old, { now }) {
      const { taint } = rule.spec;
      const was = old.spec.taint;
      if (taint.effect !== was.effect && taint.timeAdded === was.timeAdded) setTime(rule, now);
    },
  });
}

const CONDITIONS = 'status.conditions';
const MAX_CONDITIONS = 8;

function checkTaintRule({ spec }: Rule): FieldError[] {
  const { driver, pool, device } = spec.deviceSelector ?? {};
  return [
    ...(driver === undefined ? [] : checkDriverName(driver, 'spec.deviceSelector.driver')),
    ...(pool === undefined ? [] : checkPoolName(pool, 'spec.deviceSelector.pool')),
    ...(device === undefined ? [] : checkLabelName(device, 'spec.deviceSelector.device')),
    ...checkTaintTexts(spec.taint ?? {}, 'spec.taint'),
  ];
}

function setTime(rule: Rule, now: number): void {
  rule.spec = { ...rule.spec, taint: { ...rule.spec.taint, timeAdded: formatTime(instantOfMillis(now)) } };
}

export const resourcePoolStatusRequests = defineKind<ResourcePoolStatusRequest>({
  group: GROUP,
  plural: 'resourcepoolstatusrequests',
  columns: [
    nameColumn,
    column('Driver', 'Driver whose pools are counted', ({ spec }) => spec?.driver ?? ''),
    poolSum('Total', ({ totalDevices = 0 }) => totalDevices, 'Devices in all pools'),
    poolSum('Available', ({ availableDevices = 0 }) => availableDevices, 'Devices that are free'),
    poolSum('Allocated', ({ allocatedDevices = 0 }) => allocatedDevices, 'Devices that are in use'),
    poolSum('Unavailable', ({ unavailableDevices = 0 }) => unavailableDevices, 'Devices that cannot be used'),
    poolSum(
      'Errors',
      ({ validationError }) => (validationError === undefined ? 0 : 1),
      'Pools that could not be counted',
    ),
    integer('Pools', 'How many pools match', ({ status }) => status?.poolCount ?? 0),
    column('Status', 'Whether the answer is there', poolStatus),
    column('Completed', 'Time since the answer was found', completed),
  ],
  storedVersion: 'v1alpha3',
  requiresResourceVersion: true,
  returnsDeletedObject: true,
  statusMetadata: 'owned',
});

function timeAdded({ spec }: DeviceTaintRule, now: number): string {
  const added = spec?.taint?.timeAdded;
  return added === undefined ? '' : ageSince(added, now);
}

type PoolStatus = NonNullable<NonNullable<ResourcePoolStatusRequest['status']>['pools']>[number];

function poolSum(
  name: string,
  amount: (pool: PoolStatus) => number,
  description: string,
): Column<ResourcePoolStatusRequest> {
  return column(name, description, (request) => {
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

/** Shows if there are more pools than are listed. */
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
