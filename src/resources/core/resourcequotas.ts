import { type FieldError, invalidValue, sentEmpty } from '../../api/index.ts';
import type { ResourceQuota } from '../../api/types/core/v1.d.ts';
import { compareUtf8 } from '../../base/index.ts';
import { ageColumn, column, nameColumn } from '../columns/column.ts';
import { defineKind, type Whole } from '../kind.ts';
import { type ResourceList, roundToMilli } from './resource-list.ts';
import { checkScopes, checkScopeSelector } from './resourcequota-scope-rules.ts';
import {
  checkResourceAmount,
  checkResourceName,
  COMPUTE_RESOURCES,
  COUNTED_RESOURCES,
  isQuotaHugepages,
} from './resource-rules.ts';

export const resourceQuotas = defineKind<ResourceQuota>({
  group: '',
  plural: 'resourcequotas',
  columns: [
    nameColumn,
    column('Request', 'What is used, and what may be', (quota) => usage(quota, false)),
    column('Limit', 'The same for limits of containers', (quota) => usage(quota, true)),
    ageColumn,
  ],
  ownRulesFor: [
    'spec.scopes',
    'spec.scopeSelector.matchExpressions.scopeName',
    'spec.scopeSelector.matchExpressions.operator',
  ],
  returnsDeletedObject: true,

  applyDefaults({ spec, status }) {
    for (const list of [spec.hard, status.hard, status.used]) roundToMilli(list);
  },

  validate: checkResourceQuota,
  validateUpdate: checkResourceQuotaUpdate,
  validateStatus: checkResourceQuotaStatus,
});

const QUOTA_RESOURCES = new Set([...COMPUTE_RESOURCES, ...COUNTED_RESOURCES, 'requests.storage']);
const isStandard = (name: string): boolean => QUOTA_RESOURCES.has(name) || isQuotaHugepages(name);

function checkResourceQuota({ spec, status }: Whole<ResourceQuota>): FieldError[] {
  return [
    ...checkList(spec.hard ?? {}, 'spec.hard'),
    ...checkScopes(spec, isStandard),
    ...checkScopeSelector(spec, isStandard),
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

function checkResourceQuotaUpdate(quota: Whole<ResourceQuota>, old: Whole<ResourceQuota>): FieldError[] {
  const now = new Set<string>(quota.spec.scopes ?? []);
  const was = new Set<string>(old.spec.scopes ?? []);
  const isSame = now.size === was.size && [...was].every((scope) => now.has(scope));
  return [
    ...checkList(quota.spec.hard ?? {}, 'spec.hard'),
    ...checkScopes(quota.spec, isStandard),
    ...checkScopeSelector(quota.spec, isStandard),
    ...(isSame
      ? []
      : [invalidValue('spec.scopes', quota.spec.scopes ?? sentEmpty(quota.spec, 'scopes'), 'field is immutable')]),
  ];
}

function checkResourceQuotaStatus({ status }: Whole<ResourceQuota>): FieldError[] {
  return [...checkList(status.hard ?? {}, 'status.hard'), ...checkList(status.used ?? {}, 'status.used')];
}

/** Names that start with `limits.` are in a separate column. */
function usage({ status }: ResourceQuota, areLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === areLimits)
    .sort(compareUtf8)
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`)
    .join(', ');
}
