import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Nft } from '../../nftables/nft.ts';

export interface LabPod {
  readonly name: string;
  /** `10.1.0.2`, `fd01::2`: in the ranges of its node. */
  readonly addresses: readonly string[];
}

export interface LabNode {
  readonly name: string;
  readonly pods: readonly LabPod[];
}

export interface Flow {
  /** The pod or node that opens the connection. */
  readonly from: string;
  readonly address: string;
  /** ICMP: an echo over IPv4, which has no port. */
  readonly protocol: 'TCP' | 'UDP' | 'ICMP';
  readonly port: number;
}

export interface Listening {
  /** The pod or node that serves. */
  readonly in: string;
  readonly address: string;
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
}

interface Answer {
  readonly error?: string;
  readonly results?: readonly boolean[];
  readonly namespaces?: Readonly<Record<string, string>>;
  readonly code?: number;
  readonly output?: string;
}

/** Tests and scripts run in the folder of the project; `import.meta.dirname` differs in a script that has been bundled. */
const SCRIPT = join('src', 'network', 'enforcer', 'testing', 'pod-lab.py');
/** Time in which an answer that is sent at all arrives on a busy machine. */
const PATIENCE_S = 5;

/** What a lab needs and this machine lacks, to skip tests with; undefined where it can be opened. */
export function whyNoLab(): string | undefined {
  if (process.platform !== 'linux') return 'not Linux';
  if (process.getuid?.() !== 0) return 'not root';
  for (const program of ['python3', 'ip', 'nft', 'nsenter', 'unshare'])
    try {
      execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    } catch {
      return `${program} not found`;
    }
  try {
    execFileSync('unshare', ['-n', 'sh', '-c', 'ip link add name lab type bridge && nft add table inet t'], {
      stdio: 'ignore',
    });
  } catch {
    return 'no network namespaces with bridges and nftables';
  }
  return undefined;
}

/** The range of pods of the n-th node, from 0, and of its second family. */
export function labRanges(node: number): readonly [ipv4: string, ipv6: string] {
  return [`10.${node + 1}.0.0/24`, `fd0${node + 1}::/64`];
}

/**
 * Nodes and pods as network namespaces: pods of a node on one bridge, two nodes joined by a wire. Packets are real.
 *
 * Disposing ends the process that holds the namespaces, and with it everything in them.
 */
export class PodLab implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #answers: ((answer: Answer) => void)[] = [];
  #namespaces: Readonly<Record<string, string>> = {};

  static async open(nodes: readonly LabNode[]): Promise<PodLab> {
    const lab = new PodLab();
    try {
      await lab.#setUp(nodes);
      return lab;
    } catch (error) {
      await lab[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #setUp(nodes: readonly LabNode[]): Promise<void> {
    const { namespaces = {} } = await this.#ask({
      do: 'setUp',
      nodes: nodes.map(({ name, pods }, at) => ({
        name,
        gateways: [`10.${at + 1}.0.1/24`, `fd0${at + 1}::1/64`],
        pods: pods.map((pod) => ({
          name: pod.name,
          addresses: pod.addresses.map((each) => `${each}${each.includes(':') ? '/64' : '/24'}`),
        })),
      })),
    });
    this.#namespaces = namespaces;
  }

  private constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'keelson-pod-lab-'));
    this.#child = spawn('unshare', ['-n', 'python3', SCRIPT], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error('Cannot read from the lab');
    createInterface(stdout).on('line', (line) => this.#answers.shift()?.(JSON.parse(line) as Answer));
    this.#child.once('close', () => {
      for (const answer of this.#answers) answer({ error: 'the lab has ended' });
    });
  }

  /** The packet filter of a node. */
  nft(node: string): Nft {
    return new Nft({ program: this.nftProgram(node) });
  }

  /** A program that is nft(8) for a node. */
  nftProgram(node: string): string {
    const program = join(this.#folder, `nft-${node}`);
    writeFileSync(program, `#!/bin/sh\nexec nsenter --net=${this.#namespaces[node]} nft "$@"\n`);
    chmodSync(program, 0o755);
    return program;
  }

  async serve(sockets: readonly Listening[]): Promise<void> {
    await this.#ask({ do: 'serve', sockets });
  }

  /**
   * Which of the flows get an answer. What is expected is only used to wait longer for answers that should come; without it, every flow
   * without an answer is waited for.
   */
  async probe(flows: readonly Flow[], expected?: readonly boolean[]): Promise<readonly boolean[]> {
    const first = await this.#results({ do: 'probe', flows, wait: expected === undefined ? PATIENCE_S : 0.3 });
    const late = flows.flatMap((flow, at) => (expected?.[at] === true && first[at] === false ? [{ flow, at }] : []));
    if (late.length === 0) return first;
    const second = await this.#results({ do: 'probe', flows: late.map(({ flow }) => flow), wait: PATIENCE_S });
    const results = [...first];
    for (const [index, { at }] of late.entries()) results[at] = second[index] ?? false;
    return results;
  }

  /** Opens a connection that stays open; returns whether it could be opened. */
  async hold(name: string, flow: Flow): Promise<boolean> {
    return (await this.#results({ do: 'hold', name, flow }))[0] ?? false;
  }

  /** Whether a message on a held connection gets its echo; `isExpected` says how long to wait. */
  async talk(name: string, isExpected: boolean): Promise<boolean> {
    return (await this.#results({ do: 'talk', name, wait: isExpected ? PATIENCE_S : 0.5 }))[0] ?? false;
  }

  /** Runs a command in a pod or node, and returns what it prints. */
  async run(name: string, ...command: readonly string[]): Promise<string> {
    const { code, output = '' } = await this.#ask({ do: 'run', name, command });
    if (code !== 0) throw new Error(`"${command.join(' ')}" in "${name}" failed: ${output}`);
    return output;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      if (this.#child.exitCode !== null) resolve();
      else this.#child.once('close', () => resolve());
    });
    this.#child.stdin?.end();
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #results(command: object): Promise<readonly boolean[]> {
    return (await this.#ask(command)).results ?? [];
  }

  async #ask(command: object): Promise<Answer> {
    const answer = await new Promise<Answer>((resolve) => {
      this.#answers.push(resolve);
      this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    });
    if (answer.error !== undefined) throw new Error(`The lab failed: ${answer.error}`);
    return answer;
  }
}
