import type { Plugin } from './plugin.ts';
import { type ExtensionPoint, extensionPoints, type PluginUse, type Profile } from './profile.ts';

/** The method name of an extension point: `preFilter` for `PreFilter`. */
export type Method<Point extends ExtensionPoint> = Uncapitalize<Point>;

/** The order in which kube-scheduler checks the points, so that the same error is reported first. */
const CHECK_ORDER: readonly ExtensionPoint[] = [
  'PreFilter',
  'Filter',
  'PostFilter',
  'Reserve',
  'PreScore',
  'Score',
  'PreBind',
  'Bind',
  'PostBind',
  'Permit',
  'PreEnqueue',
  'QueueSort',
  'NormalizeScore',
];

/**
 * The plugins at each extension point, in order. Throws, in kube-scheduler's words, for plugins that do not exist, do
 * not implement the point or are registered twice.
 *
 * Example: of plugins A, B and C for all points, with C and D enabled at Filter and A disabled there, the filters are
 * those of C (it is set explicitly), then B, then D.
 */
export function pluginsAtPoints(
  profile: Profile,
  made: ReadonlyMap<string, Plugin>,
): ReadonlyMap<ExtensionPoint, readonly Plugin[]> {
  const explicit = new Map(CHECK_ORDER.map((point) => [point, explicitAt(profile, point, made)]));
  return new Map(
    CHECK_ORDER.map((point) => [point, combined({ profile, point, made }, explicit.get(point) ?? new Map())]),
  );
}

type NamedPlugins = ReadonlyMap<string, Plugin>;

/** The plugins that the profile enables at the point by name. */
function explicitAt(profile: Profile, point: ExtensionPoint, made: NamedPlugins): NamedPlugins {
  const found = new Map<string, Plugin>();
  for (const { name } of profile.points?.[point]?.enabled ?? []) {
    const plugin = existing(name, point, made);
    if (!serves(plugin, point)) throw new Error(`plugin "${name}" does not extend ${point}Plugin plugin`);
    if (found.has(name)) throw new Error(`plugin "${name}" already registered as "${point}Plugin"`);
    found.set(name, plugin);
  }
  return found;
}

interface Place {
  readonly profile: Profile;
  readonly point: ExtensionPoint;
  readonly made: NamedPlugins;
}

function combined({ profile, point, made }: Place, explicit: NamedPlugins): readonly Plugin[] {
  const disabled = new Set(profile.points?.[point]?.disabled);
  if (disabled.has('*')) return [...explicit.values()];
  const overridden = new Set<string>();
  const general = new Map<string, Plugin>();
  for (const use of profile.plugins) {
    const plugin = existing(use.name, point, made);
    if (!isWanted(use, plugin, point) || disabled.has(use.name)) continue;
    if (explicit.has(use.name)) overridden.add(use.name);
    else if (general.has(use.name)) throw new Error(`plugin "${use.name}" already registered as "${point}Plugin"`);
    else general.set(use.name, plugin);
  }
  const first = [...explicit].filter(([name]) => overridden.has(name)).map(([, plugin]) => plugin);
  const last = [...explicit].filter(([name]) => !overridden.has(name)).map(([, plugin]) => plugin);
  return [...first, ...general.values(), ...last];
}

function existing(name: string, point: ExtensionPoint, made: NamedPlugins): Plugin {
  const plugin = made.get(name);
  if (plugin === undefined) throw new Error(`${point}Plugin "${name}" does not exist`);
  return plugin;
}

function isWanted({ points }: PluginUse, plugin: Plugin, point: ExtensionPoint): boolean {
  return serves(plugin, point) && (points === undefined || points.includes(point));
}

function serves(plugin: Plugin, point: ExtensionPoint): boolean {
  return plugin[methodOf(point)] !== undefined;
}

/** The extension points that a plugin implements, in the order in which a pod passes them. */
export function pointsOf(plugin: Plugin): readonly ExtensionPoint[] {
  return extensionPoints.filter((point) => serves(plugin, point));
}

function methodOf<Point extends ExtensionPoint>(point: Point): Method<Point> {
  return (point.charAt(0).toLowerCase() + point.slice(1)) as Method<Point>;
}
