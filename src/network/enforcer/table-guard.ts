import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Clock, type Logger, messageOf, onAbort, type Runnable, runTogether } from '../../base/index.ts';
import { type Nft, NftError } from '../nftables/index.ts';

export interface TableGuardOptions {
  readonly nft: Pick<Nft, 'list'>;
  /** The program that reports removed tables; default `nft`, found in PATH. */
  readonly program?: string;
  readonly table: string;
  /** A chain of the table that always has rules. */
  readonly chain: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether the table should be there. */
  isWanted(): boolean;
  /** Called when another program has removed the table or its rules. */
  lost(): void;
}

/** A table whose rules were removed but which is still there is noticed after this time. */
const CHECK_EVERY_MS = 60_000;
const MONITOR_RETRY_MS = 5000;

/**
 * Notices that another program has removed a table: at once when the kernel reports that a table is gone (`nft flush ruleset`, a firewall
 * that restarts), else within a minute.
 */
export class TableGuard implements Runnable {
  readonly #options: TableGuardOptions;

  constructor(options: TableGuardOptions) {
    this.#options = options;
  }

  async run(signal: AbortSignal): Promise<void> {
    await runTogether(
      [{ run: (scope) => this.#checkRegularly(scope) }, { run: (scope) => this.#monitor(scope) }],
      signal,
    );
  }

  async #checkRegularly(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#options.clock.sleep(CHECK_EVERY_MS, signal);
      if (!signal.aborted) await this.#check();
    }
  }

  /** The monitor ends when the kernel has more to report than it can take in; the next one begins with a look. */
  async #monitor(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        await this.#removals(signal);
      } catch (error) {
        log.warn('removed tables of nftables are not reported', { error: messageOf(error) });
      }
      await clock.sleep(MONITOR_RETRY_MS, signal);
      if (!signal.aborted) await this.#check();
    }
  }

  async #removals(signal: AbortSignal): Promise<void> {
    const { program = 'nft', table } = this.#options;
    const child = spawn(program, ['monitor', 'destroy', 'tables'], { stdio: ['ignore', 'pipe', 'ignore'] });
    using _stop = onAbort(signal, () => child.kill());
    createInterface(child.stdout).on('line', (line) => {
      if (line.includes(`inet ${table}`)) void this.#check();
    });
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', () => resolve());
      if (signal.aborted) child.kill();
    });
  }

  async #check(): Promise<void> {
    const { nft, table, chain, log, isWanted, lost } = this.#options;
    if (!isWanted() || (await this.#isComplete(nft, table, chain)) || !isWanted()) return;
    log.warn('table of nftables was removed by another program and is made again', { table });
    lost();
  }

  async #isComplete(nft: Pick<Nft, 'list'>, table: string, chain: string): Promise<boolean> {
    try {
      const { nftables = [] } = (await nft.list('chain', 'inet', table, chain)) as { nftables?: readonly object[] };
      return nftables.some((each) => 'rule' in each);
    } catch (error) {
      if (error instanceof NftError && error.isMissing) return false;
      this.#options.log.warn('table of nftables cannot be looked at', { table, error: messageOf(error) });
      return true;
    }
  }
}
