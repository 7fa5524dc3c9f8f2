import {
  duplicate,
  type FieldError,
  fieldErrorText,
  invalidValue,
  qualifiedNameProblems,
  required,
} from '../../api/index.ts';
import { isExtendedResource } from '../../api/meaning/index.ts';
import { deepEqual, parseGoDuration } from '../../base/index.ts';
import { checkArguments } from './check-arguments.ts';
import type {
  ConfiguredPlugins,
  ExtenderConfiguration,
  LeaderElectionConfiguration,
  PluginPoint,
  ProfileConfiguration,
  SchedulerConfiguration,
} from './configuration.ts';
import { pluginPoints } from './configuration.ts';

/** Plugins that Kubernetes removed and that must not be enabled. */
const REMOVED = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);
const REMOVED_SAYS =
  'was invalid in version "v1" (KubeSchedulerConfiguration is version "kubescheduler.config.k8s.io/v1")';
/** Extension points that are checked for removed plugins. */
const CHECKED_POINTS = pluginPoints.filter((point) => point !== 'multiPoint' && !point.startsWith('placement'));

/** All problems of a configuration, in kube-scheduler's words and order; empty when it is valid. */
export function schedulerConfigurationProblems(configuration: SchedulerConfiguration): readonly string[] {
  const { clientConnection, parallelism, profiles, extenders } = configuration;
  const { podInitialBackoffSeconds: initial, podMaxBackoffSeconds: max } = configuration;
  const problems = [
    ...(clientConnection.burst < 0
      ? [invalidValue('clientConnection.burst', clientConnection.burst, 'must be non-negative')]
      : []),
    ...leaderElectionProblems(configuration.leaderElection),
    ...(parallelism <= 0
      ? [invalidValue('parallelism', parallelism, 'should be an integer value greater than zero')]
      : []),
    ...profiles.flatMap((profile, index) => [
      ...profileProblems(profile, `profiles[${index}]`),
      ...(profiles.findIndex(({ schedulerName }) => schedulerName === profile.schedulerName) < index
        ? [duplicate(`profiles[${index}].schedulerName`, {})]
        : []),
    ]),
    ...queueSortProblems(profiles),
    ...percentageProblems('percentageOfNodesToScore', configuration.percentageOfNodesToScore),
    ...(initial <= 0 ? [invalidValue('podInitialBackoffSeconds', initial, 'must be greater than 0')] : []),
    ...(max < initial
      ? [invalidValue('podMaxBackoffSeconds', max, 'must be greater than or equal to PodInitialBackoffSeconds')]
      : []),
    ...extenderProblems(extenders),
  ];
  const texts = problems.map((problem) => (typeof problem === 'string' ? problem : fieldErrorText(problem)));
  return [...new Set(texts)];
}

function leaderElectionProblems(election: LeaderElectionConfiguration): FieldError[] {
  const { leaderElect, leaseDuration, renewDeadline, resourceLock } = election;
  if (!leaderElect) return [];
  const times = ['leaseDuration', 'renewDeadline', 'retryPeriod'] as const;
  const isLongEnough = parseGoDuration(leaseDuration) > parseGoDuration(renewDeadline);
  return [
    ...times
      .filter((name) => parseGoDuration(election[name]) <= 0n)
      .map((name) => invalidValue(`leaderElection.${name}`, election[name], 'must be greater than zero')),
    ...(isLongEnough
      ? []
      : [invalidValue('leaderElection.leaseDuration', renewDeadline, 'must be greater than `RenewDeadline`')]),
    ...(resourceLock === 'leases'
      ? []
      : [invalidValue('leaderElection.resourceLock', resourceLock, 'resourceLock value must be "leases"')]),
  ];
}

function profileProblems(profile: ProfileConfiguration, path: string): (FieldError | string)[] {
  const { schedulerName, percentageOfNodesToScore, plugins, pluginConfig } = profile;
  return [
    ...(schedulerName === '' ? [required(`${path}.schedulerName`)] : []),
    ...percentageProblems(`${path}.percentageOfNodesToScore`, percentageOfNodesToScore),
    ...CHECKED_POINTS.flatMap((point) => removedPlugins(plugins, point, path)),
    ...pluginConfig.flatMap(({ name, args }, index) => {
      const place = `${path}.pluginConfig[${index}]`;
      const isRepeated = pluginConfig.findIndex((other) => other.name === name) < index;
      return [
        ...(isRepeated ? [duplicate(place, name)] : []),
        ...(REMOVED.has(name)
          ? [invalidValue(place, name, REMOVED_SAYS)]
          : checkArguments(name, args, `${place}.args`)),
      ];
    }),
  ];
}

function removedPlugins(plugins: ProfileConfiguration['plugins'], point: PluginPoint, path: string): FieldError[] {
  return plugins[point].enabled.flatMap(({ name }, index) =>
    REMOVED.has(name) ? [invalidValue(`${path}.plugins.${point}.enabled[${index}]`, name, REMOVED_SAYS)] : [],
  );
}

function percentageProblems(path: string, percentage = 0): FieldError[] {
  return percentage < 0 || percentage > 100 ? [invalidValue(path, percentage, 'not in valid range [0-100]')] : [];
}

function queueSortProblems(profiles: readonly ProfileConfiguration[]): FieldError[] {
  const [first, ...others] = profiles;
  if (first === undefined) return [];
  const { queueSort } = first.plugins;
  const { length } = queueSort.enabled;
  const sorter = queueSort.enabled[0]?.name;
  const argsOf = ({ pluginConfig }: ProfileConfiguration): unknown =>
    pluginConfig.find(({ name }) => name === sorter)?.args;
  return [
    ...(length > 1
      ? [invalidValue('profiles[0].plugins.queueSort.Enabled', length, 'only one queue sort plugin can be enabled')]
      : []),
    ...others.flatMap((profile, index) => {
      const path = `profiles[${index + 1}]`;
      const own = profile.plugins.queueSort;
      const hasArgs = sorter !== undefined && profile.pluginConfig.some(({ name }) => name === sorter);
      return [
        ...(deepEqual(own, queueSort)
          ? []
          : [invalidValue(`${path}.plugins.queueSort`, shownSet(own), 'must be the same for all profiles')]),
        ...(hasArgs && !deepEqual(argsOf(profile), argsOf(first))
          ? [invalidValue(`${path}.pluginConfig.args`, argsOf(profile), 'queueSort must be the same for all profiles')]
          : []),
      ];
    }),
  ];
}

/** Prints the set as Go prints an anonymous struct. */
function shownSet({ enabled, disabled }: ConfiguredPlugins): unknown {
  const shown = (list: ConfiguredPlugins['enabled']): unknown =>
    list.length === 0 ? null : list.map(({ name, weight }) => ({ Name: name, Weight: weight }));
  return { Enabled: shown(enabled), Disabled: shown(disabled) };
}

function extenderProblems(extenders: readonly ExtenderConfiguration[]): FieldError[] {
  const binders = extenders.filter(({ bindVerb }) => bindVerb !== '').length;
  const managed = new Set<string>();
  const own = extenders.flatMap(({ prioritizeVerb, weight, managedResources }, index) => {
    const path = `extenders[${index}]`;
    const isWeightless = prioritizeVerb !== '' && weight <= 0;
    return [
      ...(isWeightless ? [invalidValue(`${path}.weight`, weight, 'must have a positive weight applied to it')] : []),
      ...managedResources.flatMap(({ name }, place) => {
        const field = `${path}.managedResources[${place}].name`;
        const isRepeated = managed.has(name);
        managed.add(name);
        return [
          ...resourceNameProblems(field, name),
          ...(isRepeated ? [invalidValue(field, name, 'duplicate extender managed resource name')] : []),
        ];
      }),
    ];
  });
  if (binders <= 1) return own;
  const found = `found ${binders} extenders implementing bind`;
  return [...own, invalidValue('extenders', found, 'only one extender can implement bind')];
}

function resourceNameProblems(field: string, name: string): FieldError[] {
  const problems = qualifiedNameProblems(name);
  if (problems.length > 0) return problems.map((problem) => invalidValue(field, name, problem));
  return isExtendedResource(name) ? [] : [invalidValue(field, name, 'is an invalid extended resource name')];
}
