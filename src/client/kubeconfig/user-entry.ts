import { sep } from 'node:path';
import { EXEC_API_VERSIONS, type ExecApiVersion, type ExecPlugin, type InteractiveMode } from '../credentials/index.ts';
import { EntryReader } from './entry-reader.ts';
import { type Impersonation, KubeconfigError, type UserEntry } from './kubeconfig.ts';

/** Makes the relative paths of a file absolute. */
export type ResolvePath = (path: string) => string;

export function readUser(entry: EntryReader, resolve: ResolvePath): UserEntry {
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

/** v1 wants it said; v1beta1, which is older than the member, takes `IfAvailable`. */
function readInteractiveMode(exec: EntryReader, apiVersion: ExecApiVersion): InteractiveMode {
  const mode = apiVersion.endsWith('/v1')
    ? exec.requiredText('interactiveMode')
    : (exec.text('interactiveMode') ?? 'IfAvailable');
  if (mode === 'Never' || mode === 'IfAvailable' || mode === 'Always') return mode;
  throw new KubeconfigError(`Cannot use ${exec.origin}: interactiveMode "${mode}" is not Never, IfAvailable or Always`);
}

/** A command that names a folder is a path; any other is looked up in `PATH`. */
function resolveCommand(command: string, resolve: ResolvePath): string {
  return command.includes(sep) ? resolve(command) : command;
}

/** A hint is printed as it is, so it must not be able to command the terminal. */
function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{C}\t\n\v\f\r]/gu, (control) => {
    return `U+${(control.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}
