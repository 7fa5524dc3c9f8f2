import type { NominatedPods } from '../cache/nominated-pods.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { type EventInterest, interestInEverything } from './cluster-event.ts';
import { type Extender, EXTENDERS } from './extender.ts';
import type { PluginContext, PluginFactory, SharedContext } from './plugin-context.ts';
import type { Plugin } from './plugin.ts';
import { type ExtensionPoint, extensionPoints, type PluginUse, type Profile } from './profile.ts';
import type { WaitingPods } from './waiting-pods.ts';

/** The method of a plugin that serves a point: `PreFilter` is served by `preFilter`. */
type Method<Point extends ExtensionPoint> = Uncapitalize<Point>;

/** A plugin that serves a point for sure. */
export type PluginAt<Point extends ExtensionPoint> = Plugin & Required<Pick<Plugin, Method<Point>>>;

/** A plugin's interest in what happens in the cluster. */
export interface PluginInterest {
  readonly plugin: string;
  readonly interest: EventInterest;
}

/** A profile with its plugins made, and sorted by the points at which they take part. */
export class Framework {
  readonly profile: Profile;
  readonly nominatedPods: NominatedPods;
  readonly waitingPods: WaitingPods;
  readonly extenders: readonly Extender[];
  readonly interests: readonly PluginInterest[];
  readonly #plugins: ReadonlyMap<ExtensionPoint, readonly Plugin[]>;
  readonly #weights: ReadonlyMap<string, number>;

  constructor(profile: Profile, factories: ReadonlyMap<string, PluginFactory>, context: SharedContext) {
    this.profile = profile;
    this.nominatedPods = context.nominatedPods;
    this.waitingPods = context.waitingPods;
    this.extenders = context.extenders;
    const made = profile.plugins.map((use) => ({
      use,
      plugin: makePlugin(use, factories, { ...context, args: use.args }),
    }));
    const atPoint = (point: ExtensionPoint): Plugin[] =>
      made.filter(({ use, plugin }) => isAt(point, use, plugin)).map(({ plugin }) => plugin);
    this.#plugins = new Map(extensionPoints.map((point) => [point, atPoint(point)]));
    this.#weights = new Map(profile.plugins.map(({ name, weight = 1 }) => [name, weight]));
    this.interests = made.flatMap(({ plugin }) =>
      (plugin.events ?? []).map((interest) => ({ plugin: plugin.name, interest })),
    );
    if (this.extenders.length > 0)
      this.interests = [...this.interests, { plugin: EXTENDERS, interest: interestInEverything }];
    checkProfile(
      this,
      made.map(({ plugin }) => plugin.name),
    );
  }

  get schedulerName(): string {
    return this.profile.schedulerName;
  }

  /** The plugins that take part at a point, in order. */
  at<Point extends ExtensionPoint>(point: Point): readonly PluginAt<Point>[] {
    return this.#plugins.get(point) as readonly PluginAt<Point>[];
  }

  /** Whether it matters which of the nodes that will do is taken; else the first one is as good. */
  get choosesNodes(): boolean {
    return this.at('Score').length > 0 || this.extenders.some(({ filter, prioritize }) => filter ?? prioritize);
  }

  /** The extenders that have a say about the pod, in order. */
  extendersFor(pod: PodInfo): readonly Extender[] {
    if (this.extenders.length === 0) return this.extenders;
    return this.extenders.filter((extender) => extender.isInterested?.(pod) ?? true);
  }

  weightOf(plugin: string): number {
    return this.#weights.get(plugin) ?? 1;
  }
}

/** The points that a plugin serves, in the order in which a pod passes them. */
export function pointsOf(plugin: Plugin): readonly ExtensionPoint[] {
  return extensionPoints.filter((point) => plugin[methodOf(point)] !== undefined);
}

function methodOf<Point extends ExtensionPoint>(point: Point): Method<Point> {
  return (point.charAt(0).toLowerCase() + point.slice(1)) as Method<Point>;
}

function makePlugin(use: PluginUse, factories: ReadonlyMap<string, PluginFactory>, context: PluginContext): Plugin {
  const factory = factories.get(use.name);
  if (factory === undefined) {
    const known = [...factories.keys()].sort().join(', ');
    throw new Error(`Cannot enable scheduler plugin "${use.name}": it does not exist, there are ${known}`);
  }
  return factory(context);
}

function isAt(point: ExtensionPoint, use: PluginUse, plugin: Plugin): boolean {
  if (plugin[methodOf(point)] === undefined) return false;
  return use.points === undefined || use.points.includes(point);
}

function checkProfile(framework: Framework, names: readonly string[]): void {
  const { schedulerName, percentageOfNodesToScore = 0 } = framework.profile;
  const refuse = (why: string): never => {
    throw new Error(`Cannot use scheduler profile "${schedulerName}": ${why}`);
  };
  if (schedulerName === '') refuse('it has no schedulerName');
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) refuse(`plugin "${twice}" is enabled twice`);
  const sorts = framework.at('QueueSort').length;
  if (sorts !== 1) refuse(`it needs one QueueSort plugin, got ${sorts}`);
  if (framework.at('Bind').length === 0) refuse('it needs a Bind plugin');
  const light = framework.at('Score').find(({ name }) => !(framework.weightOf(name) >= 1));
  if (light !== undefined) refuse(`plugin "${light.name}" needs a weight >= 1, got ${framework.weightOf(light.name)}`);
  if (!(percentageOfNodesToScore >= 0 && percentageOfNodesToScore <= 100))
    refuse(`percentageOfNodesToScore must be from 0 to 100, got ${percentageOfNodesToScore}`);
}
