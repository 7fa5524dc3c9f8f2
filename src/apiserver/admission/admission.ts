import type { AdmissionMetrics, AdmissionTimer } from '../metrics/admission-metrics.ts';
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
  readonly #metrics: AdmissionMetrics;
  readonly #plans = new WeakMap<Resource, Map<string, AdmissionPlan>>();

  constructor(plugins: readonly AdmissionPlugin[], metrics: AdmissionMetrics) {
    this.#plugins = plugins;
    this.#metrics = metrics;
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
      const handling = this.#plugins.filter((plugin) => plugin.handles?.(target) ?? true);
      plan = new AdmissionPlan(handling, operation, this.#metrics);
      plans.set(name, plan);
    }
    return plan;
  }
}

/** What admission does about one kind of request: all plugins mutate, then, on the finished object, all validate. */
export class AdmissionPlan {
  readonly #mutating: Step;
  readonly #validating: Step;

  constructor(plugins: readonly AdmissionPlugin[], operation: Operation, metrics: AdmissionMetrics) {
    const step = (type: 'admit' | 'validate', method: 'mutate' | 'validate'): Step => ({
      timer: metrics.timer(type, operation),
      plugins: plugins
        .filter((plugin) => plugin[method] !== undefined)
        .map((plugin) => ({
          timer: metrics.timer(type, operation, plugin.name),
          run: (attributes) => plugin[method]?.(attributes),
        })),
    });
    this.#mutating = step('admit', 'mutate');
    this.#validating = step('validate', 'validate');
  }

  get mutates(): boolean {
    return this.#mutating.plugins.length > 0;
  }

  get validates(): boolean {
    return this.#validating.plugins.length > 0;
  }

  /** Runs the mutating plugins, and all of them a second time when one has asked for it. */
  async mutate(attributes: AdmissionAttributes): Promise<void> {
    do {
      await runStep(this.#mutating, attributes);
    } while (attributes.beginReinvocation());
  }

  validate(attributes: AdmissionAttributes): Promise<void> {
    return runStep(this.#validating, attributes);
  }
}

interface Step {
  readonly timer: AdmissionTimer;
  readonly plugins: readonly {
    readonly timer: AdmissionTimer;
    readonly run: (attributes: AdmissionAttributes) => void | Promise<void>;
  }[];
}

async function runStep({ timer, plugins }: Step, attributes: AdmissionAttributes): Promise<void> {
  const start = timer.now();
  for (const plugin of plugins) {
    const own = timer.now();
    try {
      const running = plugin.run(attributes);
      if (running !== undefined) await running;
    } catch (error) {
      plugin.timer.ended(own, true);
      timer.ended(start, true);
      throw error;
    }
    plugin.timer.ended(own, false);
  }
  timer.ended(start, false);
}
