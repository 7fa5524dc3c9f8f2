import { type FieldError, invalidValue } from '../../api/index.ts';
import type { ResourceQuota, ResourceQuotaSpec } from '../../api/types/core/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { type ResourceList, roundToMilli } from './resource-list.ts';
import { checkResourceAmount, checkResourceName } from './resource-rules.ts';

export const resourceQuotas = defineKind<ResourceQuota>({
  group: '',
  plural: 'resourcequotas',
  columns: [
    nameColumn,
    column('Request', 'What is used, and what may be', (quota) => usage(quota, false)),
    column('Limit', 'The same for limits of containers', (quota) => usage(quota, true)),
    ageColumn,
  ],
  judges: ['spec.scopes'],
  returnsDeletedObject: true,

  applyDefaults({ spec, status }) {
    for (const list of [spec.hard, status.hard, status.used]) roundToMilli(list);
  },

  validate: checkResourceQuota,
  validateUpdate: checkResourceQuotaUpdate,
  validateStatus: checkResourceQuotaStatus,
});

const QUOTA_RESOURCES = new Set([
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
]);

const SCOPES = new Set([
  'BestEffort',
  'CrossNamespacePodAffinity',
  'NotBestEffort',
  'NotTerminating',
  'PriorityClass',
  'Terminating',
  'VolumeAttributesClass',
]);

/** Resources that count pods; scopes pick pods, so only these go with them. */
const POD_RESOURCES = new Set([
  'pods',
  'cpu',
  'memory',
  'ephemeral-storage',
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
]);

function checkResourceQuota({ spec, status }: Whole<ResourceQuota>): FieldError[] {
  return [
    ...checkList(spec.hard ?? {}, 'spec.hard'),
    ...checkScopes(spec),
    ...checkList(status.hard ?? {}, 'status.hard'),
    ...checkList(status.used ?? {}, 'status.used'),
  ];
}

function checkList(list: ResourceList, field: string): FieldError[] {
  return Object.entries(list).flatMap(([name, text]) => {
    const at = `${field}[${name}]`;
    const isKnown = name.includes('/') || QUOTA_RESOURCES.has(name) || /^(requests\.)?hugepages-/.test(name);
    return [
      ...checkResourceName(name, at),
      ...(isKnown ? [] : [invalidValue(at, name, 'must be a standard resource for quota')]),
      ...checkResourceAmount(name, text, at),
    ];
  });
}

function checkScopes({ scopes = [], hard = {} }: ResourceQuotaSpec): FieldError[] {
  const field = 'spec.scopes';
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES.has(scope) ? [] : [invalidValue(field, scopes, 'unsupported scope')]),
    ...Object.keys(hard)
      .filter((name) => QUOTA_RESOURCES.has(name) && !fits(scope, name))
      .map(() => invalidValue(field, scopes, 'unsupported scope applied to resource')),
  ]);
  for (const [left, right] of [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ] as const) {
    if (scopes.includes(left) && scopes.includes(right)) errors.push(invalidValue(field, scopes, 'conflicting scopes'));
  }
  return errors;
}

function fits(scope: string, name: string): boolean {
  switch (scope) {
    case 'BestEffort':
      return name === 'pods';
    case 'VolumeAttributesClass':
      return name === 'persistentvolumeclaims' || name === 'requests.storage';
    default:
      return SCOPES.has(scope) ? POD_RESOURCES.has(name) : true;
  }
}

function checkResourceQuotaUpdate(quota: Whole<ResourceQuota>, old: Whole<ResourceQuota>): FieldError[] {
  const now = new Set<string>(quota.spec.scopes ?? []);
  const was = new Set<string>(old.spec.scopes ?? []);
  const isSame = now.size === was.size && [...was].every((scope) => now.has(scope));
  return [
    ...checkList(quota.spec.hard ?? {}, 'spec.hard'),
    ...checkScopes(quota.spec),
    ...(isSame ? [] : [invalidValue('spec.scopes', quota.spec.scopes ?? null, 'field is immutable')]),
  ];
}

function checkResourceQuotaStatus({ status }: Whole<ResourceQuota>): FieldError[] {
  return [...checkList(status.hard ?? {}, 'status.hard'), ...checkList(status.used ?? {}, 'status.used')];
}

/** Names that begin with `limits.` have a column of their own. */
function usage({ status }: ResourceQuota, areLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === areLimits)
    .sort(compareUtf8)
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`)
    .join(', ');
}
