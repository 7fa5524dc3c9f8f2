import { formatLabelSelector, type LabelSelectorObject } from '../../api/index.ts';
import type { PodTemplateSpec } from '../../api/types/core/v1.d.ts';
import type { Column } from '../../apiserver/index.ts';
import { column, each, wide } from './column.ts';

/** Where an object has something. */
type Part<T, P> = (object: T) => P;

export interface TemplateColumnOptions {
  /** Shown always, not with `-o wide` only. */
  readonly isAlwaysShown?: boolean;
}

/** Names and images of the containers that the template of a kind has. */
export function containerColumns<T>(
  templateOf: Part<T, PodTemplateSpec | undefined>,
  { isAlwaysShown = false }: TemplateColumnOptions = {},
): readonly Column[] {
  const make = isAlwaysShown ? column : wide;
  return [
    make<T>('Containers', 'Names of the containers in the template', (object) =>
      containersOf(templateOf(object), 'name'),
    ),
    make<T>('Images', 'Images of the containers in the template', (object) =>
      containersOf(templateOf(object), 'image'),
    ),
  ];
}

function containersOf(template: PodTemplateSpec | undefined, field: 'name' | 'image'): string {
  return each(template?.spec?.containers)
    .map((container) => container[field] ?? '')
    .join(',');
}

/** Which pods a controller takes for its own. */
export function selectorColumn<T>(selectorOf: Part<T, LabelSelectorObject | null | undefined>): Column {
  return wide<T>('Selector', 'Labels of the pods that belong to it', (object) =>
    formatLabelSelector(selectorOf(object) ?? undefined),
  );
}
