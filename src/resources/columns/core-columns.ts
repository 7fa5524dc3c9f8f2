import { compareUtf8 } from '../../base/index.ts';
import type { ComponentStatus, ConfigMap, Namespace, ResourceQuota, Secret } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn } from './column.ts';

export const namespaceColumns: readonly Column[] = [
  nameColumn,
  column<Namespace>('Status', 'Whether it is in use or going away', ({ status }) => status?.phase ?? ''),
  ageColumn,
];

export const configMapColumns: readonly Column[] = [
  nameColumn,
  column<ConfigMap>('Data', 'How many entries it has', ({ data, binaryData }) => countOf(data) + countOf(binaryData)),
  ageColumn,
];

export const secretColumns: readonly Column[] = [
  nameColumn,
  column<Secret>('Type', 'What the secret is for', ({ type }) => type ?? ''),
  column<Secret>('Data', 'How many entries it has', ({ data }) => countOf(data)),
  ageColumn,
];

function countOf(entries: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(entries ?? {}).length;
}

export const serviceAccountColumns: readonly Column[] = [nameColumn, ageColumn];

export const componentStatusColumns: readonly Column[] = [
  nameColumn,
  column<ComponentStatus>('Status', 'Whether the component is well', health),
  column<ComponentStatus>(
    'Message',
    'What it says about itself',
    (component) => healthCondition(component)?.message ?? '',
  ),
  column<ComponentStatus>(
    'Error',
    'What went wrong when it was asked',
    (component) => healthCondition(component)?.error ?? '',
  ),
];

function health(component: ComponentStatus): string {
  const condition = healthCondition(component);
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy';
}

function healthCondition({
  conditions,
}: ComponentStatus): NonNullable<ComponentStatus['conditions']>[number] | undefined {
  return each(conditions).find(({ type }) => type === 'Healthy');
}

export const resourceQuotaColumns: readonly Column[] = [
  nameColumn,
  column<ResourceQuota>('Request', 'What is used, and what may be', (quota) => usage(quota, false)),
  column<ResourceQuota>('Limit', 'The same for limits of containers', (quota) => usage(quota, true)),
  ageColumn,
];

/** Names that begin with `limits.` have a column of their own. */
function usage({ status }: ResourceQuota, areLimits: boolean): string {
  const { hard = {}, used = {} } = status ?? {};
  return Object.keys(hard)
    .filter((name) => name.startsWith('limits.') === areLimits)
    .sort(compareUtf8)
    .map((name) => `${name}: ${used[name] ?? '0'}/${hard[name] ?? '0'}`)
    .join(', ');
}
