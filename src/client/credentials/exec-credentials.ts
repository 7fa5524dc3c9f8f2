import { spawn } from 'node:child_process';
import { type Clock, AbortScope } from '../../base/index.ts';
import { messageOf, TransportError } from '../../wire/http/index.ts';
import { bearer, type Credential, type Credentials } from './credentials.ts';
import { type ExecAnswer, type ExecCluster, execInfo, type ExecPlugin, readExecAnswer } from './exec-credential.ts';

/** More than any credential; a plugin that writes more is ended. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface ExecCredentialsOptions {
  readonly clock: Clock;
  /** The plugin's environment, to which its own variables are added. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether a person sits at standard input. */
  readonly isTerminal: boolean;
  /** Told to the plugin if it wants to know. */
  readonly cluster: () => Promise<ExecCluster>;
  /** Names the kubeconfig entry in messages. */
  readonly origin: string;
}

/**
 * Credentials from a plugin (client.authentication.k8s.io/v1 and v1beta1).
 *
 * The plugin runs when credentials are first needed, when they have expired, and when the server refuses them; requests
 * that come meanwhile wait for the same run, since it may be talking to a person.
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
      throw new Error('it wants to ask, and standard input is not a terminal');
    const info = execInfo(plugin, isInteractive, plugin.provideClusterInfo ? await cluster() : undefined);
    const output = await runCommand(plugin, isInteractive, {
      ...environment,
      ...plugin.env,
      KUBERNETES_EXEC_INFO: info,
    });
    return readExecAnswer(output, plugin);
  }
}

/** Runs the plugin to its end; gives what it wrote to standard output. Standard error goes to ours, as it may be a dialog. */
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
      else reject(new Error(signal === null ? `it failed with exit code ${code}` : `it was ended by ${signal}`));
    });
  });
  return Buffer.concat(chunks).toString('utf8');
}

function explain(error: NodeJS.ErrnoException, plugin: ExecPlugin): Error {
  if (error.code !== 'ENOENT') return error;
  const hint = plugin.installHint === undefined ? '' : `\n\n${plugin.installHint}`;
  return new Error(`executable "${plugin.command}" not found${hint}`, { cause: error });
}
