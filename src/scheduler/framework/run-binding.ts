import type { Cycle } from './cycle.ts';
import type { Framework } from './framework.ts';
import type { StepOptions } from './plugin.ts';
import { bindByExtender } from './run-extenders.ts';
import { PluginFault } from './plugin-fault.ts';
import type { Rejection } from './rejection.ts';

/** Lets all plugins take what the pod needs on the node; the first that refuses ends it, and the caller unreserves. */
export function runReserve(framework: Framework, cycle: Cycle, nodeName: string): Rejection | undefined {
  for (const plugin of framework.at('Reserve')) {
    try {
      const rejection = plugin.reserve(cycle, nodeName);
      if (rejection !== undefined) return rejection;
    } catch (cause) {
      throw new PluginFault(`running Reserve plugin "${plugin.name}"`, cause);
    }
  }
  return undefined;
}

/** In the reverse order of reserving; plugins that had not been asked yet are told as well. */
export function runUnreserve(framework: Framework, cycle: Cycle, nodeName: string): void {
  for (const plugin of framework.at('Reserve').toReversed()) plugin.unreserve?.(cycle, nodeName);
}

/** All plugins are asked before any is waited for. */
export async function runPermit(
  framework: Framework,
  cycle: Cycle,
  options: StepOptions & { readonly nodeName: string },
): Promise<Rejection | undefined> {
  const { nodeName } = options;
  const answers = framework.at('Permit').map(async (plugin) => {
    try {
      return await plugin.permit(cycle, nodeName, options);
    } catch (cause) {
      throw new PluginFault(`running Permit plugin "${plugin.name}"`, cause);
    }
  });
  return (await Promise.all(answers)).find((answer) => answer !== undefined);
}

/** PreBind and Bind; an extender that binds goes before the plugins. What fails here is no verdict about the pod: it is thrown. */
export async function runBind(
  framework: Framework,
  cycle: Cycle,
  options: StepOptions & { readonly nodeName: string },
): Promise<void> {
  const { nodeName } = options;
  for (const plugin of framework.at('PreBind')) {
    await guarded(`running PreBind plugin "${plugin.name}"`, () => plugin.preBind(cycle, nodeName, options));
  }
  if (await bindByExtender(framework.extendersFor(cycle.pod), cycle.pod, options)) return;
  for (const plugin of framework.at('Bind')) {
    const what = `running Bind plugin "${plugin.name}"`;
    if (await guarded(what, () => plugin.bind(cycle, nodeName, options))) return;
  }
  throw new Error(`Cannot bind pod "${cycle.pod.key}" to node "${nodeName}": no Bind plugin took it`);
}

export function runPostBind(framework: Framework, cycle: Cycle, nodeName: string): void {
  for (const plugin of framework.at('PostBind')) plugin.postBind(cycle, nodeName);
}

async function guarded<T>(what: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (cause) {
    throw new PluginFault(what, cause);
  }
}
