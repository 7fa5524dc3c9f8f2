import type { ApiObject, PatchOperation } from '../../api/index.ts';
import { deepEqual } from '../../base/index.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../apiserver/index.ts';
import { inVersionOf } from '../matching/index.ts';
import { isConfiguration } from './exempt.ts';
import { HookCaller, type HookCallerOptions, type Invocation } from './hook-caller.ts';
import type { HookIndex, PlacedHook } from './hook-index.ts';
import { patchedObject } from './patched-object.ts';

/** A request's state between the two passes. */
interface Passes {
  /** Reinvocable webhooks called since the last change of the object. */
  asked: Set<string>;
  /** Those called before a change: they are called again. */
  readonly repeated: Set<string>;
  /** The object as the webhooks left it. */
  last: ApiObject | undefined;
}

const PATCHES = 'patch.webhook.admission.k8s.io/';
const MUTATIONS = 'mutation.webhook.admission.k8s.io/';

/** Webhooks that may change the object, called one after the other. */
export class MutatingWebhooks implements AdmissionPlugin {
  readonly name = 'MutatingAdmissionWebhook';
  readonly #hooks: HookIndex;
  readonly #caller: HookCaller;
  readonly #passes = new WeakMap<AdmissionAttributes, Passes>();

  constructor(hooks: HookIndex, options: HookCallerOptions) {
    this.#hooks = hooks;
    this.#caller = new HookCaller('admit', options);
  }

  readonly handles = (target: Pick<AdmissionAttributes, 'resource'>): boolean => !isConfiguration(target.resource);

  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    const hooks = this.#hooks.hooksFor(attributes);
    if (hooks instanceof Promise) return hooks.then((found) => this.#run(found, attributes));
    if (hooks.length > 0) return this.#run(hooks, attributes);
  }

  /** The second pass only calls reinvocable webhooks that saw the object before others changed it. */
  async #run(hooks: readonly PlacedHook[], attributes: AdmissionAttributes): Promise<void> {
    const passes = this.#passes.get(attributes) ?? { asked: new Set(), repeated: new Set(), last: undefined };
    this.#passes.set(attributes, passes);
    const { isReinvoked } = attributes;
    if (isReinvoked && !deepEqual(passes.last, attributes.object)) repeatAsked(passes);
    for (const placed of hooks) {
      const invocation = await this.#caller.invocation(placed, attributes);
      if (invocation === undefined || (isReinvoked && !passes.repeated.has(placed.hook.id))) continue;
      if (await this.#ask(invocation, attributes)) {
        repeatAsked(passes);
        attributes.requestReinvocation();
      }
      if (placed.hook.isReinvocable) passes.asked.add(placed.hook.id);
    }
    passes.last = attributes.object;
  }

  /** Whether the webhook has changed the object. */
  async #ask(invocation: Invocation, attributes: AdmissionAttributes): Promise<boolean> {
    const { hook, index, shown } = invocation;
    const round = `round_${attributes.isReinvoked ? 1 : 0}_`;
    const { configuration, name: webhook } = hook;
    let isChanged = false;
    try {
      const patched = await this.#caller.ask(
        invocation,
        (response, step) => {
          const made = patchedObject(webhook, response, shown);
          if (made !== undefined) step?.patched(made.operations as readonly PatchOperation[]);
          return made;
        },
        `failed-open.${MUTATIONS}${round}`,
      );
      if (patched === undefined) return false;
      const { object, operations: patch } = patched;
      isChanged = !deepEqual(object, shown.object);
      const annotation = { configuration, webhook, patch, patchType: 'JSONPatch' };
      attributes.annotate(`${PATCHES}${round}index_${index}`, JSON.stringify(annotation), 'Request');
      if (isChanged) attributes.object = await inVersionOf(object, attributes.resource, attributes);
      return isChanged;
    } finally {
      const annotation = { configuration, webhook, mutated: isChanged };
      attributes.annotate(`${MUTATIONS}${round}index_${index}`, JSON.stringify(annotation));
    }
  }
}

function repeatAsked(passes: Passes): void {
  for (const id of passes.asked) passes.repeated.add(id);
  passes.asked = new Set();
}
