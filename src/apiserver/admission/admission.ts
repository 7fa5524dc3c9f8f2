import type { ApiObject } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';
import type { AdmissionMetrics, AdmissionTimer } from '../metrics/admission-metrics.ts';
import type { Resource } from '../resource.ts';
import type { TraceStep } from '../trace/request-trace.ts';
import type { AdmissionAttributes, AdmissionTarget, Operation } from './admission-attributes.ts';

/** One plugin. It rejects a request by throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /**
   * Whether the plugin applies to such requests; absent: to all. Called once for each resource, subresource and operation, so the answer
   * must depend on nothing else; requests that no plugin handles cost nothing.
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

  /** The plugins that handle such requests. */
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

/** Admission for one kind of request: all plugins mutate, then all validate the finished object. */
export class AdmissionPlan {
  readonly #mutating: Step;
  readonly #validating: Step;

  constructor(plugins: readonly AdmissionPlugin[], operation: Operation, metrics: AdmissionMetrics) {
    const step = (type: 'admit' | 'validate', method: 'mutate' | 'validate'): Step => ({
      name: STEP_NAMES[method],
      timer: metrics.timer(type, operation),
      plugins: plugins
        .filter((plugin) => plugin[method] !== undefined)
        .map((plugin) => ({
          name: plugin.name,
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

  /** Runs the mutating plugins, and all of them a second time when one requested it. */
  mutate(attributes: AdmissionAttributes): void | Promise<void> {
    const again = (): void | Promise<void> => {
      if (attributes.beginReinvocation()) return new StepRun(this.#mutating, attributes).from(0);
    };
    const running = new StepRun(this.#mutating, attributes).from(0);
    return running === undefined ? again() : running.then(again);
  }

  validate(attributes: AdmissionAttributes): void | Promise<void> {
    return new StepRun(this.#validating, attributes).from(0);
  }
}

const STEP_NAMES = { mutate: 'mutating admission', validate: 'validating admission' } as const;

interface Step {
  readonly name: string;
  readonly timer: AdmissionTimer;
  readonly plugins: readonly PluginRun[];
}

interface PluginRun {
  readonly name: string;
  readonly timer: AdmissionTimer;
  readonly run: (attributes: AdmissionAttributes) => void | Promise<void>;
}

/** Runs all plugins of a step, one after the other; synchronous while the plugins are. */
class StepRun {
  readonly #step: Step;
  readonly #attributes: AdmissionAttributes;
  readonly #start: number;
  readonly #trace: TraceStep | undefined;

  constructor(step: Step, attributes: AdmissionAttributes) {
    this.#step = step;
    this.#attributes = attributes;
    this.#start = step.timer.now();
    this.#trace = attributes.trace?.begin(attributes.isReinvoked ? `${step.name}, second pass` : step.name);
  }

  from(first: number): void | Promise<void> {
    const { plugins, timer } = this.#step;
    for (let index = first; index < plugins.length; index++) {
      const plugin = plugins[index] as PluginRun;
      const own = timer.now();
      try {
        const running =
          this.#trace === undefined ? plugin.run(this.#attributes) : runTraced(plugin, this.#attributes, this.#trace);
        if (running !== undefined) return this.#goOn(running, index, own);
      } catch (error) {
        this.#refused(plugin, own, error);
      }
      plugin.timer.ended(own, false);
    }
    timer.ended(this.#start, false);
    this.#trace?.end();
  }

  async #goOn(running: Promise<void>, index: number, own: number): Promise<void> {
    const plugin = this.#step.plugins[index] as PluginRun;
    try {
      await running;
    } catch (error) {
      this.#refused(plugin, own, error);
    }
    plugin.timer.ended(own, false);
    const rest = this.from(index + 1);
    if (rest !== undefined) await rest;
  }

  #refused(plugin: PluginRun, own: number, error: unknown): never {
    plugin.timer.ended(own, true);
    this.#step.timer.ended(this.#start, true);
    this.#trace?.end('refused');
    throw error;
  }
}

type Specified = ApiObject & { readonly spec?: unknown };

/**
 * Records a plugin's decision and its changes to the object. Changes are found by identity: plugins replace the object, its metadata or its
 * spec, and change nothing else.
 */
function runTraced(plugin: PluginRun, attributes: AdmissionAttributes, within: TraceStep): void | Promise<void> {
  const before: Specified | undefined = attributes.object;
  const { metadata, spec } = before ?? {};
  const step = within.begin(plugin.name);
  const passed = (): void => {
    const after: Specified | undefined = attributes.object;
    if (after !== before || after?.metadata !== metadata || after?.spec !== spec)
      step.changed({ ...before, metadata, ...(spec === undefined ? {} : { spec }) }, after);
    step.end();
  };
  const refused = (error: unknown): never => {
    step.end('refused', messageOf(error));
    throw error;
  };
  attributes.plugin = step;
  try {
    const running = plugin.run(attributes);
    if (running !== undefined) return running.then(passed, refused);
  } catch (error) {
    return refused(error);
  }
  passed();
}
