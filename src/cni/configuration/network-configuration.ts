import { CniError } from '../cni-error.ts';
import { compareVersions, CURRENT_VERSION, isAtLeast } from '../cni-version.ts';
import { FieldReader, type JsonObject, parseObject } from '../field-reader.ts';
import { sortedJson } from '../sorted-json.ts';
import { checkNetworkName } from './network-name.ts';
import { type PluginConfiguration, pluginConfigurationOf } from './plugin-configuration.ts';

/** A network: the plugins that make it, in order. What a file `*.conflist` says. */
export interface NetworkConfiguration {
  readonly name: string;
  /** The version that is spoken with its plugins; empty where the text names none. */
  readonly cniVersion: string;
  /** CHECK is never called. */
  readonly disableCheck: boolean;
  /** GC is never called. */
  readonly disableGC: boolean;
  /** False: plugins are also read from the folder beside the file that has the network's name. */
  readonly loadOnlyInlinedPlugins: boolean;
  readonly plugins: readonly PluginConfiguration[];
  /** The text that all of this was read from. */
  readonly text: string;
}

/** More is refused: each is a process for each container. */
const MAX_PLUGINS = 100;

/** Reads the text of a network configuration (`*.conflist`). Plugins from other files are not part of it; `loadNetwork` adds them. */
export function parseNetworkConfiguration(text: string, what = 'network configuration'): NetworkConfiguration {
  const object = parseObject(text, what);
  const reader = new FieldReader(object, what);
  const name = reader.text('name') ?? '';
  checkNetworkName(name);
  const loadOnlyInlinedPlugins = reader.flag('loadOnlyInlinedPlugins');
  return {
    name,
    cniVersion: versionOf(reader, what),
    disableCheck: reader.flag('disableCheck'),
    disableGC: reader.flag('disableGC'),
    loadOnlyInlinedPlugins,
    plugins: pluginsOf(reader, what, loadOnlyInlinedPlugins),
    text,
  };
}

/** A configuration of one plugin (`*.conf`, `*.json`), as versions before 1.0.0 had it, as a network with that plugin alone. */
export function networkOfPlugin({ name, cniVersion, fields }: PluginConfiguration): NetworkConfiguration {
  return parseNetworkConfiguration(
    sortedJson({ name, cniVersion, plugins: [fields] }),
    `network configuration "${name}"`,
  );
}

/** The newest version that the text supports and that is known here. */
function versionOf(reader: FieldReader, what: string): string {
  const stated = reader.text('cniVersion') ?? '';
  const versions = reader.texts('cniVersions');
  if (versions === undefined) return stated;
  if (versions.includes(''))
    throw new CniError('DecodingFailure', `cannot read ${what}`, {
      details: '"cniVersions" contains an empty version',
    });
  const known = [...versions, ...(stated === '' ? [] : [stated])].filter((version) =>
    isAtLeast(CURRENT_VERSION, version),
  );
  return known.sort(compareVersions).at(-1) ?? stated;
}

function pluginsOf(reader: FieldReader, what: string, isComplete: boolean): readonly PluginConfiguration[] {
  const plugins: readonly JsonObject[] | undefined = reader.objects('plugins');
  if (plugins === undefined) {
    if (!isComplete) return [];
    throw new CniError('InvalidConfiguration', `cannot use ${what}`, {
      details: '"loadOnlyInlinedPlugins" is true, and there is no "plugins"',
    });
  }
  if (plugins.length === 0 || plugins.length > MAX_PLUGINS)
    throw new CniError('InvalidConfiguration', `cannot use ${what}`, {
      details: `"plugins" must have 1 to ${MAX_PLUGINS} plugins, got ${plugins.length}`,
    });
  return plugins.map((plugin, at) => pluginConfigurationOf(plugin, `plugins[${at}] of ${what}`));
}
