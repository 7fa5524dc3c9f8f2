import { formatLabelSelector, type LabelSelectorObject } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { column, each, integer, wide } from './column.ts';

/** Names and images of a template's containers; shown only with `-o wide` unless `make` is given. */
export function containerColumns<T>(
  templateOf: (object: T) => PodTemplateSpec | undefined,
  make: typeof column = wide,
): readonly Column<T>[] {
  return [
    make('Containers', 'Names of the containers in the template', (object) => containersOf(templateOf(object), 'name')),
    make('Images', 'Images of the containers in the template', (object) => containersOf(templateOf(object), 'image')),
  ];
}

function containersOf(template: PodTemplateSpec | undefined, field: 'name' | 'image'): string {
  return each(template?.spec?.containers)
    .map((container) => container[field] ?? '')
    .join(',');
}

/** The pods that a controller selects. */
export function selectorColumn<T>(selectorOf: (object: T) => LabelSelectorObject | null | undefined): Column<T> {
  return wide('Selector', 'Labels of the pods that belong to it', (object) =>
    formatLabelSelector(selectorOf(object) ?? undefined),
  );
}

export const PODS_WANTED = 'How many pods there should be';
export const PODS_THERE = 'How many pods there are';
export const PODS_READY = 'How many of its pods are ready';
export const PODS_UPDATED = 'How many of its pods are of the newest template';
export const PODS_AVAILABLE = 'How many of its pods have been ready for long enough';

interface Replicas {
  readonly spec?: { readonly replicas?: number };
  readonly status?: { readonly replicas?: number; readonly readyReplicas?: number };
}

export const replicaColumns: readonly Column<Replicas>[] = [
  integer('Desired', PODS_WANTED, ({ spec }) => spec?.replicas ?? 0),
  integer('Current', PODS_THERE, ({ status }) => status?.replicas ?? 0),
  integer('Ready', PODS_READY, ({ status }) => status?.readyReplicas ?? 0),
];

export const readyOfDesired: Column<Replicas> = column(
  'Ready',
  'How many of the wanted pods are ready',
  ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
);
