import { spawn } from 'node:child_process';
import { AbortScope, type Clock, messageOf } from '../../base/index.ts';
import { TransportError } from '../../wire/http/index.ts';
import { bearer, type ClientCertificate, type Credential, type Credentials } from './credentials.ts';

/** The cluster information that the plugin receives when `provideClusterInfo` is set. */
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

/** The credential that a plugin returned. */
interface ExecAnswer {
  readonly token: string | undefined;
  readonly certificate: ClientCertificate | undefined;
  /** In the clock's milliseconds; undefined if the credential never expires. */
  readonly expiresAtMs: number | undefined;
}

/** The value of the plugin's environment variable `KUBERNETES_EXEC_INFO`. */
function execInfo(plugin: ExecPlugin, isInteractive: boolean, cluster: ExecCluster | undefined): string {
  return JSON.stringify({
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: { ...(plugin.provideClusterInfo && cluster !== undefined ? { cluster } : {}), interactive: isInteractive },
  });
}

/** Parses a plugin's output; throws an Error that explains what is wrong with it. */
function readExecAnswer(output: string, plugin: ExecPlugin): ExecAnswer {
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
  if (Number.isNaN(ms)) throw new Error(`its expirationTimestamp ${JSON.stringify(text)} is not a time`);
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

/** Larger than any credential; a plugin that writes more is killed. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface ExecCredentialsOptions {
  readonly clock: Clock;
  /** The base of the plugin's environment; the kubeconfig's variables are added. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether standard input is a terminal. */
  readonly isTerminal: boolean;
  /** Called when the plugin asks for cluster information. */
  readonly cluster: () => Promise<ExecCluster>;
  /** The kubeconfig entry, for messages. */
  readonly origin: string;
}

/**
 * Credentials from a plugin (client.authentication.k8s.io/v1 and v1beta1).
 *
 * The plugin runs when credentials are first needed, when they have expired, and when the server rejects them. Requests
 * made meanwhile wait for the same run, since the plugin may be prompting the user.
 */
export class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin;
  readonly #options: ExecCredentialsOptions;
  #current: { readonly credential: Credential; readonly expiresAtMs: number | undefined } | undefined;
  #run: Promise<Credential> | undefined;

  constructor(plugin: ExecPlugin, options: ExecCredentialsOptions) {
    this.#plugin = plugin;
    this.#options = options;
  }

  async current(): Promise<Credential> {
    const current = this.#current;
    const isFresh =
      current !== undefined && (current.expiresAtMs === undefined || this.#options.clock.now() <= current.expiresAtMs);
    return isFresh ? current.credential : this.#refresh();
  }

  async renew(refused: Credential): Promise<boolean> {
    const current = this.#current?.credential;
    const isStillRefused =
      current?.authorization === refused.authorization && current?.certificate === refused.certificate;
    if (isStillRefused) await this.#refresh();
    return true;
  }

  #refresh(): Promise<Credential> {
    this.#run ??= this.#ask().finally(() => (this.#run = undefined));
    return this.#run;
  }

  async #ask(): Promise<Credential> {
    try {
      const answer = await this.#runPlugin();
      const credential: Credential = {
        ...(answer.token === undefined ? {} : { authorization: bearer(answer.token) }),
        ...(answer.certificate === undefined ? {} : { certificate: answer.certificate }),
      };
      this.#current = { credential, expiresAtMs: answer.expiresAtMs };
      return credential;
    } catch (cause) {
      const message = `Cannot get credentials from plugin "${this.#plugin.command}" of ${this.#options.origin}: ${messageOf(cause)}`;
      throw new TransportError('credentials', message, { cause });
    }
  }

  async #runPlugin(): Promise<ExecAnswer> {
    const { isTerminal, environment, cluster } = this.#options;
    const plugin = this.#plugin;
    const isInteractive = plugin.interactiveMode !== 'Never' && isTerminal;
    if (plugin.interactiveMode === 'Always' && !isTerminal)
      throw new Error('it needs to prompt the user, but standard input is not a terminal');
    const info = execInfo(plugin, isInteractive, plugin.provideClusterInfo ? await cluster() : undefined);
    const output = await runCommand(plugin, isInteractive, {
      ...environment,
      ...plugin.env,
      KUBERNETES_EXEC_INFO: info,
    });
    return readExecAnswer(output, plugin);
  }
}

/** Runs the plugin and returns its standard output. Standard error is inherited, as it may be a dialog. */
async function runCommand(
  plugin: ExecPlugin,
  isInteractive: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  using scope = new AbortScope();
  const child = spawn(plugin.command, [...plugin.args], {
    env: environment,
    stdio: [isInteractive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
    signal: scope.signal,
  });
  const chunks: Buffer[] = [];
  let size = 0;
  child.stdout?.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > MAX_OUTPUT_BYTES) scope.abort(new Error(`it wrote more than ${MAX_OUTPUT_BYTES} bytes`));
    else chunks.push(chunk);
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', (error) => reject(scope.signal.aborted ? scope.signal.reason : explain(error, plugin)));
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(signal === null ? `it failed with exit code ${code}` : `it was killed by ${signal}`));
    });
  });
  return Buffer.concat(chunks).toString('utf8');
}

function explain(error: NodeJS.ErrnoException, plugin: ExecPlugin): Error {
  if (error.code !== 'ENOENT') return error;
  const hint = plugin.installHint === undefined ? '' : `\n\n${plugin.installHint}`;
  return new Error(`executable "${plugin.command}" not found${hint}`, { cause: error });
}
