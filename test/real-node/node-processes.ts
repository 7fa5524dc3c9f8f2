import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { Daemon } from '../../peers/index.ts';
import type { NodeLayout, PartCommand } from './node-layout.ts';
import { processesOf } from './processes-of.ts';

/** The parts of a node, in the order in which they start. */
export const nodeParts = ['runtime', 'agent', 'proxy', 'dns', 'policy'] as const;
export type NodePart = (typeof nodeParts)[number];

/** A node with containers, services and names. */
export interface RealNode extends AsyncDisposable {
  readonly name: string;
  readonly layout: NodeLayout;
  /** Holds PART.log and the parts' configuration. */
  readonly folder: string;
  /** The parts that have processes of their own, in the order of their start. */
  readonly parts: readonly NodePart[];
  /** The process of a part; another one after each restart. */
  daemon(part: NodePart): Daemon;
  /** Ends a part, with SIGKILL when `isKilled`, and starts it again with the same arguments. Containers stay. */
  restart(part: NodePart, options?: { readonly isKilled?: boolean }): Promise<void>;
}

interface RunningPart {
  readonly command: PartCommand;
  readonly daemon: Daemon;
}

/** The processes of a node, and what they leave running. */
export class NodeProcesses implements RealNode {
  readonly layout: NodeLayout;
  readonly #running = new Map<NodePart, RunningPart>();
  readonly #supplies: AsyncDisposable[] = [];

  constructor(layout: NodeLayout) {
    this.layout = layout;
  }

  get name(): string {
    return this.layout.name;
  }

  get folder(): string {
    return this.layout.folder;
  }

  get parts(): readonly NodePart[] {
    return nodeParts.filter((part) => this.#running.has(part));
  }

  /** Disposes something that the node needs after its processes have ended. */
  needs(supply: AsyncDisposable): void {
    this.#supplies.push(supply);
  }

  async start(part: NodePart, { program, args }: PartCommand): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    const environment = { PATH: [this.layout.programs, process.env['PATH'] ?? ''].join(delimiter) };
    const logPath = join(this.folder, `${part}.log`);
    const [first = program, ...rest] = [...this.layout.enter, program, ...args];
    const daemon = new Daemon(first, rest, { logPath, environment });
    this.#running.set(part, { command: { program, args }, daemon });
  }

  daemon(part: NodePart): Daemon {
    return this.#part(part).daemon;
  }

  async restart(part: NodePart, { isKilled = false }: { readonly isKilled?: boolean } = {}): Promise<void> {
    const { command, daemon } = this.#part(part);
    if (isKilled) process.kill(daemon.pid, 'SIGKILL');
    await daemon.stop();
    await this.start(part, command);
  }

  /** Ends the parts, the last one first, then the containers that they leave running. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const part of this.parts.toReversed()) await this.daemon(part).stop();
    await killContainers(this.layout);
    for (const supply of this.#supplies.toReversed()) await supply[Symbol.asyncDispose]();
  }

  #part(part: NodePart): RunningPart {
    const found = this.#running.get(part);
    if (found === undefined) throw new Error(`Node "${this.name}" has no process of its own for its ${part}`);
    return found;
  }
}

/** Kills the processes of a node's pods, and the shims above them. */
async function killContainers(layout: NodeLayout): Promise<void> {
  for (const { pid, name, groups } of await processesOf(layout)) {
    if (!groups.includes('/kubepods') && !name.startsWith('containerd-shim')) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended by itself
    }
  }
}
