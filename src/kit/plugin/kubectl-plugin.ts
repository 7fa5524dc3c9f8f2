import { basename } from 'node:path';
import { messageOf } from '../../base/index.ts';
import { type Client, connect, type ConnectOptions, StatusError } from '../../client/index.ts';
import { StopSignals } from '../stop-signals.ts';
import { COMPLETION_FAILED, completions } from './completions.ts';
import {
  ALL_NAMESPACES,
  checkCount,
  CLUSTER_FLAGS,
  flagLines,
  type ParsedArguments,
  parseArguments,
  type PluginFlags,
  type PluginFlagValues,
  PluginUsageError,
} from './plugin-arguments.ts';
import type { PluginContext } from './plugin-context.ts';
import { textTable } from './text-table.ts';

export interface KubectlPluginOptions<Flags extends PluginFlags> {
  /** One line for the help. */
  readonly summary: string;
  /** The arguments, as in the help: `POD [CONTAINER]`, `[POD...]`; default none. Their number is checked. */
  readonly args?: string;
  /** Flags beside those by which every plugin finds its cluster. */
  readonly flags?: Flags;
  /** Whether there is `-A`, `--all-namespaces`; default false. */
  readonly allNamespaces?: boolean;
  run(context: PluginContext<Flags>): void | Promise<void>;
  /** What the shell suggests for the next argument. */
  complete?(context: PluginContext<Flags>): readonly string[] | Promise<readonly string[]>;
}

/** Where a plugin runs; each default is the process's. */
export interface PluginRunOptions {
  /** For tests: the client, in place of one that the flags choose. */
  readonly client?: Client;
  readonly environment?: ConnectOptions['environment'];
  readonly signal?: AbortSignal;
  readonly print?: (line: string) => void;
  readonly printError?: (line: string) => void;
}

/**
 * A command of kubectl's: an executable `kubectl-NAME` on the PATH that calls `main()` is `kubectl NAME`. It has kubectl's
 * flags for clusters and namespaces, help, kubectl's words for errors, and completion by the same file under the name
 * `kubectl_complete-NAME`.
 */
export function kubectlPlugin<const Flags extends PluginFlags = {}>(
  name: string,
  options: KubectlPluginOptions<Flags>,
): KubectlPlugin<Flags> {
  return new KubectlPlugin(name, options);
}

/** The command that `kubectlPlugin()` makes; its executable calls `main()`. */
export class KubectlPlugin<Flags extends PluginFlags = PluginFlags> {
  readonly name: string;
  readonly #options: KubectlPluginOptions<Flags>;
  readonly #flags: PluginFlags;

  constructor(name: string, options: KubectlPluginOptions<Flags>) {
    this.name = name;
    this.#options = options;
    const own: PluginFlags = options.flags ?? {};
    const shared = { ...(options.allNamespaces === true ? ALL_NAMESPACES : {}), ...CLUSTER_FLAGS };
    const taken = Object.entries(own).find(([flag, { short }]) => clashes(flag, short, shared));
    if (taken !== undefined)
      throw new Error(`Cannot make plugin "${name}": its flag "${taken[0]}" is one of kubectl's, or its letter is`);
    this.#flags = { ...own, ...shared };
  }

  /** The text that `--help` shows. */
  get help(): string {
    const { summary, args = '' } = this.#options;
    const usage = ['kubectl', this.name, args, '[flags]'].filter((word) => word !== '').join(' ');
    return `${summary}\n\nUsage:\n  ${usage}\n\nFlags:\n${flagLines(this.#flags)}`;
  }

  /** Runs a command line, without the name, and resolves with the exit code. */
  async run(args: readonly string[], options: PluginRunOptions = {}): Promise<number> {
    const { print = console.log, printError = console.error } = options;
    try {
      const parsed = parseArguments(args, this.#flags);
      if (parsed.values.get('help') === 'true') {
        print(this.help);
        return 0;
      }
      checkCount(parsed.positionals, this.#options.args ?? '');
      await this.#with(parsed, { ...options, print }, (context) => this.#options.run(context));
      return 0;
    } catch (error) {
      printError(errorText(error));
      if (error instanceof PluginUsageError) printError(`See 'kubectl ${this.name} --help' for usage.`);
      return 1;
    }
  }

  /** Prints what the shell suggests for the last word, in the form in which kubectl asks for it. */
  async complete(words: readonly string[], options: PluginRunOptions = {}): Promise<void> {
    const { print = console.log } = options;
    const flags = this.#flags;
    const own = this.#options.complete;
    try {
      const found = await completions(words, {
        flags,
        environment: options.environment,
        within: (parsed, work) => this.#with(parsed, options, (context) => work(context)),
        ...(own === undefined ? {} : { own: (parsed) => this.#with(parsed, options, (context) => own(context)) }),
      });
      for (const line of found) print(line);
    } catch {
      print(COMPLETION_FAILED); // a shell shows nothing, rather than an error in the middle of a line
    }
  }

  /** Runs as this process: with its arguments, until it is done or Ctrl-C. Sets the exit code. */
  async main(): Promise<void> {
    const [, file = '', ...args] = process.argv;
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      process.exit(error.code === 'EPIPE' ? 0 : 1); // the reader, such as head, has seen enough
    });
    using stop = new StopSignals();
    if (basename(file).startsWith('kubectl_complete-')) return this.complete(args, stop);
    process.exitCode = await this.run(args, stop);
  }

  async #with<T>(
    { positionals, values, lists }: ParsedArguments,
    options: PluginRunOptions,
    work: (context: PluginContext<Flags>) => T | Promise<T>,
  ): Promise<T> {
    const { environment, print = console.log, signal = new AbortController().signal } = options;
    const groups = lists.get('as-group');
    const user = values.get('as');
    if (groups !== undefined && user === undefined)
      throw new PluginUsageError('--as-group needs --as: requesting groups without impersonating a user');
    const connecting: ConnectOptions = {
      kubeconfig: values.get('kubeconfig'),
      context: values.get('context'),
      environment,
      userAgent: `kubectl-${this.name}`,
      ...(user === undefined ? {} : { impersonate: { user, ...(groups === undefined ? {} : { groups }) } }),
      onWarning: ({ text }) => (options.printError ?? console.error)(`Warning: ${text}`),
    };
    const own = options.client === undefined ? await connect(connecting) : undefined;
    try {
      const client = own ?? (options.client as Client);
      const isAll = values.get('all-namespaces') === 'true';
      return await work({
        client,
        namespace: isAll ? undefined : (values.get('namespace') ?? client.defaultNamespace),
        args: positionals,
        flags: this.#values(values),
        signal,
        print,
        table: (headers, rows) => {
          for (const line of textTable(headers, rows)) print(line);
        },
      });
    } finally {
      await own?.[Symbol.asyncDispose]();
    }
  }

  #values(given: ReadonlyMap<string, string>): PluginFlagValues<Flags> {
    const entries = Object.entries(this.#options.flags ?? {}).map(([name, { value, default: standard }]) => [
      name,
      value === undefined ? given.get(name) === 'true' : (given.get(name) ?? standard),
    ]);
    return Object.fromEntries(entries) as PluginFlagValues<Flags>;
  }
}

function clashes(flag: string, short: string | undefined, shared: PluginFlags): boolean {
  return (
    Object.hasOwn(shared, flag) || (short !== undefined && Object.values(shared).some((own) => own.short === short))
  );
}

/** An error in kubectl's words. */
function errorText(error: unknown): string {
  if (!(error instanceof StatusError)) return `error: ${messageOf(error)}`;
  const { reason } = error.status;
  return `Error from server${reason === undefined ? '' : ` (${reason})`}: ${error.message}`;
}
