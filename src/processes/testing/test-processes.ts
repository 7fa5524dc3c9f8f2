// Processes of nodes in tests, in virtual time: the clock waits for real processes.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { discardLogger, RealClock, settle } from '../../base/index.ts';
import type { NodeBackend, OpenNodeBackend } from '../../node/index.ts';
import type { ImageCommand } from '../image-commands.ts';
import { ImageCommands } from '../image-commands.ts';
import { processBackend } from '../process-backend.ts';
import { ProcessHost } from '../process-host.ts';

/** At most this long, a call may be under way that only virtual time would end. */
const PATIENCE_MS = 2000;

/** An entry of a test. */
export function imageCommand(
  image: string,
  command: readonly string[],
  more: Partial<ImageCommand> = {},
): ImageCommand {
  return { image, command, args: undefined, env: {}, namespaces: undefined, workingDirectory: tmpdir(), ...more };
}

/** A host of processes that ends with the test, and counts the calls to its nodes' runtimes. */
export class TestProcesses {
  readonly #commands: ImageCommands;
  readonly #mountsVolumes: boolean;
  #host: Promise<ProcessHost> | undefined;
  #underWay = 0;

  constructor(commands: readonly ImageCommand[], mountsVolumes: boolean) {
    this.#commands = new ImageCommands(commands);
    this.#mountsVolumes = mountsVolumes;
  }

  get host(): Promise<ProcessHost> {
    this.#host ??= this.#open();
    return this.#host;
  }

  readonly open: OpenNodeBackend = async (node, context) =>
    this.#counted(await this.#during(async () => processBackend(await this.host)(node, context)));

  readonly settle = async (): Promise<void> => {
    const clock = new RealClock();
    const startedMs = clock.monotonic();
    do {
      await settle();
      if (this.#underWay > 0) await clock.sleep(1);
    } while (this.#underWay > 0 && clock.monotonic() - startedMs < PATIENCE_MS);
  };

  async #open(): Promise<ProcessHost> {
    const folder = await mkdtemp(join(tmpdir(), 'keelson-processes-'));
    const host = await ProcessHost.open({
      folder,
      commands: this.#commands,
      apiServer: () => new URL('https://127.0.0.1:6443'),
      environment: process.env,
      clock: new RealClock(),
      log: discardLogger,
      mountsVolumes: this.#mountsVolumes,
    });
    onTestFinished(async () => {
      await host.stop();
      host[Symbol.dispose]();
      await rm(folder, { recursive: true });
    });
    return host;
  }

  async #during<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
    }
  }

  #counted(backend: NodeBackend): NodeBackend {
    const runtime = new Proxy(backend.runtime, {
      get: (target, name) => {
        const member = Reflect.get(target, name, target) as unknown;
        if (typeof member !== 'function') return member;
        const bound = member.bind(target) as (...args: readonly unknown[]) => Promise<unknown>;
        return name === 'containerEvents' ? bound : (...args: readonly unknown[]) => this.#during(() => bound(...args));
      },
    });
    const { actions } = backend;
    const run: typeof actions.run = (...args) => this.#during(() => actions.run(...args));
    const dispose = (): Promise<void> => Promise.resolve(backend[Symbol.asyncDispose]());
    return { ...backend, runtime, actions: { ...actions, run }, [Symbol.asyncDispose]: dispose };
  }
}
