import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { isConfiguration } from './exempt.ts';
import { HookCaller, type HookCallerOptions, type Invocation } from './hook-caller.ts';
import type { HookIndex, PlacedHook } from './hook-index.ts';

const FAILED_OPEN = 'failed-open.validating.webhook.admission.k8s.io/round_0_';

/** Webhooks that see the finished object, all at the same time; the first refusal is returned. */
export class ValidatingWebhooks implements AdmissionPlugin {
  readonly name = 'ValidatingAdmissionWebhook';
  readonly #hooks: HookIndex;
  readonly #caller: HookCaller;

  constructor(hooks: HookIndex, options: HookCallerOptions) {
    this.#hooks = hooks;
    this.#caller = new HookCaller('validating', options);
  }

  readonly handles = (target: Pick<AdmissionAttributes, 'resource'>): boolean => !isConfiguration(target.resource);

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    const hooks = this.#hooks.hooksFor(attributes);
    if (hooks instanceof Promise) return hooks.then((found) => this.#run(found, attributes));
    if (hooks.length > 0) return this.#run(hooks, attributes);
  }

  async #run(hooks: readonly PlacedHook[], attributes: AdmissionAttributes): Promise<void> {
    const invocations: Invocation[] = [];
    for (const placed of hooks) {
      const invocation = await this.#caller.invocation(placed, attributes);
      if (invocation !== undefined) invocations.push({ ...invocation, index: invocations.length });
    }
    const refusals: unknown[] = [];
    const ask = (invocation: Invocation): Promise<void> =>
      this.#caller.ask(invocation, () => undefined, FAILED_OPEN).catch((error: unknown) => void refusals.push(error));
    await Promise.all(invocations.map(ask));
    if (refusals.length > 0) throw refusals[0];
  }
}
