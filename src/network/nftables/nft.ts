import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';

/** A transaction that `nft` refused. Nothing of it was applied. */
export class NftError extends Error {
  override readonly name = 'NftError';
  /** What `nft` printed, at most 8 KiB of it. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }

  /** True when a table, chain, set or rule that the transaction names does not exist: another program has flushed it. */
  get isMissing(): boolean {
    return this.output.includes('No such file or directory');
  }
}

export interface NftOptions {
  /** The program; default `nft`, found in PATH. */
  readonly program?: string;
  /** A command that runs it, such as `ip netns exec NAME`; default none. */
  readonly prefix?: readonly string[];
  /** Time that one call may take; default one minute. A large transaction takes seconds. */
  readonly limitMs?: number;
}

interface Listed {
  readonly name?: string;
  readonly table?: string;
}

const LIMIT_MS = 60_000;
const MAX_OUTPUT = 8192;
const LINES_AT_ONCE = 500;
const MAX_LISTING = 256 * 1024 * 1024;

/**
 * The machine's packet filter, changed by `nft(8)`.
 *
 * Guarantees: a transaction is applied whole or not at all; calls of one instance are made one after the other, in order.
 */
export class Nft {
  readonly #program: string;
  readonly #prefix: readonly string[];
  readonly #limitMs: number;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ program = 'nft', prefix = [], limitMs = LIMIT_MS }: NftOptions = {}) {
    this.#program = program;
    this.#prefix = prefix;
    this.#limitMs = limitMs;
  }

  /** Applies commands in nft's own syntax, one a line, as one transaction. Throws NftError when `nft` refuses it. */
  async apply(transaction: string | readonly string[]): Promise<void> {
    await this.#queued(['-f', '-'], typeof transaction === 'string' ? [transaction] : batches(transaction));
  }

  /** What `nft --json list …` prints, parsed: `list('table', 'ip', 'keelson-services')`. Throws NftError when it does not exist. */
  async list(...what: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.#queued(['--json', 'list', ...what], []));
  }

  /** Names of what the tables of a family have, elements of sets left aside: `names('chain', 'ip', 'keelson-services')`. */
  async names(type: 'chain' | 'set', family: string, table: string): Promise<readonly string[]> {
    const text = await this.#queued(['--json', '--terse', 'list', `${type}s`, family], []);
    const { nftables } = JSON.parse(text) as { readonly nftables: readonly Readonly<Record<string, Listed>>[] };
    return nftables.flatMap(({ [type]: found }) =>
      found?.name !== undefined && found.table === table ? [found.name] : [],
    );
  }

  /** Whether a family has a table. */
  async hasTable(family: string, table: string): Promise<boolean> {
    const { nftables } = (await this.list('tables', family)) as {
      readonly nftables: readonly { readonly table?: Listed }[];
    };
    return nftables.some(({ table: found }) => found?.name === table);
  }

  /** What commands that change nothing print, as text. Throws NftError when something that they name does not exist. */
  async print(...commands: readonly string[]): Promise<string> {
    return this.#queued(['--terse', commands.join('; ')], []);
  }

  async #queued(args: readonly string[], input: Iterable<string>): Promise<string> {
    const call = this.#last.then(() => this.#call(args, input));
    this.#last = call.catch(() => undefined); // the caller hears of it; the next call is made all the same
    return call;
  }

  #call(args: readonly string[], input: Iterable<string>): Promise<string> {
    return new Promise((resolve, reject) => {
      const [program = this.#program, ...all] = [...this.#prefix, this.#program, ...args];
      const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'pipe'], timeout: this.#limitMs });
      const printed: Buffer[] = [];
      let length = 0;
      let errors = '';
      child.stdout.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > MAX_LISTING) child.kill('SIGKILL');
        else printed.push(chunk);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (errors.length < MAX_OUTPUT) errors += text.slice(0, MAX_OUTPUT - errors.length);
      });
      child.stdin.on('error', () => undefined); // the exit code tells
      child.once('error', (cause) =>
        reject(new Error(`Cannot run "${this.#program}": ${cause.message}; install nftables`, { cause })),
      );
      child.once('close', (code, signal) => {
        if (code === 0) resolve(Buffer.concat(printed).toString());
        else reject(new NftError(`nft ${args.join(' ')} failed: ${reasonOf(code, signal, errors)}`, errors));
      });
      Readable.from(input).pipe(child.stdin);
    });
  }
}

/** Lines in pieces that are large enough to be written quickly, and small enough not to hold the thread. */
function* batches(lines: readonly string[]): Generator<string> {
  for (let at = 0; at < lines.length; at += LINES_AT_ONCE) yield `${lines.slice(at, at + LINES_AT_ONCE).join('\n')}\n`;
}

function reasonOf(code: number | null, signal: string | null, errors: string): string {
  if (signal !== null) return `ended by ${signal}`;
  const first = errors.split('\n', 1)[0] ?? '';
  return first === '' ? `exit code ${code}` : first;
}
