import type { Resource } from '../resource.ts';
import type { AdmissionAttributes, AdmissionTarget } from './admission-attributes.ts';

/** One plugin. Refusing is throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /**
   * Whether the plugin has anything to do with such requests. Asked once for each resource, subresource and operation, so the
   * answer must depend on nothing else; requests that no plugin handles cost nothing. Absent: it handles all.
   */
  readonly handles?: (target: AdmissionTarget) => boolean;
  /** May replace `attributes.object`. */
  readonly mutate?: (attributes: AdmissionAttributes) => void | Promise<void>;
  readonly validate?: (attributes: AdmissionAttributes) => void | Promise<void>;
}

/** The plugins for one kind of request, in running order. */
interface Plan {
  readonly mutating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
}

/** The plugins in running order: all mutate, then, on the finished object, all validate. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #plans = new WeakMap<Resource, Map<string, Plan>>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Runs the mutating plugins, and all of them a second time when one has asked for it. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    const { mutating } = this.#planFor(attributes);
    if (mutating.length > 0) return mutateWith(mutating, attributes);
  }

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    const { validating } = this.#planFor(attributes);
    if (validating.length > 0) return validateWith(validating, attributes);
  }

  #planFor(target: AdmissionTarget): Plan {
    let plans = this.#plans.get(target.resource);
    if (plans === undefined) {
      plans = new Map();
      this.#plans.set(target.resource, plans);
    }
    const name = `${target.operation}/${target.subresource}`;
    let plan = plans.get(name);
    if (plan === undefined) {
      const handling = this.#plugins.filter((plugin) => plugin.handles?.(target) ?? true);
      plan = {
        mutating: handling.filter((plugin) => plugin.mutate !== undefined),
        validating: handling.filter((plugin) => plugin.validate !== undefined),
      };
      plans.set(name, plan);
    }
    return plan;
  }
}

async function mutateWith(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): Promise<void> {
  do {
    for (const plugin of plugins) {
      const running = plugin.mutate?.(attributes);
      if (running !== undefined) await running;
    }
  } while (attributes.beginReinvocation());
}

async function validateWith(plugins: readonly AdmissionPlugin[], attributes: AdmissionAttributes): Promise<void> {
  for (const plugin of plugins) {
    const running = plugin.validate?.(attributes);
    if (running !== undefined) await running;
  }
}
