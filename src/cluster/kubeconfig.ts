import { lstat, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Clock, describeError } from '../base/index.ts';
import type { Credential } from '../wire/certificates/index.ts';
import { changeConfig, type KubeconfigChange, readConfig } from './kubeconfig-text.ts';
import { withLockFile } from './lock-file.ts';
import { ifThere, replaceWhole, type WholeFileOptions } from './whole-file.ts';
import { YAMLException } from 'js-yaml';

/** How to reach a cluster as its administrator. */
export interface ClusterAccess {
  /** Names the cluster, the user and the context. */
  readonly name: string;
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly client: Credential;
}

/** A kubeconfig file with just this cluster in it. */
export function kubeconfigText(access: ClusterAccess): string {
  return changeConfig('', {}, changeFor(access));
}

/**
 * Writes the cluster into a kubeconfig: one of its own when `path` does not exist, else merged into what is there.
 * Entries of other names are kept as they are, comments and anchors with them; the cluster becomes the current context.
 * Others that take kubectl's lock, `PATH.lock`, lose nothing by it. A file that other users own, read or change is refused.
 */
export async function writeKubeconfig(path: string, access: ClusterAccess, options: KubeconfigOptions): Promise<void> {
  await changeKubeconfig(path, options, () => changeFor(access));
}

/** Changes a kubeconfig according to its content while this process holds its lock; undefined leaves it as it is. */
export async function changeKubeconfig(
  path: string,
  options: KubeconfigOptions,
  change: (config: Readonly<Record<string, unknown>>) => KubeconfigChange | undefined,
): Promise<void> {
  await refusePublic(path);
  await readKubeconfig(path); // what cannot be merged into is named as such, also where nothing can be written
  try {
    await withLockFile(path, options.clock, async () => {
      await requirePrivate(path);
      const { text, config } = await readKubeconfig(path);
      const wanted = change(config);
      if (wanted !== undefined) await replaceWhole(path, changeConfig(text, config, wanted), options);
    });
  } catch (cause) {
    throw new Error(`Cannot write kubeconfig "${path}": ${describeError(cause)}`, { cause });
  }
}

async function refusePublic(path: string): Promise<void> {
  try {
    await requirePrivate(path);
  } catch (cause) {
    throw new Error(`Cannot write kubeconfig "${path}": ${describeError(cause)}`, { cause });
  }
}

export interface KubeconfigOptions extends WholeFileOptions {
  readonly clock: Clock;
}

/** Where kubectl looks: the first file of $KUBECONFIG, or ~/.kube/config. */
export function defaultKubeconfigPath(environment: Readonly<Record<string, string | undefined>>): string {
  const first = environment['KUBECONFIG']?.split(':').find((part) => part !== '');
  return first ?? join(homedir(), '.kube', 'config');
}

interface Kubeconfig {
  readonly text: string;
  readonly config: Readonly<Record<string, unknown>>;
}

async function readKubeconfig(path: string): Promise<Kubeconfig> {
  let text: string;
  try {
    text = (await ifThere(readFile(path, 'utf8'))) ?? '';
  } catch (cause) {
    throw new Error(`Cannot read kubeconfig "${path}": ${describeError(cause)}`, { cause });
  }
  const value = parse(path, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`Cannot merge into kubeconfig "${path}": it is not a mapping`);
  }
  const config = value as Readonly<Record<string, unknown>>;
  for (const section of ['clusters', 'users', 'contexts']) {
    const entries = config[section] ?? [];
    if (Array.isArray(entries) && entries.every(isNamed)) continue;
    const line = text.split('\n').findIndex((each) => each.startsWith(`${section}:`)) + 1;
    throw new Error(
      `Cannot merge into kubeconfig "${path}", line ${line}: "${section}" is not a list of named entries`,
    );
  }
  return { text, config };
}

function parse(path: string, text: string): unknown {
  try {
    return readConfig(text);
  } catch (cause) {
    if (!(cause instanceof YAMLException)) throw cause;
    const line = (cause.mark?.line ?? 0) + 1;
    throw new Error(`Cannot merge into kubeconfig "${path}", line ${line}: ${cause.reason}`, { cause });
  }
}

function isNamed(entry: unknown): boolean {
  return typeof entry === 'object' && entry !== null && typeof (entry as { name?: unknown }).name === 'string';
}

/** What makes the cluster the current context. */
export function changeFor({ name, server, certificateAuthority, client }: ClusterAccess): KubeconfigChange {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const cluster = { server, 'certificate-authority-data': base64(certificateAuthority) };
  const user = {
    'client-certificate-data': base64(client.certificate),
    'client-key-data': base64(client.privateKey),
  };
  return {
    defaults: { apiVersion: 'v1', kind: 'Config' },
    entries: {
      clusters: [{ name, cluster }],
      users: [{ name, user }],
      contexts: [{ name, context: { cluster: name, user: name } }],
    },
    members: { 'current-context': name },
  };
}

/** Permissions that let other users read a file, or change it. */
const FOR_OTHERS = 0o066;

/**
 * Refuses a place for secrets that is another user's, or that other users can read or change. A link, and what it leads to, are
 * both looked at. A place without a file is fine.
 */
async function requirePrivate(path: string): Promise<void> {
  const own = process.getuid?.();
  if (own === undefined) return; // files of this system have no owner and mode
  const place = await ifThere(lstat(path));
  if (place === undefined) return;
  const file = place.isSymbolicLink() ? await ifThere(stat(path)) : place;
  if (file === undefined) throw new Error('it is a link that leads nowhere');
  const others = [place, file].find(({ uid }) => uid !== own);
  if (others !== undefined)
    throw new Error(
      `it belongs to another user (uid ${others.uid}), and a key of the administrator goes into it; give another file`,
    );
  if (!file.isFile()) throw new Error('it is not a file');
  const mode = file.mode & 0o777;
  if ((mode & FOR_OTHERS) !== 0)
    throw new Error(
      `other users have access to it (mode ${mode.toString(8)}), and a key of the administrator goes into it: chmod 600 ${JSON.stringify(path)}`,
    );
}
