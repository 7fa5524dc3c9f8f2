import { Breach } from '../../suite.ts';
import type { BrokerWorld, TriedPlan } from '../broker-world.ts';
import { messageOf } from '../../../base/index.ts';

type Fits = (tried: TriedPlan) => boolean;
type Try = (tried: TriedPlan, world: BrokerWorld, signal: AbortSignal) => Promise<void>;

/** A rule that each plan that fits has to keep. */
export interface PlanRule {
  skip(world: BrokerWorld, signal: AbortSignal): Promise<string | undefined>;
  run(world: BrokerWorld, signal: AbortSignal): Promise<void>;
}

/** `what` completes "no plan …". */
export function eachPlan(run: Try, fits: Fits = () => true, what = 'is tried'): PlanRule {
  return {
    skip: (world, signal) => world.without(signal, what, fits),
    async run(world, signal) {
      for (const tried of await world.plans(signal, fits)) await named(tried, () => run(tried, world, signal));
    },
  };
}

/** The same for plans that work in the background. */
export function eachAsyncPlan(run: Try, fits: Fits = () => true): PlanRule {
  const found = async (world: BrokerWorld, signal: AbortSignal): Promise<readonly TriedPlan[]> => {
    const plans: TriedPlan[] = [];
    for (const tried of await world.plans(signal, fits)) if (await world.isAsync(tried, signal)) plans.push(tried);
    return plans;
  };
  return {
    async skip(world, signal) {
      const plans = await found(world, signal);
      await world.tidy();
      return plans.length === 0 ? 'no plan works in the background only' : undefined;
    },
    async run(world, signal) {
      for (const tried of await found(world, signal)) await named(tried, () => run(tried, world, signal));
    },
  };
}

export const isRetrievable: Fits = ({ service }) => service.instances_retrievable === true;
export const isBindable: Fits = ({ service, plan }) => plan.bindable ?? service.bindable;
export const bindingsRetrievable: Fits = (tried) => isBindable(tried) && tried.service.bindings_retrievable === true;
export const hasMaintenance: Fits = ({ plan }) => plan.maintenance_info !== undefined;

async function named({ service, plan }: TriedPlan, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (cause) {
    throw new Breach(`plan ${service.name}/${plan.name}: ${messageOf(cause)}`, { cause });
  }
}
