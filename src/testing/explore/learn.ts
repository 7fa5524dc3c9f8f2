import { deepEqual } from '../../base/index.ts';
import { startCluster } from '../start-cluster.ts';
import { type ClusterState, startRevisionsOf } from './cluster-state.ts';
import { differencesOf, joined, STABLE, type Volatility, volatilityOf } from './compare-states.ts';
import type { CalmWrites } from './judge.ts';
import { type Plan } from './plan.ts';
import { runPlan } from './plan-run.ts';
import type { Expected, ExploredWorld, RunResult } from './run-result.ts';
import type { ScenarioParts } from './scenario.ts';
import type { ExploredOperator } from './explored-operator.ts';

/** What is known of a scenario from its runs without faults. */
export interface Learned {
  readonly run: RunResult;
  readonly expected: Expected;
  /** Whether time alone changes what the operator does, or days cannot pass for it. */
  readonly isTimed: boolean;
  readonly calm: CalmWrites;
  /**
   * Whether the same run sends the same requests; if not, outside work is not repeated in the same order. Of operators in real time this is
   * not expected.
   */
  readonly isDeterministic: boolean;
}

const RECONCILE_TIMEOUT = '10s';
/** Objects that shift the revisions of the other world. */
const SHIFTS = 7;

/** Starts a cluster for a scenario, sets it up, and installs the operator's kinds. */
export async function openWorld<O>(
  { scenario, operator }: Pick<ExploredWorld<O>, 'scenario' | 'operator'>,
  {
    seed,
    trace = false,
    isOther = false,
  }: { readonly seed: string; readonly trace?: boolean; readonly isOther?: boolean },
): Promise<ExploredWorld<O>> {
  const base = await startCluster({
    reconcileTimeout: RECONCILE_TIMEOUT,
    ...scenario.cluster,
    seed: isOther ? `${seed} other` : seed,
    ...startOf(operator, isOther),
    trace,
  });
  try {
    await base.install(...operator.resources);
    await scenario.setup?.(base);
    if (isOther)
      for (let index = 0; index < SHIFTS; index++) {
        const maps = base.client.core.v1.configmaps.namespace('kube-public');
        await maps.create({ metadata: { name: `shift-${index}` } });
      }
    await base.settle();
    return { base, start: startRevisionsOf(base), scenario, operator };
  } catch (error) {
    await base.stop();
    throw error;
  }
}

function startOf({ startAt }: Pick<ExploredOperator, 'startAt'>, isOther: boolean): { readonly startAt?: string } {
  return startAt === undefined ? {} : { startAt: isOther ? startAt.other : startAt.own };
}

/** Runs the scenario without faults, several times, and learns what is the same each time. */
export async function learn<O>(
  world: ExploredWorld<O>,
  other: ExploredWorld<O>,
  plan: Omit<Plan, 'faults'>,
): Promise<Learned> {
  const calm: Plan = { ...plan, faults: [] };
  const { pauseMs, isInRealTime } = world.operator;
  const run = await runPlan(world, calm);
  const slow = await runPlan(world, calm, { pauseMs, idleMs: pauseMs });
  const again = isInRealTime ? slow : await runPlan(world, calm);
  const elsewhere = await runPlan(other, calm);
  const others = [again, slow, elsewhere];
  const between = (each: RunResult, step: string): Volatility =>
    volatilityBetween(run.states.get(step), each.states.get(step));
  const steps = [...run.states.keys()];
  const volatility = new Map(
    steps.map((step) => [step, joined(ignored(world.scenario), ...others.map((each) => between(each, step)))]),
  );
  const isOutsideStable = others.every((each) => deepEqual([...run.outside.values()], [...each.outside.values()]));
  const isTimed = isInRealTime || steps.some((step) => !isStable(between(slow, step)));
  const words = ({ journal }: RunResult): readonly string[] => journal.requests.map(({ request }) => request);
  return {
    run,
    expected: {
      states: run.states,
      outside: run.outside,
      volatility,
      isOutsideStable,
      idleWrites: run.idleWrites,
      idleWritesAfter: isTimed && !isInRealTime ? new Map() : slow.idleWritesAfter,
    },
    isTimed,
    calm: { writes: slow.idleWrites, ms: pauseMs },
    isDeterministic: isInRealTime || deepEqual(words(run), words(again)),
  };
}

function isStable({ ids, fields }: Volatility): boolean {
  return ids.size === 0 && fields.size === 0;
}

function volatilityBetween(expected: ClusterState | undefined, actual: ClusterState | undefined): Volatility {
  return expected === undefined || actual === undefined
    ? STABLE
    : volatilityOf(differencesOf(expected, actual, STABLE));
}

function ignored({ ignore = [] }: Pick<ScenarioParts<never>, 'ignore'>): Volatility {
  return { ids: new Set(), fields: new Set(ignore) };
}
