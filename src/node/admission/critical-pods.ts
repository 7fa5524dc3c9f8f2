// Which pods a node ends to make room for one that it cannot do without.
import { podRequests, qosClassOf } from '../../api/meaning/index.ts';
import type { Observed, Pod } from '../../client/index.ts';
import { isCriticalPod } from '../eviction/index.ts';

/** How much of a resource the node lacks: thousandths of a processor, bytes, or a count. */
export interface Shortage {
  readonly resource: string;
  readonly amount: number;
}

const CLASSES = ['BestEffort', 'Burstable', 'Guaranteed'] as const;

/**
 * The pods to end so that the node has what it lacks for a critical pod; undefined when ending all of them would not be enough.
 *
 * Guaranteed pods are spared before burstable ones, and those before the others: of each class only as many are chosen as are needed
 * after all pods of lower classes. Of a class, the pods that come closest to what is missing go first, so that few have to.
 */
export function podsToPreempt(
  preemptor: Observed<Pod>,
  active: readonly Observed<Pod>[],
  shortages: readonly Shortage[],
): readonly Observed<Pod>[] | undefined {
  const byClass = CLASSES.map((name) => active.filter((pod) => mayPreempt(preemptor, pod) && qosClassOf(pod) === name));
  const [bestEffort = [], burstable = [], guaranteed = []] = byClass.map((pods) => pods.map(requestsOf));
  if (lacking(shortages, [...bestEffort, ...burstable, ...guaranteed]).length > 0) return undefined;
  const ofGuaranteed = closest(guaranteed, lacking(shortages, [...bestEffort, ...burstable]));
  const ofBurstable = closest(burstable, lacking(shortages, [...bestEffort, ...ofGuaranteed]));
  const ofBestEffort = closest(bestEffort, lacking(shortages, [...ofBurstable, ...ofGuaranteed]));
  return [...ofBestEffort, ...ofBurstable, ...ofGuaranteed].map(({ pod }) => pod);
}

function mayPreempt(preemptor: Observed<Pod>, pod: Observed<Pod>): boolean {
  if (isCriticalPod(preemptor) && !isCriticalPod(pod)) return true;
  const [own, other] = [preemptor.spec?.priority, pod.spec?.priority];
  return own !== undefined && other !== undefined && own > other;
}

interface Candidate {
  readonly pod: Observed<Pod>;
  /** What its end frees of a resource. */
  readonly frees: (resource: string) => number;
}

function requestsOf(pod: Observed<Pod>): Candidate {
  const requests = podRequests({ spec: pod.spec ?? { containers: [] } });
  const frees = (resource: string): number => {
    if (resource === 'pods') return 1;
    const amount = requests.get(resource);
    return (resource === 'cpu' ? amount?.milliValue() : amount?.value()) ?? 0;
  };
  return { pod, frees };
}

/** What is still missing when these pods have ended. */
function lacking(shortages: readonly Shortage[], ended: readonly Candidate[]): readonly Shortage[] {
  return shortages.flatMap(({ resource, amount }) => {
    const left = ended.reduce((rest, { frees }) => rest - frees(resource), amount);
    return left > 0 ? [{ resource, amount: left }] : [];
  });
}

/** Takes one pod after the other, each time the one that leaves the least missing. */
function closest(candidates: readonly Candidate[], shortages: readonly Shortage[]): readonly Candidate[] {
  const left = [...candidates];
  const chosen: Candidate[] = [];
  let missing = shortages;
  while (missing.length > 0 && left.length > 0) {
    const now = missing;
    const best = left.reduce((found, each) => (isBetter(each, found, now) ? each : found));
    left.splice(left.indexOf(best), 1);
    chosen.push(best);
    missing = lacking(missing, [best]);
  }
  return chosen;
}

function isBetter(one: Candidate, other: Candidate, shortages: readonly Shortage[]): boolean {
  const [own, others] = [distance(one, shortages), distance(other, shortages)];
  if (own !== others) return own < others;
  for (const resource of ['memory', 'cpu'])
    if (one.frees(resource) !== other.frees(resource)) return one.frees(resource) < other.frees(resource);
  return false;
}

/** Shares that would still be missing, squared, so that no resource counts more for its large numbers. */
function distance({ frees }: Candidate, shortages: readonly Shortage[]): number {
  return shortages.reduce((sum, { resource, amount }) => {
    const left = Math.max(0, amount - frees(resource));
    return sum + (left / amount) ** 2;
  }, 0);
}
