import { CniError } from '../cni-error.ts';
import { compareVersions, UNSTATED_VERSION } from '../cni-version.ts';
import { checkContainerId, checkInterfaceName, checkNetworkName } from '../configuration/network-name.ts';
import { FieldReader, type JsonObject, parseObject } from '../field-reader.ts';
import type { CniResult } from '../results/cni-result.ts';
import { currentResult } from '../results/convert-result.ts';
import { resultOf } from '../results/read-result.ts';
import type { CapabilityArgs, ValidAttachment } from '../running/attachment.ts';

/** The commands of the CNI specification. */
export type CniCommand = 'ADD' | 'CHECK' | 'DEL' | 'GC' | 'STATUS';

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a plugin was called, apart from its own configuration. */
export interface PluginRequest {
  readonly command: CniCommand;
  /** Name of the network. */
  readonly network: string;
  readonly cniVersion: string;
  /** Empty for GC and STATUS. */
  readonly containerId: string;
  /** Path of the network namespace. Empty for GC and STATUS, and for a DEL after it is gone. */
  readonly netns: string;
  /** The interface in the container. Empty for GC and STATUS. */
  readonly ifName: string;
  /** CNI_ARGS by name, such as `K8S_POD_NAME`. */
  readonly args: Readonly<Record<string, string>>;
  /** Folders of plugins. */
  readonly path: string;
  /** What the plugin before returned, for CHECK and DEL the last one. Always in the newest form. */
  readonly prevResult: CniResult | undefined;
  /** What the runtime gives for the capabilities of the plugin. */
  readonly runtimeConfig: CapabilityArgs;
  /** GC: what still exists; undefined when the runtime does not say. */
  readonly validAttachments: readonly ValidAttachment[] | undefined;
  /** The configuration without the members of the protocol. */
  readonly fields: JsonObject;
  /** The whole input. */
  readonly input: string;
}

/** The commands, with the first version that has each and the variables that it needs. */
const COMMANDS: Readonly<Record<CniCommand, { readonly since: string; readonly needs: readonly string[] }>> = {
  ADD: { since: UNSTATED_VERSION, needs: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'] },
  CHECK: { since: '0.4.0', needs: ['CNI_CONTAINERID', 'CNI_NETNS', 'CNI_IFNAME'] },
  DEL: { since: UNSTATED_VERSION, needs: ['CNI_CONTAINERID', 'CNI_IFNAME'] },
  GC: { since: '1.1.0', needs: [] },
  STATUS: { since: '1.1.0', needs: [] },
};

const PROTOCOL_MEMBERS: ReadonlySet<string> = new Set([
  ...['cniVersion', 'name', 'type', 'capabilities', 'runtimeConfig', 'prevResult', 'args'],
]);

/** The command of a call, with the variables that it needs. */
export function readCommand(environment: Environment): CniCommand | 'VERSION' {
  const command = environment['CNI_COMMAND'] ?? '';
  if (command === 'VERSION') return command;
  if (command === '') throw missing(['CNI_COMMAND']);
  if (!Object.hasOwn(COMMANDS, command)) throw new CniError('InvalidEnvironment', `unknown CNI_COMMAND: ${command}`);
  const { needs } = COMMANDS[command as CniCommand];
  const absent = needs.filter((name) => (environment[name] ?? '') === '');
  if (absent.length > 0) throw missing(absent);
  if (needs.includes('CNI_CONTAINERID')) checkContainerId(environment['CNI_CONTAINERID'] ?? '');
  if (needs.includes('CNI_IFNAME')) checkInterfaceName(environment['CNI_IFNAME'] ?? '');
  return command as CniCommand;
}

/** Reads the input of a call. Throws with code 1 when the plugin does not support its version. */
export function readRequest(
  command: CniCommand,
  { environment, input, versions }: { environment: Environment; input: string; versions: readonly string[] },
): PluginRequest {
  const what = 'the network configuration';
  const object = parseObject(input, what);
  const reader = new FieldReader(object, what);
  const network = reader.text('name') ?? '';
  checkNetworkName(network);
  const cniVersion = reader.text('cniVersion') || UNSTATED_VERSION;
  checkVersion(command, cniVersion, versions);
  const prevResult = reader.object('prevResult');
  return {
    command,
    network,
    cniVersion,
    containerId: environment['CNI_CONTAINERID'] ?? '',
    netns: environment['CNI_NETNS'] ?? '',
    ifName: environment['CNI_IFNAME'] ?? '',
    args: argsOf(environment['CNI_ARGS'] ?? ''),
    path: environment['CNI_PATH'] ?? '',
    prevResult:
      prevResult === undefined ? undefined : currentResult(resultOf({ cniVersion, ...prevResult }, 'prevResult')),
    runtimeConfig: reader.object('runtimeConfig') ?? {},
    validAttachments: validAttachmentsOf(reader),
    fields: Object.fromEntries(
      Object.entries(object).filter(([name]) => !PROTOCOL_MEMBERS.has(name) && !name.startsWith('cni.dev/')),
    ),
    input,
  };
}

function checkVersion(command: CniCommand, cniVersion: string, versions: readonly string[]): void {
  if (!versions.includes(cniVersion))
    throw new CniError('IncompatibleVersion', 'incompatible CNI versions', {
      details: `the configuration has ${JSON.stringify(cniVersion)}, the plugin supports ${versions.join(', ')}`,
    });
  if (compareVersions(cniVersion, COMMANDS[command].since) < 0)
    throw new CniError('IncompatibleVersion', `version ${cniVersion} has no ${command}`);
}

function validAttachmentsOf(reader: FieldReader): readonly ValidAttachment[] | undefined {
  const given = reader.objects('cni.dev/valid-attachments') ?? reader.objects('cni.dev/attachments');
  return given?.map((each) => {
    const inner = new FieldReader(each, 'a valid attachment');
    return { containerID: inner.text('containerID') ?? '', ifname: inner.text('ifname') ?? '' };
  });
}

function argsOf(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(';').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at > 0) return [pair.slice(0, at), pair.slice(at + 1)];
      throw new CniError('InvalidEnvironment', 'cannot read CNI_ARGS', {
        details: `CNI_ARGS has ${JSON.stringify(pair)}`,
      });
    }),
  );
}

function missing(names: readonly string[]): CniError {
  return new CniError('InvalidEnvironment', `required env variables [${names.join(',')}] missing`);
}
