import { access, readFile } from 'node:fs/promises';
import { type Clock, messageOf } from '../../base/index.ts';
import { checkProxyUrl } from '../../wire/http/index.ts';
import type { ClusterConnection } from '../cluster-connection.ts';
import {
  basic,
  bearer,
  CertificateCredentials,
  CombinedCredentials,
  type Credentials,
  type ExecCluster,
  ExecCredentials,
  FixedCredentials,
  type PemSource,
  TokenFileCredentials,
} from '../credentials/index.ts';
import {
  type ClusterEntry,
  type ContextEntry,
  type Kubeconfig,
  KubeconfigError,
  type UserEntry,
} from './kubeconfig.ts';

/** The extension of a cluster entry that credential plugins receive. */
const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

export interface ContextOptions {
  /** The context's name; default the current one. */
  readonly context?: string;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** See `contextConnection`. */
export async function connectionOfContext(config: Kubeconfig, options: ContextOptions): Promise<ClusterConnection> {
  const { context, cluster, user } = entriesOf(config, options.context);
  checkCluster(cluster);
  checkUser(user);
  await checkFiles(cluster, user);
  const authority = pemSource(cluster.certificateAuthorityData, cluster.certificateAuthority);
  return {
    server: cluster.server,
    certificateAuthority: authority,
    insecureSkipTlsVerify: cluster.insecureSkipTlsVerify,
    tlsServerName: cluster.tlsServerName,
    credentials: credentialsOf(user, cluster, options),
    impersonate: user.impersonate,
    proxyUrl: cluster.proxyUrl,
    disableCompression: cluster.disableCompression,
    namespace: context.namespace,
  };
}

interface ContextEntries {
  readonly context: ContextEntry;
  readonly cluster: ClusterEntry;
  readonly user: UserEntry;
}

function entriesOf(config: Kubeconfig, named: string | undefined): ContextEntries {
  const name = named ?? config.currentContext;
  if (name === undefined)
    throw new KubeconfigError('Cannot connect: the kubeconfig has no current context, and none was named');
  const context = config.contexts.get(name);
  if (context === undefined) throw new KubeconfigError(`Cannot connect: the kubeconfig has no context "${name}"`);
  return {
    context,
    cluster: referred(config.clusters, context, 'cluster'),
    user: referred(config.users, context, 'user'),
  };
}

function referred<T>(entries: ReadonlyMap<string, T>, context: ContextEntry, member: 'cluster' | 'user'): T {
  const name = context[member];
  const entry = entries.get(name);
  if (entry !== undefined) return entry;
  const what = name === '' ? `it names no ${member}` : `there is no ${member} "${name}"`;
  throw new KubeconfigError(`Cannot use ${context.origin}: ${what}`);
}

function checkCluster(cluster: ClusterEntry): void {
  const refuse = (why: string): never => {
    throw new KubeconfigError(`Cannot use ${cluster.origin}: ${why}`);
  };
  if (cluster.server === '') refuse('"server" is missing');
  if (!URL.canParse(cluster.server) || !/^https?:$/.test(new URL(cluster.server).protocol)) {
    refuse(`server "${cluster.server}" is not an http or https URL`);
  }
  if (cluster.certificateAuthority !== undefined && cluster.certificateAuthorityData !== undefined) {
    refuse('"certificate-authority" and "certificate-authority-data" are both set');
  }
  const hasAuthority = cluster.certificateAuthority !== undefined || cluster.certificateAuthorityData !== undefined;
  if (cluster.insecureSkipTlsVerify && hasAuthority) {
    refuse('"insecure-skip-tls-verify" and a certificate authority exclude each other');
  }
  const problem = cluster.proxyUrl === undefined ? undefined : checkProxyUrl(cluster.proxyUrl);
  if (problem !== undefined) refuse(problem);
}

function checkUser(user: UserEntry): void {
  const refuse = (why: string): never => {
    throw new KubeconfigError(`Cannot use ${user.origin}: ${why}`);
  };
  if (user.authProvider !== undefined) {
    refuse(`auth-provider "${user.authProvider}" is not supported; use an exec plugin of client.authentication.k8s.io`);
  }
  if (user.token !== undefined && (user.username !== undefined || user.password !== undefined)) {
    refuse('"token" and "username" exclude each other');
  }
  if (user.clientCertificate !== undefined && user.clientCertificateData !== undefined) {
    refuse('"client-certificate" and "client-certificate-data" are both set');
  }
  const hasCertificate = user.clientCertificate !== undefined || user.clientCertificateData !== undefined;
  if (!hasCertificate) return;
  if (user.clientKey !== undefined && user.clientKeyData !== undefined)
    refuse('"client-key" and "client-key-data" are both set');
  if (user.clientKey === undefined && user.clientKeyData === undefined)
    refuse('a client certificate needs "client-key" or "client-key-data"');
}

/** Reports missing files now rather than at the first request. */
async function checkFiles(cluster: ClusterEntry, user: UserEntry): Promise<void> {
  const files: readonly (readonly [string, string | undefined, string])[] = [
    ['certificate-authority', cluster.certificateAuthority, cluster.origin],
    ['client-certificate', user.clientCertificate, user.origin],
    ['client-key', user.clientKey, user.origin],
    ['tokenFile', user.token === undefined ? user.tokenFile : undefined, user.origin],
  ];
  for (const [member, path, origin] of files) {
    if (path === undefined) continue;
    try {
      await access(path);
    } catch (cause) {
      throw new KubeconfigError(`Cannot use ${origin}: cannot read ${member} "${path}": ${messageOf(cause)}`, {
        cause,
      });
    }
  }
}

function pemSource(pem: string | undefined, path: string | undefined): PemSource | undefined {
  if (pem !== undefined) return { pem };
  return path === undefined ? undefined : { path };
}

/** The user's credentials in kubectl's order of preference; a plugin runs only when there are no others. */
function credentialsOf(user: UserEntry, cluster: ClusterEntry, options: ContextOptions): Credentials {
  const sources: Credentials[] = [];
  const certificate = pemSource(user.clientCertificateData, user.clientCertificate);
  const key = pemSource(user.clientKeyData, user.clientKey);
  if (certificate !== undefined && key !== undefined)
    sources.push(new CertificateCredentials(certificate, key, options.clock));
  if (user.tokenFile !== undefined && user.token === undefined)
    sources.push(new TokenFileCredentials(user.tokenFile, options.clock));
  if (user.token !== undefined) sources.push(new FixedCredentials({ authorization: bearer(user.token) }));
  if (user.username !== undefined || user.password !== undefined) {
    sources.push(new FixedCredentials({ authorization: basic(user.username ?? '', user.password ?? '') }));
  }
  if (user.exec !== undefined && sources.length === 0) {
    const { clock, environment, isTerminal } = options;
    const about = { clock, environment, isTerminal, origin: user.origin, cluster: () => execCluster(cluster) };
    sources.push(new ExecCredentials(user.exec, about));
  }
  return sources.length === 1 && sources[0] !== undefined ? sources[0] : new CombinedCredentials(sources);
}

async function execCluster(cluster: ClusterEntry): Promise<ExecCluster> {
  const authority =
    cluster.certificateAuthorityData ??
    (cluster.certificateAuthority === undefined ? undefined : await readFile(cluster.certificateAuthority, 'utf8'));
  const config = cluster.extensions.get(EXEC_EXTENSION);
  return {
    server: cluster.server,
    ...(cluster.tlsServerName === undefined ? {} : { 'tls-server-name': cluster.tlsServerName }),
    ...(cluster.insecureSkipTlsVerify ? { 'insecure-skip-tls-verify': true } : {}),
    ...(authority === undefined ? {} : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
    ...(cluster.proxyUrl === undefined ? {} : { 'proxy-url': cluster.proxyUrl }),
    ...(cluster.disableCompression ? { 'disable-compression': true } : {}),
    ...(config === undefined ? {} : { config }),
  };
}
