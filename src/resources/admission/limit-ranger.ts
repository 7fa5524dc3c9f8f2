import { type Quantity, quantityOf } from '../../api/index.ts';
import { amountTexts, containerLimits, containerRequests } from '../../api/meaning/index.ts';
import type {
  Container,
  LimitRange,
  LimitRangeItem,
  PersistentVolumeClaim,
  PodSpec,
} from '../../api/types/core/v1.d.ts';
import type { AdmissionAttributes, AdmissionPlugin, AdmissionTarget } from '../../apiserver/index.ts';
import { amount, missingAmounts, type ResourceList, withAmounts } from '../core/resource-list.ts';
import type { Whole } from '../kind.ts';
import type { AdmissionParts } from './admission-parts.ts';
import { refusal, together } from './refusal.ts';
import { whenThere } from './when-there.ts';
import { isPodWrite, podOf, setPodSpec } from './written-pod.ts';

const ANNOTATION = 'kubernetes.io/limit-ranger';
/** The resources that a pod may state for the pod as a whole, which then replace the sum of its containers. */
const POD_LEVEL = ['cpu', 'memory'];

/** Applies the LimitRanges of the namespace to pods and claims, and their defaults to containers without requests or limits. */
export function limitRanger(parts: Pick<AdmissionParts, 'objects'>): AdmissionPlugin {
  const limitRanges = parts.objects.of<LimitRange>('', 'limitranges');

  function mutate(request: AdmissionAttributes): void | Promise<void> {
    return whenThere(limitRanges.list(request.namespace), (found) => {
      for (const limitRange of found) setDefaults(request, limitRange);
    });
  }

  function validate(request: AdmissionAttributes): void | Promise<void> {
    const isClaim = request.resource.plural !== 'pods';
    return whenThere(limitRanges.list(request.namespace), (found) => {
      for (const limitRange of found) {
        const problems = isClaim ? claimProblems(request, limitRange) : podProblems(podOf(request).spec, limitRange);
        if (problems.length > 0) throw refusal(request, together(problems));
      }
    });
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

/** Resources of containers are set when a pod is created, and changed only by its subresource `resize`. */
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

interface Defaults {
  readonly limits: ResourceList;
  readonly requests: ResourceList;
}

interface Defaulted {
  readonly spec: PodSpec;
  /** Which defaults were set where, as text; empty if none were. */
  readonly notes: readonly string[];
}

/** Sets the default requests and limits of containers that state none. */
function withDefaultLimits(spec: PodSpec, limitRange: LimitRange): Defaulted {
  const defaults = defaultsOf(limitRange);
  const notes: string[] = [];
  const containers = (spec.containers ?? []).map((each) => filled(each, defaults, notesOf(notes, 'container')));
  const init = spec.initContainers?.map((each) => filled(each, defaults, notesOf(notes, 'init container')));
  if (notes.length === 0) return { spec, notes };
  return { spec: { ...spec, containers, ...(init === undefined ? {} : { initContainers: init }) }, notes };
}

function defaultsOf({ spec }: LimitRange): Defaults {
  const limits: Record<string, string> = {};
  const requests: Record<string, string> = {};
  for (const item of spec?.limits ?? []) {
    if (item.type !== 'Container') continue;
    Object.assign(limits, item.default);
    Object.assign(requests, item.defaultRequest);
  }
  return { limits, requests };
}

type Note = (what: 'request' | 'limit', names: readonly string[], container: string) => void;

function notesOf(notes: string[], sort: string): Note {
  return (what, names, container) => {
    if (names.length > 0) notes.push(`${names.toSorted().join(', ')} ${what} for ${sort} ${container}`);
  };
}

function filled(container: Container, defaults: Defaults, note: Note): Container {
  const { limits, requests } = container.resources ?? {};
  const missingLimits = missingAmounts(limits, defaults.limits);
  const missingRequests = missingAmounts(requests, defaults.requests);
  note('request', Object.keys(missingRequests ?? {}), container.name);
  note('limit', Object.keys(missingLimits ?? {}), container.name);
  if (missingLimits === undefined && missingRequests === undefined) return container;
  return {
    ...container,
    resources: {
      ...container.resources,
      ...(missingLimits === undefined ? {} : { limits: withAmounts(limits, missingLimits) }),
      ...(missingRequests === undefined ? {} : { requests: withAmounts(requests, missingRequests) }),
    },
  };
}

/** What is measured against limits: a container, a pod as a whole, or a claim. */
interface Demand {
  readonly requests: ResourceList;
  readonly limits: ResourceList;
}

const ZERO = quantityOf(0);
/** Above this, thousandths do not fit into 64 bits. */
const MAX_COUNTED_IN_MILLI = 9_223_372_036_854_775n;

/** All violations of a limit, sorted by resource. */
function brokenLimits(item: LimitRangeItem, demand: Demand): string[] {
  return [
    ...each(item.min, (name, enforced) => belowMinimum(item.type, { name, enforced, ...of(demand, name) })),
    ...each(item.max, (name, enforced) => aboveMaximum(item.type, { name, enforced, ...of(demand, name) })),
    ...each(item.maxLimitRequestRatio, (name, enforced) =>
      aboveRatio(item.type, { name, enforced, ...of(demand, name) }),
    ),
  ];
}

/** The same for a claim, which has no limits itself. */
function brokenClaimLimits(item: LimitRangeItem, requests: ResourceList): string[] {
  const demand = { requests, limits: {} };
  return [
    ...each(item.min, (name, enforced) => belowMinimum(item.type, { name, enforced, ...of(demand, name) })),
    ...each(item.max, (name, enforced) => {
      const { request } = of(demand, name);
      const is = `maximum ${name} usage per ${item.type} is ${enforced.toString()}`;
      if (request === undefined) return `${is}.  No request is specified`;
      const [asked, , most] = counted(request, ZERO, enforced);
      return asked > most ? `${is}, but request is ${request.toString()}` : undefined;
    }),
  ];
}

interface Measured {
  readonly name: string;
  readonly enforced: Quantity;
  readonly request: Quantity | undefined;
  readonly limit: Quantity | undefined;
}

function of({ requests, limits }: Demand, name: string): Pick<Measured, 'request' | 'limit'> {
  return { request: quantity(requests[name]), limit: quantity(limits[name]) };
}

function quantity(text: string | undefined): Quantity | undefined {
  return text === undefined ? undefined : amount(text);
}

function each(
  list: ResourceList | undefined,
  judge: (name: string, enforced: Quantity) => string | undefined,
): string[] {
  const names = Object.keys(list ?? {}).toSorted();
  return names.map((name) => judge(name, amount(list?.[name] ?? '0'))).filter((problem) => problem !== undefined);
}

/** All in thousandths if they fit, otherwise in whole units. */
function counted(request: Quantity, limit: Quantity, enforced: Quantity): readonly [bigint, bigint, bigint] {
  const all = [request, limit, enforced] as const;
  const scale = all.every((one) => one.scaledValue(0) <= MAX_COUNTED_IN_MILLI) ? -3 : 0;
  return [request.scaledValue(scale), limit.scaledValue(scale), enforced.scaledValue(scale)];
}

function belowMinimum(type: string, { name, enforced, request, limit }: Measured): string | undefined {
  const is = `minimum ${name} usage per ${type} is ${enforced.toString()}`;
  if (request === undefined) return `${is}.  No request is specified`;
  const [asked, allowed, least] = counted(request, limit ?? ZERO, enforced);
  if (asked < least) return `${is}, but request is ${request.toString()}`;
  if (limit !== undefined && allowed < least) return `${is}, but limit is ${limit.toString()}`;
  return undefined;
}

function aboveMaximum(type: string, { name, enforced, request, limit }: Measured): string | undefined {
  const is = `maximum ${name} usage per ${type} is ${enforced.toString()}`;
  if (limit === undefined) return `${is}.  No limit is specified`;
  const [asked, allowed, most] = counted(request ?? ZERO, limit, enforced);
  if (allowed > most) return `${is}, but limit is ${limit.toString()}`;
  if (request !== undefined && asked > most) return `${is}, but request is ${request.toString()}`;
  return undefined;
}

function aboveRatio(type: string, { name, enforced, request, limit }: Measured): string | undefined {
  const is = `${name} max limit to request ratio per ${type} is ${enforced.toString()}`;
  const [asked, allowed] = counted(request ?? ZERO, limit ?? ZERO, enforced);
  if (asked === 0n) return `${is}, but no request is specified or request is 0`;
  if (allowed === 0n) return `${is}, but no limit is specified or limit is 0`;
  const ratio = Number(allowed) / Number(asked);
  const isFine = enforced.scaledValue(0) <= MAX_COUNTED_IN_MILLI;
  const isAbove = isFine ? ratio * 1000 > Number(enforced.scaledValue(-3)) : ratio > Number(enforced.scaledValue(0));
  return isAbove ? `${is}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
