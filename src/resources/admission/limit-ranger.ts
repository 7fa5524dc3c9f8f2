import { amountTexts, containerLimits, containerRequests } from '../../api/meaning/index.ts';
import type { LimitRange, PersistentVolumeClaim, PodSpec } from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionTarget } from '../../apiserver/index.ts';
import type { ResourceList } from '../core/resource-list.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { brokenClaimLimits, brokenLimits, type Demand } from './limit-constraints.ts';
import { withDefaultLimits } from './limit-defaults.ts';
import { refusal, together } from './refusal.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';
/** Of these a pod as a whole may state its needs, which then count instead of the sum of its containers'. */
const POD_LEVEL = ['cpu', 'memory'];

/** Pods and claims keep to the LimitRanges of their namespace, and containers that state no needs get those named there. */
export function limitRanger(parts: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const limitRanges = parts.objects.of<LimitRange>('', 'limitranges');

  async function mutate(request: AdmissionAttributes): Promise<void> {
    for (const limitRange of await limitRanges.list(request.namespace)) setDefaults(request, limitRange);
  }

  async function validate(request: AdmissionAttributes): Promise<void> {
    const isClaim = request.resource.plural !== 'pods';
    for (const limitRange of await limitRanges.list(request.namespace)) {
      const problems = isClaim ? claimProblems(request, limitRange) : podProblems(podOf(request).spec, limitRange);
      if (problems.length > 0) throw refusal(request, together(problems));
    }
  }

  return {
    name: 'LimitRanger',
    handles: (target) => isLimitedPod(target) || isClaimWrite(target),
    mutate(request) {
      if (isLimitedPod(request) && !isGoing(request)) return mutate(request);
    },
    validate(request) {
      if (!isGoing(request)) return validate(request);
    },
  };
}

/** What containers need is said when a pod is made, and changed by its subresource `resize` only. */
function isLimitedPod(request: AdmissionTarget): boolean {
  if (request.operation === 'UPDATE') return isPodWrite(request, 'resize');
  return isPodWrite(request);
}

function isClaimWrite({ operation, resource, subresource }: AdmissionTarget): boolean {
  const isWrite = operation === 'CREATE' || operation === 'UPDATE';
  return isWrite && resource.group === '' && resource.plural === 'persistentvolumeclaims' && subresource === '';
}

function isGoing({ old }: AdmissionAttributes): boolean {
  return old?.metadata.deletionTimestamp !== undefined;
}

function setDefaults(request: AdmissionAttributes, limitRange: LimitRange): void {
  const { metadata } = podOf(request);
  const { spec, notes } = withDefaultLimits(podOf(request).spec, limitRange);
  if (notes.length === 0 || request.object === undefined) return;
  setPodSpec(request, spec);
  const annotations = { ...metadata.annotations, [ANNOTATION]: `LimitRanger plugin set: ${notes.join('; ')}` };
  const sorted = Object.fromEntries(Object.entries(annotations).toSorted(([left], [right]) => (left < right ? -1 : 1)));
  request.object.metadata = { ...request.object.metadata, annotations: sorted };
}

function podProblems(spec: PodSpec, { spec: range }: LimitRange): string[] {
  const problems: string[] = [];
  for (const item of range?.limits ?? []) {
    if (item.type === 'Container') {
      for (const { resources } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])]) {
        const demand = { requests: resources?.requests ?? {}, limits: resources?.limits ?? {} };
        problems.push(...brokenLimits(item, demand));
      }
    }
    if (item.type === 'Pod') problems.push(...brokenLimits(item, wholeDemand(spec)));
  }
  return problems;
}

function wholeDemand(spec: PodSpec): Demand {
  return {
    requests: { ...amountTexts(containerRequests({ spec })), ...podLevel(spec.resources?.requests) },
    limits: { ...amountTexts(containerLimits({ spec })), ...podLevel(spec.resources?.limits) },
  };
}

function podLevel(list: ResourceList = {}): ResourceList {
  return Object.fromEntries(Object.entries(list).filter(([name]) => POD_LEVEL.includes(name)));
}

function claimProblems({ object }: AdmissionAttributes, { spec: range }: LimitRange): string[] {
  const { spec } = object as unknown as Whole<PersistentVolumeClaim>;
  const claimed = (range?.limits ?? []).filter(({ type }) => type === 'PersistentVolumeClaim');
  return claimed.flatMap((item) => brokenClaimLimits(item, spec.resources?.requests ?? {}));
}
