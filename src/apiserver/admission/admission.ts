import type { Resource } from '../resource.ts';
import type { AdmissionAttributes, AdmissionTarget, Operation } from './admission-attributes.ts';

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

/** The plugins in running order. */
export class Admission {
  readonly #plugins: readonly AdmissionPlugin[];
  readonly #plans = new WeakMap<Resource, Map<string, AdmissionPlan>>();

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#plugins = plugins;
  }

  /** Those of the plugins that handle such requests. */
  planFor(operation: Operation, resource: Resource, subresource: string): AdmissionPlan {
    let plans = this.#plans.get(resource);
    if (plans === undefined) {
      plans = new Map();
      this.#plans.set(resource, plans);
    }
    const name = `${operation}/${subresource}`;
    let plan = plans.get(name);
    if (plan === undefined) {
      const target = { operation, resource, subresource };
      plan = new AdmissionPlan(this.#plugins.filter((plugin) => plugin.handles?.(target) ?? true));
      plans.set(name, plan);
    }
    return plan;
  }
}

/** What admission does about one kind of request: all plugins mutate, then, on the finished object, all validate. */
export class AdmissionPlan {
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = plugins.filter((plugin) => plugin.mutate !== undefined);
    this.#validating = plugins.filter((plugin) => plugin.validate !== undefined);
  }

  get mutates(): boolean {
    return this.#mutating.length > 0;
  }

  get validates(): boolean {
    return this.#validating.length > 0;
  }

  /** Runs the mutating plugins, and all of them a second time when one has asked for it. */
  async mutate(attributes: AdmissionAttributes): Promise<void> {
    do {
      for (const plugin of this.#mutating) {
        const running = plugin.mutate?.(attributes);
        if (running !== undefined) await running;
      }
    } while (attributes.beginReinvocation());
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.#validating) {
      const running = plugin.validate?.(attributes);
      if (running !== undefined) await running;
    }
  }
}
