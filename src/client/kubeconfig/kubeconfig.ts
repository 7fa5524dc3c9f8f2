import type { ExecPlugin } from '../credentials/index.ts';

/** A parsed kubeconfig; entries by name. */
export interface Kubeconfig {
  readonly clusters: ReadonlyMap<string, ClusterEntry>;
  readonly users: ReadonlyMap<string, UserEntry>;
  readonly contexts: ReadonlyMap<string, ContextEntry>;
  readonly currentContext: string | undefined;
}

/** `origin` is the place of an entry, for messages: `cluster "dev" in "/home/me/.kube/config"`. */
interface Entry {
  readonly origin: string;
}

export interface ClusterEntry extends Entry {
  readonly server: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTlsVerify: boolean;
  /** A path; `…Data` takes precedence. */
  readonly certificateAuthority?: string;
  /** PEM. */
  readonly certificateAuthorityData?: string;
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  readonly extensions: ReadonlyMap<string, unknown>;
}

export interface UserEntry extends Entry {
  readonly clientCertificate?: string;
  /** PEM. */
  readonly clientCertificateData?: string;
  readonly clientKey?: string;
  /** PEM. */
  readonly clientKeyData?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly impersonate?: Impersonation;
  readonly exec?: ExecPlugin;
  /** The name of an `auth-provider`, which is not supported. */
  readonly authProvider?: string;
}

export interface ContextEntry extends Entry {
  readonly cluster: string;
  readonly user: string;
  readonly namespace?: string;
}

/** The user to impersonate, if the server allows it. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Thrown for an unusable kubeconfig; the message names the file and the entry. */
export class KubeconfigError extends Error {
  override readonly name = 'KubeconfigError';
}

/**
 * Merges kubeconfigs: of entries with the same name the first one counts, as a whole; the first current context counts.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: mergeEntries(configs.map((config) => config.clusters)),
    users: mergeEntries(configs.map((config) => config.users)),
    contexts: mergeEntries(configs.map((config) => config.contexts)),
    currentContext: configs.find((config) => config.currentContext !== undefined)?.currentContext,
  };
}

function mergeEntries<T>(all: readonly ReadonlyMap<string, T>[]): ReadonlyMap<string, T> {
  return new Map(all.toReversed().flatMap((entries) => [...entries]));
}
