import { readFileSync } from 'node:fs';
import { fieldErrorText } from '../../api/index.ts';
import { type Clock, messageOf, parseGoDuration } from '../../base/index.ts';
import { type ExtenderTrust, httpExtender } from '../framework/extender-http.ts';
import type { ExtenderVerb } from '../framework/extender-calls.ts';
import type { Extender } from '../framework/extender.ts';
import type { PluginFactory } from '../framework/plugin-context.ts';
import { type ExtensionPoint, extensionPoints, type PluginUse, type Profile } from '../framework/profile.ts';
import { builtInPlugins } from '../plugins/registry.ts';
import type { SchedulerOptions } from '../scheduler.ts';
import { fitArgsErrors } from '../plugins/fit-args.ts';
import { schedulerConfigurationProblems } from './check-configuration.ts';
import type {
  BuiltInArguments,
  ExtenderConfiguration,
  ExtenderTls,
  PluginPoint,
  ProfileConfiguration,
  SchedulerConfiguration,
} from './configuration.ts';
import { defaultPluginNames } from './default-plugins.ts';
import { SchedulerConfigurationError } from './read-configuration.ts';

/** What a scheduler needs besides its configuration file. */
export interface ConfiguredSchedulerContext {
  readonly clock: Clock;
  /** Plugins beside the built-in ones, by name. */
  readonly plugins?: ReadonlyMap<string, PluginFactory>;
}

/** Converts a configuration into scheduler options. Throws, in kube-scheduler's words, when it is invalid. */
export function configuredScheduler(
  configuration: SchedulerConfiguration,
  { clock, plugins = new Map() }: ConfiguredSchedulerContext,
): SchedulerOptions {
  const problems = schedulerConfigurationProblems(configuration);
  if (problems.length > 0)
    throw new SchedulerConfigurationError(problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`);
  const { extenders, podInitialBackoffSeconds, podMaxBackoffSeconds } = configuration;
  const made = extenders.map((extender) => configuredExtender(extender, clock));
  const completed = completedProfiles(configuration);
  return {
    profiles: completed.map((profile) =>
      profileOf(profile, configuration, new Set([...builtInPlugins.keys(), ...plugins.keys()])),
    ),
    plugins,
    extenders: [
      ...made.filter(({ isIgnorable }) => isIgnorable !== true),
      ...made.filter(({ isIgnorable }) => isIgnorable === true),
    ],
    podInitialBackoff: podInitialBackoffSeconds * 1000,
    podMaxBackoff: podMaxBackoffSeconds * 1000,
  };
}

/** The profiles with NodeResourcesFit ignoring the resources that only extenders count. */
export function completedProfiles({ profiles, extenders }: SchedulerConfiguration): readonly ProfileConfiguration[] {
  const ignoredResources = extenders.flatMap(({ managedResources }) =>
    managedResources.flatMap(({ name, ignoredByScheduler }) => (ignoredByScheduler ? [name] : [])),
  );
  if (ignoredResources.length === 0) return profiles;
  return profiles.map((profile) => ({
    ...profile,
    pluginConfig: profile.pluginConfig.map(({ name, args }) => ({
      name,
      args: name === FIT ? { ...(args as object), ignoredResources } : args,
    })),
  }));
}

const FIT = 'NodeResourcesFit';

function profileOf(
  { schedulerName, plugins, pluginConfig, percentageOfNodesToScore }: ProfileConfiguration,
  configuration: SchedulerConfiguration,
  existing: ReadonlySet<string>,
): Profile {
  const args = new Map(pluginConfig.map((one) => [one.name, one.args]));
  checkFit(schedulerName, args.get(FIT));
  const use = ({ name, weight }: { readonly name: string; readonly weight: number }): PluginUse => ({
    name,
    weight,
    ...(args.has(name) ? { args: args.get(name) } : {}),
  });
  const at = (point: PluginPoint): readonly PluginUse[] => plugins[point].enabled.map(use);
  const points = extensionPoints.flatMap((point) => {
    const member = configuredPoint(point);
    if (member === undefined) return [];
    const disabled = plugins[member].disabled.map(({ name }) => name);
    return [[point, { enabled: at(member), disabled }] as const];
  });
  return {
    schedulerName,
    // defaults that are not implemented are skipped
    plugins: at('multiPoint').filter(({ name }) => existing.has(name) || !defaultPluginNames.has(name)),
    points: Object.fromEntries(points),
    percentageOfNodesToScore: percentageOfNodesToScore ?? configuration.percentageOfNodesToScore,
  };
}

/** The member of `plugins` for an extension point; NormalizeScore belongs to `score` there. */
function configuredPoint(point: ExtensionPoint): PluginPoint | undefined {
  return point === 'NormalizeScore' ? undefined : ((point.charAt(0).toLowerCase() + point.slice(1)) as PluginPoint);
}

function checkFit(schedulerName: string, args: unknown): void {
  if (args === undefined) return;
  const problems = fitArgsErrors(args as BuiltInArguments[typeof FIT]).map(fieldErrorText);
  if (problems.length === 0) return;
  const why = problems.length === 1 ? problems.join() : `[${problems.join(', ')}]`;
  throw new SchedulerConfigurationError(
    `initializing profiles: creating profile for scheduler name ${schedulerName}: initializing plugin "${FIT}": ${why}`,
  );
}

function configuredExtender(extender: ExtenderConfiguration, clock: Clock): Extender {
  const { urlPrefix, filterVerb, prioritizeVerb, preemptVerb, bindVerb, managedResources } = extender;
  const verbs: readonly (readonly [ExtenderVerb, string])[] = [
    ['filter', filterVerb],
    ['prioritize', prioritizeVerb],
    ['preempt', preemptVerb],
    ['bind', bindVerb],
  ];
  return httpExtender({
    urlPrefix,
    verbs: new Map(verbs.filter(([, action]) => action !== '')),
    weight: extender.weight,
    isIgnorable: extender.ignorable,
    isNodeCacheCapable: extender.nodeCacheCapable,
    managedResources: managedResources.map(({ name }) => name),
    timeout: Number(parseGoDuration(extender.httpTimeout) / 1_000_000n),
    tls: extenderTrust(extender),
    clock,
  });
}

/** As in kube-scheduler, HTTPS without a CA does not verify the certificate. */
function extenderTrust({ enableHTTPS, tlsConfig = {} }: ExtenderConfiguration): ExtenderTrust {
  const authorities = pemOf(tlsConfig, 'ca');
  const [certificate, key] = [pemOf(tlsConfig, 'cert'), pemOf(tlsConfig, 'key')];
  const { insecure = false, serverName = '' } = tlsConfig;
  if (insecure && authorities !== undefined)
    throw refused('specifying a root certificates file with the insecure flag is not allowed');
  return {
    isInsecure: insecure || (enableHTTPS && authorities === undefined),
    ...(serverName === '' ? {} : { serverName }),
    ...(authorities === undefined ? {} : { authorities }),
    ...(certificate === undefined || key === undefined ? {} : { certificate: { certificate, key } }),
  };
}

/** PEM data in the configuration takes precedence over a file. */
function pemOf(tls: ExtenderTls, what: 'ca' | 'cert' | 'key'): string | undefined {
  const [data = '', file = ''] = [tls[`${what}Data`], tls[`${what}File`]];
  if (data !== '') return Buffer.from(data, 'base64').toString();
  if (file === '') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    const isMissing = messageOf(cause).startsWith('ENOENT');
    throw refused(`open ${file}: ${isMissing ? 'no such file or directory' : messageOf(cause)}`);
  }
}

function refused(why: string): SchedulerConfigurationError {
  return new SchedulerConfigurationError(`couldn't build extenders: ${why}`);
}
