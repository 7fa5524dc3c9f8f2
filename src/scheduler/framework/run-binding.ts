import type { Cycle } from './cycle.ts';
import { PluginFault } from './fit-error.ts';
import type { Framework, PluginAt } from './framework.ts';
import type { StepOptions } from './plugin.ts';
import type { Rejection } from './rejection.ts';
import { bindByExtender } from './run-extenders.ts';

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

/** Asks the plugins one after the other until one refuses, then waits for those that take their time, all at once. */
export async function runPermit(
  framework: Framework,
  cycle: Cycle,
  { nodeName, signal }: StepOptions & { readonly nodeName: string },
): Promise<Rejection | undefined> {
  const plugins = framework.at('Permit');
  if (plugins.length === 0) return undefined;
  const over = new AbortController();
  const options = { signal: AbortSignal.any([signal, over.signal]) };
  const waits: Promise<Rejection | undefined>[] = [];
  try {
    for (const plugin of plugins) {
      const answer = askPermit(plugin, cycle, { nodeName, ...options });
      if (answer instanceof Promise) waits.push(answer);
      else if (answer !== undefined) return answer;
    }
    return await framework.waitingPods.wait(cycle.pod.uid, waits, options);
  } finally {
    over.abort(); // nobody waits for their answers any more
  }
}

function askPermit(
  plugin: PluginAt<'Permit'>,
  cycle: Cycle,
  { nodeName, signal }: StepOptions & { readonly nodeName: string },
): ReturnType<typeof plugin.permit> {
  const fault = (cause: unknown): PluginFault => new PluginFault(`running Permit plugin "${plugin.name}"`, cause);
  try {
    const answer = plugin.permit(cycle, nodeName, { signal });
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((cause: unknown) => Promise.reject(fault(cause)));
  } catch (cause) {
    throw fault(cause);
  }
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
