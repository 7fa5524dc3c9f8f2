import { dirname, isAbsolute, join, sep } from 'node:path';
import type { JsonNode } from '../../api/client.ts';
import { parseYaml } from '../../api/yaml/yaml-json.ts';
import { messageOf } from '../../base/index.ts';
import { EXEC_API_VERSIONS, type ExecApiVersion, type ExecPlugin, type InteractiveMode } from '../credentials/index.ts';
import { EntryReader } from './entry-reader.ts';
import {
  type ClusterEntry,
  type ContextEntry,
  type Impersonation,
  type Kubeconfig,
  KubeconfigError,
  type UserEntry,
} from './kubeconfig.ts';

/** See `parseKubeconfig`. */
export function readKubeconfig(text: string, path: string): Kubeconfig {
  const place = `kubeconfig "${path}"`;
  const top = new EntryReader(parseText(text, place), place);
  checkVersion(top);
  const resolve: ResolvePath = (file) => (isAbsolute(file) ? file : join(dirname(path), file));
  return {
    clusters: entries(top, 'clusters', (entry) => readCluster(entry.at('cluster'), resolve)),
    users: entries(top, 'users', (entry) => readUser(entry.at('user'), resolve)),
    contexts: entries(top, 'contexts', (entry) => readContext(entry.at('context'))),
    currentContext: top.text('current-context'),
  };
}

function parseText(text: string, place: string): unknown {
  try {
    return yamlValue(text);
  } catch (cause) {
    throw new KubeconfigError(`Cannot read ${place}: ${messageOf(cause)}`, { cause });
  }
}

function checkVersion(top: EntryReader): void {
  const apiVersion = top.text('apiVersion') ?? 'v1';
  const kind = top.text('kind') ?? 'Config';
  if (apiVersion === 'v1' && kind === 'Config') return;
  throw new KubeconfigError(`Cannot read ${top.origin}: it is ${kind} of "${apiVersion}", not Config of "v1"`);
}

/** One element of `clusters`, `users` or `contexts`. */
class NamedEntry {
  readonly name: string;
  readonly #reader: EntryReader;
  readonly #place: string;

  constructor(reader: EntryReader, place: string) {
    this.name = reader.requiredText('name');
    this.#reader = reader;
    this.#place = place;
  }

  at(member: string): EntryReader {
    return new EntryReader(this.#reader.raw(member), `${member} "${this.name}" in ${this.#place}`);
  }
}

function entries<T>(top: EntryReader, member: string, read: (entry: NamedEntry) => T): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const [index, value] of top.list(member).entries()) {
    const entry = new NamedEntry(new EntryReader(value, `${member}[${index}] in ${top.origin}`), top.origin);
    if (found.has(entry.name)) {
      throw new KubeconfigError(`Cannot read ${top.origin}: "${member}" has two entries named "${entry.name}"`);
    }
    found.set(entry.name, read(entry));
  }
  return found;
}

function readCluster(entry: EntryReader, resolve: ResolvePath): ClusterEntry {
  const authority = entry.text('certificate-authority');
  const extensions = entry.list('extensions').map((value, index): readonly [string, unknown] => {
    const extension = new EntryReader(value, `extensions[${index}] of ${entry.origin}`);
    return [extension.requiredText('name'), extension.raw('extension')];
  });
  return {
    origin: entry.origin,
    server: entry.text('server') ?? '',
    tlsServerName: entry.text('tls-server-name'),
    insecureSkipTlsVerify: entry.flag('insecure-skip-tls-verify'),
    certificateAuthority: authority === undefined ? undefined : resolve(authority),
    certificateAuthorityData: entry.data('certificate-authority-data'),
    proxyUrl: entry.text('proxy-url'),
    disableCompression: entry.flag('disable-compression'),
    extensions: new Map(extensions),
  };
}

function readContext(entry: EntryReader): ContextEntry {
  return {
    origin: entry.origin,
    cluster: entry.text('cluster') ?? '',
    user: entry.text('user') ?? '',
    namespace: entry.text('namespace'),
  };
}

/** The value of a YAML text, read as Go's YAML reads it (`yes` is true). The last of duplicate keys counts. */
function yamlValue(text: string): unknown {
  return valueOf(parseYaml(text));
}

function valueOf(node: JsonNode): unknown {
  switch (node.kind) {
    case 'null':
      return null;
    case 'string':
    case 'bool':
      return node.value;
    case 'number':
      return Number(node.text);
    case 'array':
      return node.items.map(valueOf);
    case 'object':
      return Object.fromEntries(node.entries.map(({ key, value }) => [key, valueOf(value)]));
  }
}

/** Makes a path absolute that is relative to the kubeconfig. */
type ResolvePath = (path: string) => string;

function readUser(entry: EntryReader, resolve: ResolvePath): UserEntry {
  const file = (name: string): string | undefined => {
    const path = entry.text(name);
    return path === undefined ? undefined : resolve(path);
  };
  return {
    origin: entry.origin,
    clientCertificate: file('client-certificate'),
    clientCertificateData: entry.data('client-certificate-data'),
    clientKey: file('client-key'),
    clientKeyData: entry.data('client-key-data'),
    token: entry.text('token'),
    tokenFile: file('tokenFile'),
    username: entry.text('username'),
    password: entry.text('password'),
    impersonate: readImpersonation(entry),
    exec: entry.has('exec') ? readExec(entry.at('exec'), resolve) : undefined,
    authProvider: entry.has('auth-provider') ? (entry.at('auth-provider').text('name') ?? '') : undefined,
  };
}

function readImpersonation(entry: EntryReader): Impersonation | undefined {
  const user = entry.text('as');
  const uid = entry.text('as-uid');
  const groups = entry.texts('as-groups');
  const extra = readExtra(entry.at('as-user-extra'));
  if (user !== undefined) return { user, uid, groups, extra };
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw new KubeconfigError(`Cannot use ${entry.origin}: "as-uid", "as-groups" and "as-user-extra" need "as"`);
}

function readExtra(extra: EntryReader): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(extra.names().map((name) => [name, extra.texts(name)]));
}

function readExec(exec: EntryReader, resolve: ResolvePath): ExecPlugin {
  const apiVersion = exec.requiredText('apiVersion');
  if (!isExecApiVersion(apiVersion)) {
    const known = EXEC_API_VERSIONS.map((version) => `"${version}"`).join(' and ');
    throw new KubeconfigError(`Cannot use ${exec.origin}: apiVersion "${apiVersion}" is not supported; ${known} are`);
  }
  const hint = exec.text('installHint');
  return {
    apiVersion,
    command: resolveCommand(exec.requiredText('command'), resolve),
    args: exec.texts('args'),
    env: readEnvironment(exec),
    interactiveMode: readInteractiveMode(exec, apiVersion),
    installHint: hint === undefined ? undefined : withoutControls(hint),
    provideClusterInfo: exec.flag('provideClusterInfo'),
  };
}

function isExecApiVersion(text: string): text is ExecApiVersion {
  return (EXEC_API_VERSIONS as readonly string[]).includes(text);
}

function readEnvironment(exec: EntryReader): Readonly<Record<string, string>> {
  const pairs = exec.list('env').map((value, index) => {
    const variable = new EntryReader(value, `env[${index}] of ${exec.origin}`);
    return [variable.requiredText('name'), variable.text('value') ?? ''];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}

/** v1 requires the field; v1beta1, which is older than the field, defaults to `IfAvailable`. */
function readInteractiveMode(exec: EntryReader, apiVersion: ExecApiVersion): InteractiveMode {
  const mode = apiVersion.endsWith('/v1')
    ? exec.requiredText('interactiveMode')
    : (exec.text('interactiveMode') ?? 'IfAvailable');
  if (mode === 'Never' || mode === 'IfAvailable' || mode === 'Always') return mode;
  throw new KubeconfigError(`Cannot use ${exec.origin}: interactiveMode "${mode}" is not Never, IfAvailable or Always`);
}

/** A command with a slash is a path; any other is looked up in `PATH`. */
function resolveCommand(command: string, resolve: ResolvePath): string {
  return command.includes(sep) ? resolve(command) : command;
}

/** Removes control characters: the hint is printed verbatim and must not control the terminal. */
function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{C}\t\n\v\f\r]/gu, (control) => {
    return `U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
