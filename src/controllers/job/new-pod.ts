import { controllerReference } from '../../api/meaning/index.ts';
import type { Container, Pod as PodObject } from '../../api/types/core/v1.d.ts';
import type { DeepReadonly } from '../../base/index.ts';
import { Job, type Observed, type Sendable } from '../../client/index.ts';
import { podFromTemplate } from '../pods/index.ts';
import { judgeFailure } from './failure-policy.ts';
import {
  COMPLETION_INDEX,
  failuresBefore,
  IGNORED_INDEX_FAILURES,
  INDEX_FAILURES,
  TRACKING_FINALIZER,
} from './job-pod.ts';
import type { JobView } from './job-view.ts';

const INDEX_VARIABLE = 'JOB_COMPLETION_INDEX';
/** Maximum length of `generateName` that the API server keeps. */
const MAX_PREFIX_LENGTH = 58;

/** A tracked pod for a Job. */
export function newPod({ job, spec }: JobView): Sendable<PodObject> {
  const pod = podFromTemplate(spec.template, controllerReference(job, Job), job.metadata.namespace ?? '');
  const finalizers = new Set([...(pod.metadata?.finalizers ?? []), TRACKING_FINALIZER]);
  return { ...pod, metadata: { ...pod.metadata, finalizers: [...finalizers] } };
}

/** A pod for a completion index, replacing the failed one, if any. */
export function newIndexPod(
  view: JobView,
  index: number,
  replaced: Observed<PodObject> | undefined,
): Sendable<PodObject> {
  const { metadata, spec } = newPod(view);
  const { name } = view.job.metadata;
  const mark = { [COMPLETION_INDEX]: `${index}` };
  const failures = view.indexLimit === undefined ? {} : failureMarks(view, replaced);
  return {
    metadata: {
      ...metadata,
      generateName: prefixOf(name, index),
      labels: { ...metadata?.labels, ...mark },
      annotations: { ...metadata?.annotations, ...mark, ...failures },
    },
    spec: {
      ...spec,
      hostname: `${name}-${index}`,
      ...(spec?.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(withIndexVariable) }),
      containers: (spec?.containers ?? []).map(withIndexVariable),
    },
  };
}

function prefixOf(name: string, index: number): string {
  const ending = `-${index}-`;
  const whole = `${name}${ending}`;
  return whole.length <= MAX_PREFIX_LENGTH ? whole : `${whole.slice(0, MAX_PREFIX_LENGTH - ending.length)}${ending}`;
}

/** The failure count annotations, including the replaced pod. */
function failureMarks({ spec }: JobView, replaced: Observed<PodObject> | undefined): Record<string, string> {
  if (replaced === undefined) return { [INDEX_FAILURES]: '0' };
  const { counted, ignored } = failuresBefore(replaced);
  const isIgnored = judgeFailure(spec.podFailurePolicy, replaced).action === 'Ignore';
  const allIgnored = ignored + Number(isIgnored);
  return {
    [INDEX_FAILURES]: `${counted + Number(!isIgnored)}`,
    ...(allIgnored === 0 ? {} : { [IGNORED_INDEX_FAILURES]: `${allIgnored}` }),
  };
}

function withIndexVariable(container: DeepReadonly<Container>): DeepReadonly<Container> {
  const { env = [] } = container;
  if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
  const valueFrom = { fieldRef: { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` } };
  return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom }] };
}
