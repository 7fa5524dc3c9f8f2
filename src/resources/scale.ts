import { invalidValue, matchLabels, matchLabelSelector, ValueError, withMeta } from '../api/index.ts';
import type { ApiObject, FieldError } from '../api/index.ts';
import type { LabelSelector } from '../api/types/meta/v1.d.ts';
import { ageColumn, integer, nameColumn } from './columns/column.ts';
import type { SubresourceMaker } from './kind.ts';

interface Scalable {
  readonly spec: { readonly replicas?: number; readonly selector?: unknown };
  readonly status: { readonly replicas?: number };
}

/** The `scale` subresource: current and desired replicas, as autoscaling/v1. */
export const scaleOfSelector: SubresourceMaker = scale((selector) => {
  const matcher = matchLabelSelector(selector as LabelSelector | undefined);
  return matcher instanceof ValueError ? '' : matcher.toString();
});

/** The same for a selector that is a plain map (ReplicationController). */
export const scaleOfLabels: SubresourceMaker = scale((selector) =>
  matchLabels(selector as Readonly<Record<string, string>> | undefined).toString(),
);

function scale(print: (selector: unknown) => string): SubresourceMaker {
  return (info) => ({
    type: 'projection',
    verbs: info.verbs,
    kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
    struct: info.type,
    columns: [
      { ...nameColumn, format: '' },
      integer('Desired', 'How many pods there should be', ({ spec }) => replicasIn(spec)),
      integer('Available', 'How many pods there are', ({ status }) => replicasIn(status)),
      ageColumn,
    ],
    replicasPath: ['spec', 'replicas'],
    project: (object) => scaleOf(object, print),
    merge(object, changed) {
      const { replicas: _, ...rest } = object['spec'] as Record<string, unknown>;
      return {
        ...object,
        metadata: withMeta(object.metadata, { resourceVersion: changed.metadata.resourceVersion }),
        spec: { replicas: replicasIn(changed['spec']), ...rest }, // replicas is the first member of all these specs
      };
    },
    validate: checkScale,
  });
}

function replicasIn(part: unknown): number {
  return (part as { readonly replicas?: number } | undefined)?.replicas ?? 0;
}

function scaleOf(object: ApiObject, print: (selector: unknown) => string): ApiObject {
  const { spec, status } = object as unknown as Scalable;
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const selector = print(spec.selector);
  const replicas = spec.replicas ?? 0;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: withMeta({}, { name, namespace, uid, resourceVersion, creationTimestamp }),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: status.replicas ?? 0, ...(selector === '' ? {} : { selector }) },
  };
}

function checkScale(scale: ApiObject): FieldError[] {
  const replicas = replicasIn(scale['spec']);
  if (replicas >= 0) return [];
  return [invalidValue('spec.replicas', replicas, 'must be greater than or equal to 0')];
}
