// A node, pods on it and a client outside, each a network namespace of its own: nothing of the machine's own network changes.
import { type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import type { TestOptions } from 'vitest';
import { requires, skipWhen } from '../../base/testing/requires.ts';

const run = promisify(execFile);
/** The port at which every host of a lab answers, over TCP and UDP. */
export const LAB_PORT = 8080;
/** By the working folder, which is the repository's: scripts are bundled, so their own place says nothing. */
const AGENT = join('src', 'network', 'testing', 'lab-agent.mjs');
const WAIT_MS = 10_000;
/** How long a lab waits where no answer is expected. */
export const SILENCE_MS = 400;

export interface LabConnection {
  readonly address: string;
  readonly port: number;
  /** Default TCP. */
  readonly protocol?: 'TCP' | 'UDP';
  /** Default 10 seconds. */
  readonly waitMs?: number;
  /** UDP: the name of a socket that is used again. */
  readonly keep?: string;
}

/** Options for tests in network namespaces: skipped without root, `ip` and `nft`. */
export function inNamespaces(): TestOptions {
  if (process.platform !== 'linux') return skipWhen(true, 'network namespaces need Linux');
  if (process.getuid?.() !== 0) return skipWhen(true, 'network namespaces need root');
  return requires('ip', 'nft');
}

/** Where a host is: its addresses, and its namespace; undefined for that of this process. */
interface HostPlace {
  readonly namespace: string | undefined;
  readonly ipv4: string;
  readonly ipv6: string;
}

/** One network namespace with a program in it. */
export class LabHost {
  readonly name: string;
  readonly ipv4: string;
  readonly ipv6: string;
  /** The command that runs others in the namespace: `ip netns exec NAME`. */
  readonly prefix: readonly string[];
  readonly #agent: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (result: string) => void>();
  #lastId = 0;

  static async start(name: string, place: HostPlace): Promise<LabHost> {
    const [program = '', ...args] = [...prefixOf(place.namespace), process.execPath, AGENT, name, `${LAB_PORT}`];
    const agent = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const host = new LabHost(name, place, agent);
    await host.#ready;
    return host;
  }

  readonly #ready: Promise<void>;

  private constructor(name: string, place: HostPlace, agent: ChildProcessByStdio<Writable, Readable, null>) {
    this.name = name;
    this.prefix = prefixOf(place.namespace);
    this.ipv4 = place.ipv4;
    this.ipv6 = place.ipv6;
    this.#agent = agent;
    this.#ready = new Promise((resolve, reject) => {
      agent.once('exit', () => reject(new Error(`the agent of ${name} has ended`)));
      createInterface({ input: agent.stdout }).on('line', (line) => {
        const { id, result, isReady } = JSON.parse(line) as {
          readonly id?: number;
          readonly result?: string;
          readonly isReady?: boolean;
        };
        if (isReady === true) return resolve();
        this.#waiting.get(id ?? -1)?.(result ?? '');
        this.#waiting.delete(id ?? -1);
      });
    });
  }

  /** What a connection from this host gets: `pod1 sees 10.244.0.1`, `refused` or `no answer`. */
  ask({ protocol = 'TCP', waitMs = WAIT_MS, ...rest }: LabConnection): Promise<string> {
    const id = (this.#lastId += 1);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#agent.stdin.write(`${JSON.stringify({ id, protocol, waitMs, ...rest })}\n`);
    });
  }

  /** The results of several connections, sorted, each once. */
  async askOften(times: number, connection: LabConnection): Promise<readonly string[]> {
    const results: string[] = [];
    for (let at = 0; at < times; at++) results.push(await this.ask(connection));
    return [...new Set(results)].sort();
  }

  /** Runs a command in the namespace. */
  async run(...command: readonly string[]): Promise<string> {
    const [program = '', ...args] = [...this.prefix, ...command];
    const { stdout } = await run(program, args);
    return stdout;
  }

  async end(): Promise<void> {
    if (this.#agent.exitCode !== null) return;
    const ended = once(this.#agent, 'exit');
    this.#agent.stdin.end();
    await ended;
  }
}

/**
 * A node at 192.0.2.1 with pods from 10.244.0.11 on and a client at 192.0.2.100; the same with IPv6 in 2001:db8::/64 and
 * fd00:244::/64. The node forwards; pods and client have it as their gateway.
 */
export class NetworkLab implements AsyncDisposable {
  readonly node: LabHost;
  readonly outside: LabHost;
  readonly pods: readonly LabHost[];
  readonly #namespaces: readonly string[];

  /** With `isNodeHere`, the network namespace of this process, which has to be its own, becomes the node. */
  static async open(podCount: number, { isNodeHere = false } = {}): Promise<NetworkLab> {
    const prefix = `lab${process.pid}-${(opened += 1)}`;
    const pods = Array.from({ length: podCount }, (_, at) => `pod${at + 1}`);
    const names = ['node', 'outside', ...pods];
    const namespaceOf = (name: string): string | undefined =>
      name === 'node' && isNodeHere ? undefined : `${prefix}-${name}`;
    const namespaces = names.flatMap((name) => namespaceOf(name) ?? []);
    try {
      await script(buildCommands(namespaceOf, pods));
      return new NetworkLab(
        await startHosts(names, (name) => ({ namespace: namespaceOf(name), ...addressesOf(name, pods) })),
        namespaces,
      );
    } catch (error) {
      await removeNamespaces(namespaces);
      throw error;
    }
  }

  private constructor(hosts: readonly LabHost[], namespaces: readonly string[]) {
    const [node, outside, ...pods] = hosts;
    if (node === undefined || outside === undefined) throw new Error('a lab has a node and a client');
    this.node = node;
    this.outside = outside;
    this.pods = pods;
    this.#namespaces = namespaces;
  }

  /** The pod of a number, from 1 on. */
  pod(number: number): LabHost {
    const pod = this.pods[number - 1];
    if (pod === undefined) throw new Error(`the lab has no pod ${number}`);
    return pod;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.node, this.outside, ...this.pods].map((host) => host.end()));
    await removeNamespaces(this.#namespaces);
  }
}

let opened = 0;

/** Starts all hosts, or none. */
async function startHosts(names: readonly string[], placeOf: (name: string) => HostPlace): Promise<readonly LabHost[]> {
  const started = await Promise.allSettled(names.map((name) => LabHost.start(name, placeOf(name))));
  const hosts = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = started.find((each) => each.status === 'rejected');
  if (failed === undefined) return hosts;
  await Promise.all(hosts.map((host) => host.end()));
  throw failed.reason;
}

function addressesOf(name: string, pods: readonly string[]): { readonly ipv4: string; readonly ipv6: string } {
  if (name === 'node') return { ipv4: '192.0.2.1', ipv6: '2001:db8::1' };
  if (name === 'outside') return { ipv4: '192.0.2.100', ipv6: '2001:db8::100' };
  const number = 11 + pods.indexOf(name);
  return { ipv4: `10.244.0.${number}`, ipv6: `fd00:244::${number}` };
}

async function script(commands: readonly string[]): Promise<void> {
  await run('sh', ['-ec', commands.join('\n')]);
}

/** Those that are there. */
async function removeNamespaces(names: readonly string[]): Promise<void> {
  await script(names.map((name) => `if [ -e /run/netns/${name} ]; then ip netns del ${name}; fi`));
}

function prefixOf(namespace: string | undefined): readonly string[] {
  return namespace === undefined ? [] : ['ip', 'netns', 'exec', namespace];
}

function buildCommands(namespaceOf: (name: string) => string | undefined, pods: readonly string[]): readonly string[] {
  const on = (name: string, command: string): string => [...prefixOf(namespaceOf(name)), command].join(' ');
  const ipOn = (name: string): string => (namespaceOf(name) === undefined ? 'ip' : `ip -n ${namespaceOf(name)}`);
  const ip = (name: string, ...commands: readonly string[]): string =>
    `printf '%s\\n' ${commands.map((each) => `'${each}'`).join(' ')} | ${ipOn(name)} -batch -`;
  const sysctls = [
    'net.ipv4.ip_forward=1',
    'net.ipv4.icmp_ratelimit=0', // every refusal is answered
    'net.ipv6.icmp.ratelimit=0',
    'net.ipv6.conf.all.forwarding=1',
    'net.ipv6.conf.all.accept_dad=0',
    'net.ipv6.conf.default.accept_dad=0',
    'net.bridge.bridge-nf-call-iptables=1',
    'net.bridge.bridge-nf-call-ip6tables=1',
  ];
  const plug = (name: string, gateways: readonly [string, string]): readonly string[] => [
    `${ipOn('node')} link add ${name} type veth peer name eth0 netns ${namespaceOf(name)}`,
    ip(
      name,
      'link set lo up',
      `addr add ${addressesOf(name, pods).ipv4}/24 dev eth0`,
      `addr add ${addressesOf(name, pods).ipv6}/64 dev eth0 nodad`,
      'link set eth0 up',
      `route add default via ${gateways[0]}`,
      `route add default via ${gateways[1]}`,
    ),
  ];
  return [
    ...['node', 'outside', ...pods].flatMap((name) => {
      const namespace = namespaceOf(name);
      return namespace === undefined ? [] : [`ip netns add ${namespace}`];
    }),
    ip('node', 'link set lo up', 'link add pods0 type bridge'),
    on('node', `sysctl -qw ${sysctls.join(' ')}`),
    ip('node', 'addr add 10.244.0.1/24 dev pods0', 'addr add fd00:244::1/64 dev pods0 nodad', 'link set pods0 up'),
    ...plug('outside', ['192.0.2.1', '2001:db8::1']),
    ip(
      'node',
      'addr add 192.0.2.1/24 dev outside',
      'addr add 2001:db8::1/64 dev outside nodad',
      'link set outside up',
      'route add default via 192.0.2.100', // which forwards nothing
      'route add default via 2001:db8::100',
    ),
    ...pods.flatMap((name) => [
      ...plug(name, ['10.244.0.1', 'fd00:244::1']),
      ip('node', `link set ${name} master pods0 up`, `link set ${name} type bridge_slave hairpin on`),
    ]),
  ];
}
