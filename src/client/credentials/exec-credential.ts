import type { ClientCertificate } from './credentials.ts';

/** What the plugin is told about the cluster when `provideClusterInfo` is set. */
export interface ExecCluster {
  readonly server: string;
  readonly 'tls-server-name'?: string;
  readonly 'insecure-skip-tls-verify'?: boolean;
  /** Base64. */
  readonly 'certificate-authority-data'?: string;
  readonly 'proxy-url'?: string;
  readonly 'disable-compression'?: boolean;
  /** The cluster's extension `client.authentication.k8s.io/exec`. */
  readonly config?: unknown;
}

export type InteractiveMode = 'Never' | 'IfAvailable' | 'Always';

/** A credential plugin as a kubeconfig describes it. */
export interface ExecPlugin {
  readonly apiVersion: ExecApiVersion;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly interactiveMode: InteractiveMode;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
}

export type ExecApiVersion = 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';

export const EXEC_API_VERSIONS: readonly ExecApiVersion[] = [
  'client.authentication.k8s.io/v1',
  'client.authentication.k8s.io/v1beta1',
];

/** What a plugin gave. */
export interface ExecAnswer {
  readonly token: string | undefined;
  readonly certificate: ClientCertificate | undefined;
  /** In the clock's milliseconds; undefined for never. */
  readonly expiresAtMs: number | undefined;
}

/** The text of `KUBERNETES_EXEC_INFO`, which tells the plugin what is wanted. */
export function execInfo(plugin: ExecPlugin, isInteractive: boolean, cluster: ExecCluster | undefined): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo && cluster !== undefined ? { cluster } : {}), interactive: isInteractive },
  });
}

/** Reads what a plugin wrote; throws an Error that says what is wrong with it. */
export function readExecAnswer(output: string, plugin: ExecPlugin): ExecAnswer {
  const { kind, apiVersion, status } = parseObject(output, 'its output');
  if (kind !== 'ExecCredential')
    throw new Error(`it returned kind ${JSON.stringify(kind)} instead of "ExecCredential"`);
  if (apiVersion !== plugin.apiVersion) {
    throw new Error(`it is configured for version "${plugin.apiVersion}" and returned ${JSON.stringify(apiVersion)}`);
  }
  if (!isObject(status)) throw new Error('it returned no status');
  const token = optionalText(status, 'token');
  const certificate = optionalText(status, 'clientCertificateData');
  const key = optionalText(status, 'clientKeyData');
  if (token === undefined && certificate === undefined && key === undefined) {
    throw new Error('it returned neither a token nor a certificate and key');
  }
  if ((certificate === undefined) !== (key === undefined))
    throw new Error('it returned only a certificate or a key, not both');
  return {
    token,
    certificate: certificate === undefined || key === undefined ? undefined : { certificate, key },
    expiresAtMs: readExpiry(optionalText(status, 'expirationTimestamp')),
  };
}

function readExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new Error(`its expirationTimestamp ${JSON.stringify(text)} is no time`);
  return ms;
}

function parseObject(text: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`${what} is not JSON`, { cause });
  }
  if (!isObject(value)) throw new Error(`${what} is not a JSON object`);
  return value;
}

function optionalText(object: Record<string, unknown>, name: string): string | undefined {
  const value = object[name];
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value !== 'string') throw new Error(`its status.${name} is not a string`);
  return value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
