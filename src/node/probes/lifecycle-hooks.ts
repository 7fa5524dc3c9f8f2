import { type Clock, type DeepReadonly, messageOf } from '../../base/index.ts';
import type { AgentMetrics } from '../agent-metrics.ts';
import type { ActionExecutor, ActionTarget } from '../runtime/index.ts';

import type * as core from '../../api/types/core/v1.d.ts';

export type LifecycleHandler = DeepReadonly<core.LifecycleHandler>;

export interface HookOptions {
  readonly signal: AbortSignal;
  /** Called when the hook succeeded only after plain HTTP took the place of HTTPS. */
  warn(message: string): void;
}

export interface HooksParts {
  readonly clock: Clock;
  readonly metrics: AgentMetrics;
}

/** Runs the postStart and preStop hooks of containers. */
export class LifecycleHooks {
  readonly #executor: ActionExecutor;
  readonly #clock: Clock;
  readonly #metrics: AgentMetrics;

  constructor(executor: ActionExecutor, { clock, metrics }: HooksParts) {
    this.#executor = executor;
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Runs a hook; returns why it failed, undefined when it succeeded. */
  async run(
    handler: LifecycleHandler,
    target: ActionTarget,
    { signal, warn }: HookOptions,
  ): Promise<string | undefined> {
    try {
      if (handler.sleep !== undefined) {
        await this.#clock.sleep(handler.sleep.seconds * 1000, signal);
        if (!signal.aborted) return undefined;
        this.#metrics.add('kubelet_sleep_action_terminated_early_total');
        return 'container terminated before sleep hook finished';
      }
      const { result, output } = await this.#executor.run(handler, target, { signal });
      if (result === 'warning') {
        this.#metrics.add('kubelet_lifecycle_handler_http_fallbacks_total');
        warn(output);
      }
      return result === 'failure' ? output : undefined;
    } catch (error) {
      return messageOf(error);
    }
  }
}
