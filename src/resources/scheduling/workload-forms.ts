import type { ApiObject } from '../../api/index.ts';
import { each } from '../columns/column.ts';
import type { Conversion } from '../kind.ts';

type Members = Readonly<Record<string, unknown>>;
type Change = (spec: Members) => Members;

function onSpec(object: ApiObject, change: Change): ApiObject {
  const spec = object['spec'] as Members | undefined;
  return spec === undefined ? object : { ...object, spec: change(spec) };
}

function onTemplates(change: Change): Change {
  return (spec) => ({ ...spec, podGroupTemplates: each(spec['podGroupTemplates'] as readonly Members[]).map(change) });
}

function conversion(toStored: Change, fromStored: Change): Conversion {
  return {
    toStored: (object) => onSpec(object, toStored),
    fromStored: (object) => onSpec(object, fromStored),
  };
}

/** In the first alpha version (1.35), templates of pod groups are called groups, and have nothing but a policy. */
export const firstWorkloads = conversion(
  ({ podGroups, ...spec }) => ({
    ...spec,
    podGroupTemplates: each(podGroups as readonly Members[]).map(({ name, policy }) => ({
      name,
      schedulingPolicy: policy,
    })),
  }),
  ({ podGroupTemplates, ...spec }) => ({
    ...spec,
    podGroups: each(podGroupTemplates as readonly Members[]).map(({ name, schedulingPolicy }) => ({
      name,
      policy: schedulingPolicy,
    })),
  }),
);

/** From 1.37 on, the way of disruption is a union instead of a word. */
function withUnion({ disruptionMode, ...others }: Members): Members {
  if (disruptionMode === undefined) return others;
  return { ...others, disruptionMode: disruptionMode === 'PodGroup' ? { all: {} } : { single: {} } };
}

function withWord({ disruptionMode, ...others }: Members): Members {
  if (disruptionMode === undefined) return others;
  const isWhole = (disruptionMode as Members)['all'] !== undefined;
  return { ...others, disruptionMode: isWhole ? 'PodGroup' : 'Pod' };
}

/** From 1.37 on, a pod group names its template directly. */
function withReference({ podGroupTemplateRef, ...spec }: Members): Members {
  const template = (podGroupTemplateRef as { readonly workload?: Members } | undefined)?.workload;
  if (template === undefined) return withUnion(spec);
  const workloadRef = { workloadName: template['workloadName'], templateName: template['podGroupTemplateName'] };
  return { workloadRef, ...withUnion(spec) };
}

function withTemplate({ workloadRef, ...spec }: Members): Members {
  if (workloadRef === undefined) return withWord(spec);
  const { workloadName, templateName } = workloadRef as Members;
  return {
    podGroupTemplateRef: { workload: { workloadName, podGroupTemplateName: templateName } },
    ...withWord(spec),
  };
}

/** v1alpha2, which 1.36 serves, for a version that stores the form of v1beta1. */
export const earlierWorkloads = conversion(onTemplates(withUnion), onTemplates(withWord));
export const earlierPodGroups = conversion(withReference, withTemplate);

/** v1alpha3 and v1beta1, which have the same form, for a version that stores v1alpha2. */
export const laterWorkloads = conversion(onTemplates(withWord), onTemplates(withUnion));
export const laterPodGroups = conversion(withTemplate, withReference);
