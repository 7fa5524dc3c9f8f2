import type { MetricSpec } from '../../api/types/autoscaling/v2.d.ts';
import { type DeepReadonly, messageOf } from '../../base/index.ts';
import { DetailedError, type MetricContext, type Proposal } from './metric-context.ts';
import { ofPods, ofResource } from './pod-proposal.ts';
import { ofExternal, ofObject } from './shared-proposal.ts';

type Spec = DeepReadonly<MetricSpec>;

/** Why a metric has no proposal. */
export class MetricError extends Error {
  /** The reason in events and conditions. */
  readonly reason: string;
  /** The message for the summary of all metrics. */
  readonly summary: string;

  constructor(reason: string, message: string, summary: string) {
    super(message);
    this.reason = reason;
    this.summary = summary;
  }
}

/** Reads a metric and computes the replicas that it proposes. Throws a MetricError when that fails. */
export async function propose(spec: Spec, context: MetricContext): Promise<Proposal> {
  const { reason, doing, work } = sourceOf(spec, context);
  const startMs = context.clock.monotonic();
  const tell = (proposed: number | undefined): void =>
    context.computed(spec.type, { proposed, isUnknown: doing === '', ms: context.clock.monotonic() - startMs });
  try {
    const proposal = await work();
    tell(proposal.replicas);
    return proposal;
  } catch (error) {
    context.signal.throwIfAborted();
    tell(undefined);
    const message = messageOf(error);
    const inner = error instanceof DetailedError ? error.detail : message;
    throw new MetricError(reason, message, doing === '' ? inner : `${doing}: ${inner}`);
  }
}

interface Source {
  readonly reason: string;
  readonly doing: string;
  readonly work: () => Promise<Proposal>;
}

function sourceOf({ type, resource, containerResource, pods, object, external }: Spec, context: MetricContext): Source {
  if (type === 'Resource' && resource !== undefined) {
    const { name, target } = resource;
    return {
      reason: 'FailedGetResourceMetric',
      doing: `failed to get ${name} resource metric value`,
      work: async () => {
        const { current, ...proposal } = await ofResource({ name }, target, context);
        return { ...proposal, status: { type, resource: { name, current } } };
      },
    };
  }
  if (type === 'ContainerResource' && containerResource !== undefined) {
    const { name, container, target } = containerResource;
    return {
      reason: 'FailedGetContainerResourceMetric',
      doing: `failed to get ${container} container metric value`,
      work: async () => {
        const { current, ...proposal } = await ofResource({ name, container }, target, context);
        return { ...proposal, status: { type, containerResource: { name, container, current } } };
      },
    };
  }
  if (type === 'Pods' && pods !== undefined)
    return {
      reason: 'FailedGetPodsMetric',
      doing: 'failed to get pods metric value',
      work: () => ofPods(pods, context),
    };
  if (type === 'Object' && object !== undefined)
    return {
      reason: 'FailedGetObjectMetric',
      doing: 'failed to get object metric value',
      work: () => ofObject(object, context),
    };
  if (type === 'External' && external !== undefined)
    return {
      reason: 'FailedGetExternalMetric',
      doing: `failed to get ${external.metric.name} external metric value`,
      work: () => ofExternal(external, context),
    };
  return {
    reason: 'InvalidMetricSourceType',
    doing: '',
    work: () => Promise.reject(new Error(`unknown metric source type "${type}"`)),
  };
}
