import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { CniError } from '../cni-error.ts';
import { type NetworkConfiguration, networkOfPlugin, parseNetworkConfiguration } from './network-configuration.ts';
import { parsePluginConfiguration, type PluginConfiguration } from './plugin-configuration.ts';

/** Where runtimes look for networks by default. */
export const NETWORK_FOLDER = '/etc/cni/net.d';

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * The network of that name from the files of a folder: of `*.conflist` first, in order of their names, then of `*.conf` and `*.json`,
 * which have one plugin each. A file that cannot be read is an error, unless an earlier one has the network.
 */
export async function loadNetwork(folder: string, name: string): Promise<NetworkConfiguration> {
  const lists = await filesOf(folder, ['.conflist']);
  for (const path of lists) {
    const network = await loadNetworkFile(path);
    if (network.name === name) return network;
  }
  const singles = await filesOf(folder, ['.conf', '.json']);
  for (const path of singles) {
    const plugin = parsePluginConfiguration(await textOf(path), `plugin configuration "${path}"`);
    if (plugin.name === name) return networkOfPlugin(plugin);
  }
  throw new CniError(
    'InvalidConfiguration',
    lists.length + singles.length === 0
      ? `no network configurations found in "${folder}"`
      : `no network configuration with name "${name}" in "${folder}"`,
  );
}

/** The network of a file `*.conflist`, with the plugins of `NAME/*.conf` beside it after its own, unless it says otherwise. */
export async function loadNetworkFile(path: string): Promise<NetworkConfiguration> {
  const network = parseNetworkConfiguration(await textOf(path), `network configuration "${path}"`);
  const others = network.loadOnlyInlinedPlugins ? [] : await pluginsBeside(join(dirname(path), network.name));
  const plugins = [...network.plugins, ...others];
  if (plugins.length === 0)
    throw new CniError('InvalidConfiguration', `cannot use network configuration "${path}"`, {
      details: 'it has no plugins, and none are in the folder of its name',
    });
  return { ...network, plugins };
}

/** The networks of all files of a folder, in order of the files' names: what a runtime may choose the first of. */
export async function networkFiles(folder: string): Promise<readonly string[]> {
  return filesOf(folder, ['.conflist', '.conf', '.json']);
}

async function pluginsBeside(folder: string): Promise<readonly PluginConfiguration[]> {
  const paths = await filesOf(folder, ['.conf']);
  const texts = await Promise.all(paths.map(textOf));
  return texts.map((text, at) => parsePluginConfiguration(text, `plugin configuration "${paths[at]}"`));
}

async function filesOf(folder: string, endings: readonly string[]): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.filter((entry) => !entry.isDirectory() && endings.includes(extname(entry.name)));
    return names.map((entry) => join(folder, entry.name)).sort();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return []; // as an empty folder
    throw new CniError('IoFailure', `cannot read folder "${folder}"`, { details: (cause as Error).message, cause });
  }
}

async function textOf(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes, more than ${MAX_FILE_BYTES}`);
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new CniError('IoFailure', `cannot read "${path}"`, { details: (cause as Error).message, cause });
  }
}
