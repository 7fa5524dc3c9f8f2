import { encodeYaml } from '../../api/index.ts';
import { compareUtf8 } from '../../base/index.ts';
import type {
  ConfiguredPlugin,
  ConfiguredPlugins,
  ExtenderConfiguration,
  PluginArguments,
  ProfileConfiguration,
  SchedulerConfiguration,
} from './configuration.ts';
import { isWithArguments } from './configuration-kinds.ts';
import { completedProfiles } from './scheduler-options.ts';

const API_VERSION = 'kubescheduler.config.k8s.io/v1';

/** The configuration in YAML with all defaults, as `--write-config-to` of kube-scheduler writes it. */
export function schedulerConfigurationText(configuration: SchedulerConfiguration): string {
  const { delayCacheUntilActive, extenders, ...others } = configuration;
  return encodeYaml({
    apiVersion: API_VERSION,
    kind: 'KubeSchedulerConfiguration',
    ...others,
    ...(delayCacheUntilActive ? { delayCacheUntilActive } : {}),
    ...(extenders.length === 0 ? {} : { extenders: extenders.map(writtenExtender) }),
    profiles: completedProfiles(configuration).map(writtenProfile),
  });
}

function writtenProfile({ plugins, pluginConfig, ...others }: ProfileConfiguration): object {
  const used = new Set(Object.values(plugins).flatMap(({ enabled }) => enabled.map(({ name }) => name)));
  const known = pluginConfig
    .filter(({ name }) => isWithArguments(name) && used.has(name))
    .toSorted((left, right) => compareUtf8(left.name, right.name));
  return {
    ...others,
    plugins: Object.fromEntries(Object.entries(plugins).map(([point, set]) => [point, writtenSet(set)])),
    ...(known.length === 0 ? {} : { pluginConfig: known.map(writtenArguments) }),
  };
}

function writtenArguments({ name, args }: PluginArguments): object {
  return { name, args: { apiVersion: API_VERSION, kind: `${name}Args`, ...(args as object) } };
}

function writtenSet({ enabled, disabled }: ConfiguredPlugins): object {
  const list = (plugins: readonly ConfiguredPlugin[], name: string): object =>
    plugins.length === 0 ? {} : { [name]: plugins };
  return { ...list(enabled, 'enabled'), ...list(disabled, 'disabled') };
}

/** Omits members without a value. */
function writtenExtender({ managedResources, ...others }: ExtenderConfiguration): object {
  const resources = managedResources.map(({ name, ignoredByScheduler }) => ({
    name,
    ...(ignoredByScheduler ? { ignoredByScheduler } : {}),
  }));
  const said = Object.entries(others).filter(
    ([name, value]) => name === 'urlPrefix' || (value !== '' && value !== 0 && value !== false),
  );
  return { ...Object.fromEntries(said), ...(resources.length === 0 ? {} : { managedResources: resources }) };
}
