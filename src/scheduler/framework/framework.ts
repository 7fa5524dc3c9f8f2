import { messageOf } from '../../base/index.ts';
import type { NominatedPods } from '../cache/nominated-pods.ts';
import type { PodInfo } from '../cache/pod-info.ts';
import { type EventInterest, interestInEverything } from './cluster-event.ts';
import { type Extender, EXTENDERS } from './extender.ts';
import type { PluginFactory, SharedContext } from './plugin-context.ts';
import type { Plugin } from './plugin.ts';
import { type Method, pluginsAtPoints } from './plugins-at-points.ts';
import type { ExtensionPoint, PluginUse, Profile } from './profile.ts';
import type { WaitingPods } from './waiting-pods.ts';

/** A plugin that has the method of the extension point. */
export type PluginAt<Point extends ExtensionPoint> = Plugin & Required<Pick<Plugin, Method<Point>>>;

/** A plugin's interest in cluster events. */
export interface PluginInterest {
  readonly plugin: string;
  readonly interest: EventInterest;
}

/** A profile with its plugins instantiated and grouped by extension point. */
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
    const uses = usesOf(profile);
    try {
      const made = makePlugins(uses, factories, context);
      this.#plugins = pluginsAtPoints(profile, made);
      this.#weights = weightsOf(uses);
      this.interests = [...made.values()].flatMap((plugin) =>
        (plugin.events ?? []).map((interest) => ({ plugin: plugin.name, interest })),
      );
      checkProfile(this);
    } catch (cause) {
      const why = `creating profile for scheduler name ${profile.schedulerName}: ${messageOf(cause)}`;
      throw new Error(`initializing profiles: ${why}`, { cause });
    }
    if (this.extenders.length > 0)
      this.interests = [...this.interests, { plugin: EXTENDERS, interest: interestInEverything }];
  }

  get schedulerName(): string {
    return this.profile.schedulerName;
  }

  /** The plugins at an extension point, in order. */
  at<Point extends ExtensionPoint>(point: Point): readonly PluginAt<Point>[] {
    return this.#plugins.get(point) as readonly PluginAt<Point>[];
  }

  /** Whether scores are computed; without Score plugins the first feasible node is taken. */
  get choosesNodes(): boolean {
    return this.at('Score').length > 0 || this.extenders.some(({ filter, prioritize }) => filter ?? prioritize);
  }

  /** The extenders that apply to the pod, in order. */
  extendersFor(pod: PodInfo): readonly Extender[] {
    if (this.extenders.length === 0) return this.extenders;
    return this.extenders.filter((extender) => extender.isInterested?.(pod) ?? true);
  }

  weightOf(plugin: string): number {
    return this.#weights.get(plugin) ?? 1;
  }
}

/** All uses of plugins; those at single points come first because they determine the weights. */
function usesOf({ plugins, points = {} }: Profile): readonly PluginUse[] {
  return [...Object.values(points).flatMap(({ enabled = [] }) => enabled), ...plugins];
}

/** Instantiates one plugin per name; unknown names are reported later, at their extension point. */
function makePlugins(
  uses: readonly PluginUse[],
  factories: ReadonlyMap<string, PluginFactory>,
  context: SharedContext,
): ReadonlyMap<string, Plugin> {
  const made = new Map<string, Plugin>();
  for (const { name, args } of uses) {
    const factory = factories.get(name);
    if (factory === undefined || made.has(name)) continue;
    try {
      made.set(name, factory({ ...context, args }));
    } catch (cause) {
      throw new Error(`initializing plugin "${name}": ${messageOf(cause)}`, { cause });
    }
  }
  return made;
}

/** The first use of a plugin determines its weight; 0 means 1. */
function weightsOf(uses: readonly PluginUse[]): ReadonlyMap<string, number> {
  return new Map(uses.toReversed().map(({ name, weight = 1 }) => [name, weight === 0 ? 1 : weight]));
}

function checkProfile(framework: Framework): void {
  const { schedulerName, percentageOfNodesToScore = 0 } = framework.profile;
  const profile = `profile with scheduler name "${schedulerName}"`;
  if (schedulerName === '') throw new Error('scheduler name is needed');
  const sorts = framework.at('QueueSort').length;
  if (sorts !== 1) throw new Error(`only one queue sort plugin required for ${profile}, but got ${sorts}`);
  if (framework.at('Bind').length === 0) throw new Error(`at least one bind plugin is needed for ${profile}`);
  const light = framework.at('Score').find(({ name }) => !(framework.weightOf(name) >= 1));
  if (light !== undefined)
    throw new Error(`score plugin "${light.name}" needs a weight >= 1, got ${framework.weightOf(light.name)}`);
  if (!(percentageOfNodesToScore >= 0 && percentageOfNodesToScore <= 100))
    throw new Error(`percentageOfNodesToScore must be from 0 to 100, got ${percentageOfNodesToScore}`);
}
