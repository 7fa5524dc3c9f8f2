import { compareUtf8 } from '../../base/index.ts';
import type { ComponentStatus, ConfigMap, Namespace, ResourceQuota, Secret } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { ageColumn, column, each, nameColumn } from './column.ts';

export const namespaceColumns: readonly Column[] = [
  nameColumn,
  column<Namespace>('Status', ({ status }) => status?.phase ?? '', {
    description: 'Whether it is in use or going away',
  }),
  ageColumn,
];

export const configMapColumns: readonly Column[] = [
  nameColumn,
  column<ConfigMap>('Data', ({ data, binaryData }) => countOf(data) + countOf(binaryData), {
    description: 'How many entries it has',
  }),
  ageColumn,
];

export const secretColumns: readonly Column[] = [
  nameColumn,
  column<Secret>('Type', ({ type }) => type ?? '', { description: 'What the secret is for' }),
  column<Secret>('Data', ({ data }) => countOf(data), { description: 'How many entries it has' }),
  ageColumn,
];

function countOf(entries: Readonly<Record<string, unknown>> | undefined): number {
  return Object.keys(entries ?? {}).length;
}

export const serviceAccountColumns: readonly Column[] = [nameColumn, ageColumn];

export const componentStatusColumns: readonly Column[] = [
  nameColumn,
  column<ComponentStatus>('Status', health, { description: 'Whether the component is well' }),
  column<ComponentStatus>('Message', (component) => healthCondition(component)?.message ?? '', {
    description: 'What it says about itself',
  }),
  column<ComponentStatus>('Error', (component) => healthCondition(component)?.error ?? '', {
    description: 'What went wrong when it was asked',
  }),
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
  column<ResourceQuota>('Request', (quota) => usage(quota, false), { description: 'What is used, and what may be' }),
  column<ResourceQuota>('Limit', (quota) => usage(quota, true), { description: 'The same for limits of containers' }),
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
