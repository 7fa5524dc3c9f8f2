import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { dump, load } from 'js-yaml';
import type { Credential } from './pki/certificate.ts';

/** How to reach a cluster as its administrator. */
export interface ClusterAccess {
  /** Names the cluster, the user and the context. */
  readonly name: string;
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  readonly client: Credential;
}

interface NamedEntry {
  readonly name: string;
  readonly [member: string]: unknown;
}

interface Kubeconfig {
  readonly clusters?: readonly NamedEntry[];
  readonly users?: readonly NamedEntry[];
  readonly contexts?: readonly NamedEntry[];
  readonly 'current-context'?: string;
  readonly [member: string]: unknown;
}

/** A kubeconfig file with just this cluster in it. */
export function kubeconfigText(access: ClusterAccess): string {
  return print(merge({}, access));
}

/**
 * Writes the cluster into a kubeconfig: one of its own when `path` does not exist, else merged into what is there.
 * Entries of other names are kept as they are; the cluster becomes the current context.
 */
export async function writeKubeconfig(path: string, access: ClusterAccess): Promise<void> {
  const merged = print(merge(await readKubeconfig(path), access));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(`${path}.new`, merged, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}

/** Where kubectl looks: the first file of $KUBECONFIG, or ~/.kube/config. */
export function defaultKubeconfigPath(environment: Readonly<Record<string, string | undefined>>): string {
  const first = environment['KUBECONFIG']?.split(':').find((part) => part !== '');
  return first ?? join(homedir(), '.kube', 'config');
}

async function readKubeconfig(path: string): Promise<Kubeconfig> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return {}; // there was none yet
    throw new Error(`Cannot read kubeconfig "${path}"`, { cause });
  }
  const value: unknown = text.trim() === '' ? {} : load(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error(`Cannot merge into kubeconfig "${path}": it is not a mapping`);
  }
  return value as Kubeconfig;
}

function merge(config: Kubeconfig, access: ClusterAccess): Kubeconfig {
  const { name, server, client } = access;
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Config',
    ...config,
    clusters: replace(config.clusters, {
      name,
      cluster: { server, 'certificate-authority-data': base64(access.certificateAuthority) },
    }),
    users: replace(config.users, {
      name,
      user: {
        'client-certificate-data': base64(client.certificate),
        'client-key-data': base64(client.privateKey),
      },
    }),
    contexts: replace(config.contexts, { name, context: { cluster: name, user: name } }),
    'current-context': name,
  };
}

function replace(entries: readonly NamedEntry[] | undefined, entry: NamedEntry): readonly NamedEntry[] {
  return [...(entries ?? []).filter((other) => other.name !== entry.name), entry];
}

function print(config: Kubeconfig): string {
  return dump(config, { lineWidth: -1 });
}
