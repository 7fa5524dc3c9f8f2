import { formatTime, instantOfMillis } from '../../api/client.ts';
import type { DeviceTaintRule, Observed, Pod, ResourceClaim, ResourceSlice, Sendable } from '../../client/index.ts';
import type { AppContext, KeyedWorkers, Objects, WorkContext } from '../../kit/index.ts';
import {
  evictionOf,
  type EvictionSources,
  isAbout,
  newest,
  poolKey,
  resultsOf,
  slicesByPool,
} from './claim-evictions.ts';

const TYPE = 'EvictionInProgress';
const FIELD_MANAGER = 'device-taint-eviction-controller';
/** Minimum interval between status writes of a rule while pods are evicted. */
const PERIOD_MS = 10_000;

interface RuleStatusParts {
  readonly context: AppContext;
  readonly rules: Objects<DeviceTaintRule>;
  readonly pods: Objects<Pod>;
  readonly claims: Objects<ResourceClaim>;
  readonly slices: Objects<ResourceSlice>;
  readonly sources: EvictionSources;
}

type Rule = Observed<DeviceTaintRule>;

/** Reports in the status of rules how many pods they evict, or would evict. */
export class RuleStatus {
  readonly #parts: RuleStatusParts;
  /** Evicted pods by uid of the rule. */
  readonly #evicted = new Map<string, number>();

  constructor(parts: RuleStatusParts) {
    this.#parts = parts;
  }

  evicted(uid: string): void {
    this.#evicted.set(uid, (this.#evicted.get(uid) ?? 0) + 1);
  }

  forget(uid: string): void {
    this.#evicted.delete(uid);
  }

  /** Delays the status write, because more pods may change soon. */
  later(workers: KeyedWorkers, name: string): void {
    workers.addAfter(`rule:${name}`, PERIOD_MS);
  }

  async write(name: string, work: WorkContext): Promise<void> {
    const { context, rules } = this.#parts;
    const rule = rules.get(name);
    if (rule === undefined) return;
    const known = rule.status?.conditions?.find(({ type }) => type === TYPE);
    const nowMs = context.clock.now();
    if (known !== undefined && known.observedGeneration === rule.metadata.generation) {
      const restMs = Date.parse(known.lastTransitionTime) + PERIOD_MS - nowMs;
      if (restMs > 0) return work.after(restMs);
    }
    const progress = this.#tell(rule);
    const isSame =
      known?.status === progress.status &&
      known.reason === progress.reason &&
      (known.message ?? '') === progress.message &&
      known.observedGeneration === rule.metadata.generation;
    if (isSame) return;
    const condition = {
      type: TYPE,
      ...progress,
      observedGeneration: rule.metadata.generation,
      lastTransitionTime: formatTime(instantOfMillis(nowMs)),
    };
    const { spec } = rule;
    const stated = { metadata: { name, uid: rule.metadata.uid }, spec, status: { conditions: [condition] } };
    await rules.applyStatus(stated as Sendable<DeviceTaintRule>, { fieldManager: FIELD_MANAGER, force: true });
  }

  #tell(rule: Rule): { status: 'True' | 'False'; reason: string; message: string } {
    const evicted = this.#evicted.get(rule.metadata.uid) ?? 0;
    const history = evicted === 0 ? '' : `${counted(evicted, 'pod')} evicted since starting the controller.`;
    const withHistory = (text: string): string => [text, history].filter((part) => part !== '').join(' ');
    const { effect } = rule.spec.taint;
    if (effect === 'NoExecute') {
      const { pods, namespaces } = this.#usersOf(rule, this.#parts.sources);
      if (pods === 0)
        return { status: 'False', reason: evicted > 0 ? 'Completed' : 'NotStarted', message: withHistory('') };
      const need = pods === 1 ? '1 pod needs' : `${pods} pods need`;
      const message = withHistory(`${need} to be evicted in ${inNamespaces(namespaces)}.`);
      return { status: 'True', reason: 'PodsPendingEviction', message };
    }
    if (effect === 'None') return { status: 'False', reason: 'NoEffect', message: withHistory(this.#forecast(rule)) };
    return {
      status: 'False',
      reason: 'OtherEffect',
      message: withHistory('Eviction only happens for the NoExecute effect.'),
    };
  }

  /** What the rule would do with effect NoExecute. */
  #forecast(rule: Rule): string {
    const { claims, slices, sources } = this.#parts;
    const acting = { ...rule, spec: { ...rule.spec, taint: { ...rule.spec.taint, effect: 'NoExecute' as const } } };
    const pools = new Set(slices.list().map(({ spec }) => poolKey(spec.driver, spec.pool.name)));
    const published = [...pools]
      .flatMap((pool) => newest(slices.byIndex(slicesByPool, pool)))
      .flatMap(({ spec }) =>
        (spec.devices ?? []).map(({ name }) => ({ driver: spec.driver, pool: spec.pool.name, device: name })),
      );
    const about = (list: readonly { driver: string; pool: string; device: string }[]): number =>
      list.filter((device) => isAbout(rule, device)).length;
    const { pods, namespaces } = this.#usersOf(acting, { ...sources, rules: () => [acting] });
    return [
      `${counted(about(published), 'published device')} selected.`,
      `${counted(about(claims.list().flatMap(resultsOf)), 'allocated device')} selected.`,
      `${counted(pods, 'pod')} would be evicted in ${inNamespaces(namespaces)} if the effect was NoExecute.`,
      'This information will not be updated again. Recreate the DeviceTaintRule to trigger an update.',
    ].join(' ');
  }

  /** The number of pods that the rule evicts, and of their namespaces. */
  #usersOf(rule: Rule, sources: EvictionSources): { pods: number; namespaces: number } {
    const users = this.#parts.pods
      .list()
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter((pod) => evictionOf(pod, sources)?.rules.some(({ metadata }) => metadata.uid === rule.metadata.uid));
    return { pods: users.length, namespaces: new Set(users.map(({ metadata }) => metadata.namespace)).size };
  }
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

function inNamespaces(count: number): string {
  return count === 1 ? '1 namespace' : `${count} different namespaces`;
}
