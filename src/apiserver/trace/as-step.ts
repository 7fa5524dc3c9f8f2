import { messageOf } from '../../base/index.ts';
import type { RequestTrace } from './request-trace.ts';

/** Runs `work`, as a step of the trace if the request is traced: `passed` when it returns, `refused` when it throws, `conflict` when a write came too late. */
export function asStep<T>(trace: RequestTrace | undefined, name: string, work: () => T): T {
  if (trace === undefined) return work();
  const step = trace.begin(name);
  const refuse = (error: unknown): never => {
    step.end('refused', messageOf(error));
    throw error;
  };
  let result: T;
  try {
    result = work();
  } catch (error) {
    return refuse(error);
  }
  if (!(result instanceof Promise)) {
    step.end();
    return result;
  }
  return result.then((value: unknown) => {
    step.end(isLost(value) ? 'conflict' : undefined);
    return value;
  }, refuse) as T;
}

/** Whether another writer was faster: the step is then taken again, or the request refused. */
function isLost(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'conflictsWith' in value;
}
