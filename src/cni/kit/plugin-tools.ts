import { readlinkSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { delimiter } from 'node:path';
import { RealClock } from '../../base/index.ts';
import { CniError } from '../cni-error.ts';
import type { CniResult } from '../results/cni-result.ts';
import { currentResult } from '../results/convert-result.ts';
import { parseResult } from '../results/read-result.ts';
import { callPlugin, executePlugin } from '../running/execute-plugin.ts';
import { findPlugin } from '../running/find-plugin.ts';
import type { CniCommand, Environment, PluginRequest } from './plugin-request.ts';

/** What a plugin's code works with, beside how it was called. */
export interface PluginTools {
  /** Runs a program on the machine and returns what it prints; it throws when the program fails: `onHost('ip', 'link', 'show')`. */
  onHost(program: string, ...args: readonly string[]): Promise<string>;
  /** The same in the network namespace of the container, by nsenter(1). */
  inContainer(program: string, ...args: readonly string[]): Promise<string>;
  /**
   * Hands the call to another plugin, such as that of `ipam`, and returns its result. What it has added is deleted again when it fails, or
   * when this plugin fails later.
   */
  delegate(type: string): Promise<CniResult>;
}

/** How long a program, or another plugin, may run. */
const LIMIT_MS = 60_000;

export class CallTools implements PluginTools {
  readonly #request: PluginRequest;
  readonly #environment: Environment;
  readonly #stderr: (text: string) => void;
  readonly #clock = new RealClock();
  /** Plugins that have added something. */
  readonly #added: string[] = [];

  constructor(request: PluginRequest, environment: Environment, stderr: (text: string) => void) {
    this.#request = request;
    this.#environment = environment;
    this.#stderr = stderr;
  }

  onHost = (program: string, ...args: readonly string[]): Promise<string> => this.#run(program, args);

  inContainer = async (program: string, ...args: readonly string[]): Promise<string> => {
    const { netns } = this.#request;
    if (netns === '') throw new CniError('InvalidEnvironment', 'cannot enter the container: CNI_NETNS is empty');
    return this.#run('nsenter', [`--net=${netns}`, '--', program, ...args]);
  };

  delegate = async (type: string): Promise<CniResult> => {
    const { command, cniVersion } = this.#request;
    if (command !== 'ADD') {
      await this.call(type, command);
      return {};
    }
    this.#added.push(type);
    return currentResult(parseResult(await this.call(type, 'ADD'), cniVersion));
  };

  /** Calls another plugin with the environment and the input of this one. */
  async call(type: string, command: CniCommand): Promise<string> {
    const program = await findPlugin(
      type,
      this.#request.path.split(delimiter).filter((folder) => folder !== ''),
    );
    const environment = { ...this.#environment, CNI_COMMAND: command };
    const limits = { clock: this.#clock, timeoutMs: LIMIT_MS };
    return callPlugin({ program, environment, input: this.#request.input, limits }, this.#stderr);
  }

  /** Deletes what other plugins have added for a call that fails. Their errors are printed only: the call has one already. */
  async undo(): Promise<void> {
    for (const type of this.#added.splice(0).toReversed())
      await this.call(type, 'DEL').catch((error: unknown) =>
        this.#stderr(`DEL of plugin "${type}" failed: ${String(error)}\n`),
      );
  }

  async #run(program: string, args: readonly string[]): Promise<string> {
    const limits = { clock: this.#clock, timeoutMs: LIMIT_MS };
    const end = await executePlugin({ program, args, environment: this.#environment, input: '', limits });
    if (end.code === 0) return end.stdout;
    const reason = end.cutShort ?? (end.stderr.trim() || end.stdout.trim() || `exit code ${end.code ?? end.signal}`);
    throw new CniError('Internal', `${program} ${args.join(' ')} failed`, { details: reason });
  }
}

/** Refuses a path that is no network namespace, or the one of the machine itself. */
export async function checkNamespace(netns: string): Promise<void> {
  const [own, given] = await Promise.all([stat('/proc/self/ns/net'), stat(netns).catch(() => undefined)]);
  if (given === undefined)
    throw new CniError('UnknownContainer', `network namespace "${netns}" does not exist`, {
      details: `CNI_NETNS=${netns}`,
    });
  if (given.dev !== own.dev)
    throw new CniError('InvalidNamespace', `"${netns}" is no network namespace`, { details: `CNI_NETNS=${netns}` });
  if (given.ino === own.ino)
    throw new CniError('InvalidNamespace', "plugin's netns and netns from CNI_NETNS should not be the same", {
      details: `both are ${readlinkSync('/proc/self/ns/net')}`,
    });
}
