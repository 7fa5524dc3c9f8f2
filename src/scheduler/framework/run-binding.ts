import { AbortScope } from '../../base/index.ts';
import type { Cycle } from './cycle.ts';
import { PluginFault } from './fit-error.ts';
import type { Framework, PluginAt } from './framework.ts';
import type { PreBindOptions, StepOptions } from './plugin.ts';
import type { Rejection } from './rejection.ts';
import { bindByExtender } from './run-extenders.ts';

/** Calls the Reserve plugins; the first rejection ends it, and the caller must unreserve. */
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

/** In reverse order of Reserve; includes plugins whose `reserve` was not called. */
export function runUnreserve(framework: Framework, cycle: Cycle, nodeName: string): void {
  for (const plugin of framework.at('Reserve').toReversed()) plugin.unreserve?.(cycle, nodeName);
}

/**
 * Calls the Permit plugins until one rejects. If some return promises, the result is a promise for all of them, and the
 * pod waits from now on.
 */
export function runPermit(
  framework: Framework,
  cycle: Cycle,
  { nodeName, signal }: StepOptions & { readonly nodeName: string },
): Rejection | undefined | Promise<Rejection | undefined> {
  const plugins = framework.at('Permit');
  if (plugins.length === 0) return undefined;
  const scope = new AbortScope(signal);
  const waits: Promise<Rejection | undefined>[] = [];
  const end = <T>(answer: T): T => {
    scope.abort(); // their results are not needed any more
    scope[Symbol.dispose]();
    return answer;
  };
  for (const plugin of plugins) {
    const answer = askPermit(plugin, cycle, { nodeName, signal: scope.signal });
    if (answer instanceof Promise) {
      answer.catch(() => undefined); // a failure here also fails the wait below
      waits.push(answer);
    } else if (answer !== undefined) return end(answer);
  }
  if (waits.length === 0) return end(undefined);
  return framework.waitingPods.wait(cycle.pod.uid, waits, { signal }).finally(() => end(undefined));
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

/** The plugins that have something to do before the pod is bound. */
export function preBindersOf(framework: Framework, cycle: Cycle, nodeName: string): readonly PreBinder[] {
  return framework.at('PreBind').filter((plugin) => plugin.willPreBind?.(cycle, nodeName) ?? true);
}

export type PreBinder = PluginAt<'PreBind'>;

/** A failure is thrown; it does not make the pod unschedulable. */
export async function runPreBind(
  plugins: readonly PreBinder[],
  cycle: Cycle,
  { nodeName, signal, rest }: PreBindOptions & { readonly nodeName: string },
): Promise<void> {
  for (const plugin of plugins) {
    try {
      await plugin.preBind(cycle, nodeName, { signal, rest });
    } catch (cause) {
      throw new PluginFault(
        `running PreBind plugin "${plugin.name}"`,
        isInterrupted(cause, signal) ? signal.reason : cause,
      );
    }
  }
  signal.throwIfAborted();
}

/** Whether the error only says that the signal ended a wait. */
export function isInterrupted(error: unknown, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  for (let cause = error; cause instanceof Error; cause = cause.cause) if (cause === signal.reason) return true;
  return false;
}

/**
 * Binds the pod; an extender that binds takes precedence over the plugins. A failure is thrown; it does not make the
 * pod unschedulable.
 */
export async function runBind(
  framework: Framework,
  cycle: Cycle,
  options: StepOptions & { readonly nodeName: string },
): Promise<void> {
  const { nodeName } = options;
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
