import { isAssigned, isReservedForPod, lookUpClaim, notOwnClaim, tolerates } from '../../api/meaning/index.ts';
import {
  type DeviceTaintRule,
  index,
  type Observed,
  type Pod,
  ResourceClaim,
  ResourceSlice,
} from '../../client/index.ts';
import type { Objects } from '../../kit/index.ts';

type Claim = Observed<ResourceClaim>;
type Results = NonNullable<NonNullable<NonNullable<NonNullable<Claim['status']>['allocation']>['devices']>['results']>;
type AllocatedDevice = Results[number];

/** When a pod is evicted, and the rules that cause it. */
export interface Eviction {
  readonly atMs: number;
  readonly rules: readonly Observed<DeviceTaintRule>[];
}

/** An evicting taint, with its DeviceTaintRule if it does not come from a slice. */
interface EvictingTaint {
  readonly taint: {
    readonly key: string;
    readonly value?: string;
    readonly effect: string;
    readonly timeAdded?: string;
  };
  readonly rule?: Observed<DeviceTaintRule>;
}

export const slicesByPool = index(ResourceSlice, ({ spec }) => poolKey(spec.driver, spec.pool.name));

/** Claims by the pools of their allocated devices. */
export const claimsByPool = index(ResourceClaim, (claim) => [
  ...new Set(resultsOf(claim).map(({ driver, pool }) => poolKey(driver, pool))),
]);

export function poolKey(driver: string, pool: string): string {
  return `${driver}/${pool}`;
}

export function resultsOf({ status }: Claim): Results {
  return status?.allocation?.devices?.results ?? [];
}

export interface EvictionSources {
  readonly claims: Pick<Objects<ResourceClaim>, 'get'>;
  readonly slices: Pick<Objects<ResourceSlice>, 'byIndex'>;
  /** The rules with effect NoExecute. */
  rules(): readonly Observed<DeviceTaintRule>[];
}

/** When the pod must be evicted because of its devices; undefined if it need not. */
export function evictionOf(pod: Observed<Pod>, sources: EvictionSources): Eviction | undefined {
  if (!isAssigned(pod)) return undefined;
  const evictions = (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const found = lookUpClaim(pod, entry);
    if (found.type !== 'named') return [];
    const claim = sources.claims.get(`${pod.metadata.namespace}/${found.name}`);
    if (claim?.status?.allocation === undefined || !isReservedForPod(claim, pod.metadata.uid)) return [];
    if (found.isOwn && notOwnClaim(pod, claim) !== undefined) return [];
    return resultsOf(claim).flatMap((result) => deviceEvictions(result, sources));
  });
  if (evictions.length === 0) return undefined;
  const rules = new Map(evictions.flatMap((each) => each.rules).map((rule) => [rule.metadata.name, rule]));
  return { atMs: Math.min(...evictions.map(({ atMs }) => atMs)), rules: [...rules.values()] };
}

/** The device's taints that are not tolerated forever. */
function deviceEvictions(result: AllocatedDevice, sources: EvictionSources): Eviction[] {
  return evictingTaints(result, sources).flatMap(({ taint, rule }) => {
    // a toleration of all effects does not apply here
    const tolerations = (result.tolerations ?? []).filter(
      (each) => each.effect === 'NoExecute' && tolerates(each, taint),
    );
    const seconds = tolerations.map(({ tolerationSeconds }) => tolerationSeconds);
    if (seconds.includes(undefined)) return [];
    const shortest = Math.min(...seconds.map((each) => Math.max(0, Number(each))));
    const addedMs = Date.parse(taint.timeAdded ?? '');
    const atMs = addedMs + (seconds.length === 0 ? 0 : shortest * 1000);
    return [{ atMs, rules: rule === undefined ? [] : [rule] }];
  });
}

function evictingTaints({ driver, pool, device }: AllocatedDevice, sources: EvictionSources): EvictingTaint[] {
  const slices = newest(sources.slices.byIndex(slicesByPool, poolKey(driver, pool)));
  const known = slices.flatMap(({ spec }) => spec.devices ?? []).find(({ name }) => name === device);
  const ofSlices = (known?.taints ?? []).filter(({ effect }) => effect === 'NoExecute').map((taint) => ({ taint }));
  const ofRules = sources
    .rules()
    .filter((rule) => isAbout(rule, { driver, pool, device }))
    .map((rule) => ({ taint: rule.spec.taint, rule }));
  return [...ofSlices, ...ofRules];
}

/** The slices of the newest generation. */
export function newest(slices: readonly Observed<ResourceSlice>[]): readonly Observed<ResourceSlice>[] {
  let generation = -1;
  for (const { spec } of slices) if (spec.pool.generation > generation) generation = spec.pool.generation;
  return slices.filter(({ spec }) => spec.pool.generation === generation);
}

/** Whether the rule selects the device; an empty selector selects none. */
export function isAbout(
  { spec: { deviceSelector: selector } }: Observed<DeviceTaintRule>,
  { driver, pool, device }: { readonly driver: string; readonly pool: string; readonly device: string },
): boolean {
  if (selector === undefined) return false;
  const fits = (wanted: string | undefined, name: string): boolean => wanted === undefined || wanted === name;
  return fits(selector.driver, driver) && fits(selector.pool, pool) && fits(selector.device, device);
}
