import { readFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { CNI_VERSIONS, type JsonObject, parseObject } from '../../cni/index.ts';
import type { SuiteRequest } from '../suite-request.ts';

/** What a plugin does: makes an interface, works on that of another plugin, or manages addresses for another. */
export type PluginKind = 'interface' | 'chained' | 'ipam';

const PLUGIN_KINDS: readonly PluginKind[] = ['interface', 'chained', 'ipam'];

/** What is judged, and how. */
export interface CniSuiteOptions {
  /** The plugin's program and its arguments. */
  readonly command: readonly string[];
  readonly kind: PluginKind;
  /** The configuration of the plugin. */
  readonly config: JsonObject;
  /** The version to speak; undefined for the newest that the plugin supports. */
  readonly cniVersion: string | undefined;
  /** CNI_PATH. */
  readonly pluginPath: string;
  readonly ifName: string;
  /** Folders whose files must not become more. */
  readonly stateFolders: readonly string[];
  /** Shell commands that prepare the machine's side; empty for none. */
  readonly setup: string;
  /** How many containers are added at the same time. */
  readonly concurrency: number;
  /** What the plugin inherits. */
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const MAX_CONCURRENCY = 1000;

/** Reads what the command line asks for. Throws an Error that says what is wrong. */
export async function readCniOptions({ command, flags, environment }: SuiteRequest): Promise<CniSuiteOptions> {
  const [program = ''] = command;
  const kind = flags.text('plugin-kind') ?? 'interface';
  if (!isPluginKind(kind)) throw new Error(`--plugin-kind must be ${PLUGIN_KINDS.join(', ')}, got "${kind}"`);
  const cniVersion = flags.text('cni-version');
  if (cniVersion !== undefined && !CNI_VERSIONS.some((known) => known === cniVersion))
    throw new Error(`--cni-version must be one of ${CNI_VERSIONS.join(', ')}, got "${cniVersion}"`);
  const count = flags.text('concurrency') ?? '';
  const concurrency = Number(count);
  if (!/^\d+$/.test(count) || concurrency < 1 || concurrency > MAX_CONCURRENCY)
    throw new Error(`--concurrency must be a number from 1 to ${MAX_CONCURRENCY}, got "${count}"`);
  const file = flags.text('config');
  const own = file === undefined ? {} : parseObject(await readFile(file, 'utf8'), `plugin configuration "${file}"`);
  const isPath = program.includes('/');
  return {
    command: isPath ? [resolve(program), ...command.slice(1)] : command,
    kind,
    config: { type: basename(program), ...own },
    cniVersion,
    pluginPath:
      flags.text('plugin-path') ?? (environment['CNI_PATH'] || (isPath ? dirname(resolve(program)) : '/opt/cni/bin')),
    ifName: flags.text('ifname') ?? 'eth0',
    stateFolders: flags.list('state').map((folder) => resolve(folder)),
    setup: flags.text('setup') ?? '',
    concurrency,
    environment,
  };
}

function isPluginKind(kind: string): kind is PluginKind {
  return PLUGIN_KINDS.some((known) => known === kind);
}
