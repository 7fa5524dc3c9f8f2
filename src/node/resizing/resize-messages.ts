import type { Observed, Pod } from '../../client/index.ts';
import type { EventDetails } from '../../kit/index.ts';
import type { ResourceNeeds } from './allocation.ts';

interface SummarizedContainer {
  readonly name: string;
  readonly resources: ResourceNeeds;
}

/** Events about resizes, with a kubelet's words and its summary of the resources. */
export const resizeEvents = {
  started: (pod: Observed<Pod>): EventDetails => ({
    reason: 'ResizeStarted',
    message: `Pod resize started: ${summary(pod, { generation: pod.metadata.generation ?? 0 })}`,
  }),
  completed: (pod: Observed<Pod>, generation: number): EventDetails => ({
    reason: 'ResizeCompleted',
    message: `Pod resize completed: ${summary(pod, { generation })}`,
  }),
  failed: (pod: Observed<Pod>, generation: number, error: string): EventDetails => ({
    type: 'Warning',
    reason: 'ResizeError',
    message: `Pod resize error: ${summary(pod, { generation, error })}`,
  }),
  pending: (pod: Observed<Pod>, reason: string, error: string): EventDetails => ({
    type: 'Warning',
    reason: reason === 'Infeasible' ? 'ResizeInfeasible' : 'ResizeDeferred',
    message: `Pod resize ${reason}: ${summary(pod, { generation: pod.metadata.generation ?? 0, error })}`,
  }),
} as const;

function summary(
  { spec }: Observed<Pod>,
  { generation, error }: { readonly generation: number; readonly error?: string },
): string {
  const summarized = (
    list: readonly { readonly name: string; readonly resources?: ResourceNeeds }[] = [],
  ): SummarizedContainer[] => list.map(({ name, resources = {} }) => ({ name, resources: inGoOrder(resources) }));
  const initContainers = summarized(spec?.initContainers);
  return JSON.stringify({
    ...(initContainers.length === 0 ? {} : { initContainers }),
    containers: summarized(spec?.containers),
    generation,
    ...(error === undefined || error === '' ? {} : { error }),
  });
}

/** Go writes limits first, and the names of a map in order. */
function inGoOrder({ limits, requests, claims }: ResourceNeeds): ResourceNeeds {
  const sorted = (amounts: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(Object.entries(amounts).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  return {
    ...(limits === undefined ? {} : { limits: sorted(limits) }),
    ...(requests === undefined ? {} : { requests: sorted(requests) }),
    ...(claims === undefined ? {} : { claims }),
  };
}
