import type { ApiObject } from '../../api/index.ts';
import { messageOf } from '../../base/index.ts';
import type { AdmissionMetrics, AdmissionTimer } from '../metrics/admission-metrics.ts';
import type { Resource } from '../resource.ts';
import type { TraceStep } from '../trace/request-trace.ts';
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

async function runStep({ name, timer, plugins }: Step, attributes: AdmissionAttributes): Promise<void> {
  const start = timer.now();
  const step = attributes.trace?.begin(attributes.isReinvoked ? `${name}, second pass` : name);
  for (const plugin of plugins) {
    const own = timer.now();
    try {
      const running = step === undefined ? plugin.run(attributes) : runTraced(plugin, attributes, step);
      if (running !== undefined) await running;
    } catch (error) {
      plugin.timer.ended(own, true);
      timer.ended(start, true);
      step?.end('refused');
      throw error;
    }
    plugin.timer.ended(own, false);
  }
  timer.ended(start, false);
  step?.end();
}

type Specified = ApiObject & { readonly spec?: unknown };

/** Notes what a plugin decides, and what it makes of the object: plugins replace it, its metadata or its spec, and leave the rest alone. */
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
