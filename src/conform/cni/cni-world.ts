import { type Clock, RealClock } from '../../base/index.ts';
import {
  CNI_VERSIONS,
  type CniResult,
  convertResult,
  CURRENT_VERSION,
  currentResult,
  executePlugin,
  type JsonObject,
  NetworkNamespace,
  parseResult,
  parseVersions,
  type PluginEnd,
  type VersionedResult,
} from '../../cni/index.ts';
import { Breach, type ConformWorld, expectThat } from '../suite.ts';
import type { CniSuiteOptions } from './cni-options.ts';
import { leftBehind, type MachineState, machineState } from './machine-state.ts';

/** A container of the suite: a network namespace, and what was returned when it was added. */
export interface TriedContainer {
  readonly id: string;
  readonly namespace: NetworkNamespace;
  /** What the plugin before returned, for a chained plugin. */
  readonly prevResult: CniResult | undefined;
  /** The result of ADD, as it was printed. */
  added?: JsonObject;
}

export interface PluginTry {
  readonly container?: TriedContainer;
  /** Members of the configuration that differ. */
  readonly config?: JsonObject;
  /** In place of the configuration. */
  readonly input?: string;
  /** Variables that differ; undefined for one that is missing. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** How long a plugin may run. */
const LIMIT_MS = 30_000;
/** The kernel removes interfaces of a namespace that is gone a moment later. */
const SETTLE_MS = 10_000;
const LOOK_EVERY_MS = 50;

/** The network that calls are about. */
export const NETWORK = 'keelson-conform';

/** Where the suite tries a plugin: a namespace that stands for the machine, and containers. Nothing of the real machine's network changes. */
export class CniWorld implements ConformWorld {
  readonly options: CniSuiteOptions;
  readonly machine: NetworkNamespace;
  readonly versions: readonly string[];
  /** The version that is spoken. */
  readonly cniVersion: string;
  readonly #clock: Clock;
  readonly #containers = new Set<TriedContainer>();
  #made = 0;
  #isWarm = false;

  static async open(options: CniSuiteOptions, signal: AbortSignal): Promise<CniWorld> {
    if (process.platform !== 'linux' || process.getuid?.() !== 0)
      throw new Error('the suite needs Linux and root: it makes network namespaces');
    const machine = await NetworkNamespace.create();
    try {
      await machine.run('sysctl', '-qw', 'net.ipv4.ip_forward=1').catch(() => undefined); // plugins may do it themselves
      if (options.setup !== '') await machine.run('sh', '-ec', options.setup);
      const versions = await askVersions(options, machine, signal);
      return new CniWorld(options, machine, versions);
    } catch (error) {
      await machine[Symbol.asyncDispose]();
      throw error;
    }
  }

  private constructor(options: CniSuiteOptions, machine: NetworkNamespace, versions: readonly string[]) {
    this.options = options;
    this.machine = machine;
    this.versions = versions;
    this.cniVersion = options.cniVersion ?? newestOf(versions);
    this.#clock = new RealClock();
  }

  /** A new container. A chained plugin finds an interface in it. */
  async container(): Promise<TriedContainer> {
    const number = ++this.#made;
    const namespace = await NetworkNamespace.create();
    const { kind } = this.options;
    const container: TriedContainer = {
      id: `conform-${process.pid}-${number}`,
      namespace,
      prevResult: kind === 'chained' ? await this.#connected(namespace, number) : undefined,
    };
    this.#containers.add(container);
    return container;
  }

  /** Calls the plugin; how it ends is for the caller to judge. */
  async call(command: string, tried: PluginTry): Promise<PluginEnd> {
    const { container, signal } = tried;
    const { options } = this;
    const input = tried.input ?? JSON.stringify(this.#configuration(command, container, tried.config));
    return executePlugin({
      program: 'nsenter',
      args: [`--net=${this.machine.path}`, '--', ...options.command],
      environment: {
        ...withoutCni(options.environment),
        CNI_COMMAND: command,
        CNI_PATH: options.pluginPath,
        ...(container === undefined
          ? {}
          : { CNI_CONTAINERID: container.id, CNI_NETNS: container.namespace.path, CNI_IFNAME: options.ifName }),
        ...tried.environment,
      },
      input,
      limits: { clock: this.#clock, timeoutMs: LIMIT_MS, signal },
    });
  }

  /** Adds a container, which must succeed; returns the result in the newest form. */
  async add(container: TriedContainer, signal: AbortSignal): Promise<CniResult> {
    const end = await this.call('ADD', { container, signal });
    requireSuccess('ADD', end);
    const result = parseResult(end.stdout, this.cniVersion);
    container.added = JSON.parse(end.stdout) as JsonObject;
    return currentResult(result);
  }

  async del(container: TriedContainer, signal: AbortSignal): Promise<void> {
    requireSuccess('DEL', await this.call('DEL', { container, signal }));
  }

  /** Ends the namespace of a container, as when its machine was restarted. */
  async destroy(container: TriedContainer): Promise<void> {
    await container.namespace[Symbol.asyncDispose]();
  }

  async state(): Promise<MachineState> {
    return machineState(this.machine, this.options.stateFolders);
  }

  /** The state as it is, after one container was added and deleted once: bridges and chains that stay are part of it. */
  async baseline(signal: AbortSignal): Promise<MachineState> {
    if (!this.#isWarm) {
      const container = await this.container();
      await this.add(container, signal);
      await this.del(container, signal);
      await this.release(container);
      this.#isWarm = true;
    }
    return this.state();
  }

  /** Throws when there is more than in the state before. */
  async requireNothingLeft(before: MachineState, signal: AbortSignal): Promise<void> {
    const end = this.#clock.monotonic() + SETTLE_MS;
    for (;;) {
      const left = leftBehind(before, await this.state());
      if (left.length === 0) return;
      if (this.#clock.monotonic() >= end) throw new Breach(`left behind: ${left.join('; ')}`);
      signal.throwIfAborted();
      await this.#clock.sleep(LOOK_EVERY_MS, signal);
    }
  }

  /** The interfaces of a container by name, with their addresses. */
  async interfacesOf(container: TriedContainer): Promise<ReadonlyMap<string, readonly string[]>> {
    const text = await container.namespace.run('ip', '-o', 'link');
    const found = new Map<string, string[]>();
    for (const [, name = ''] of text.matchAll(/^\d+: ([^:@]+)/gm)) found.set(name, []);
    const addresses = await container.namespace.run('ip', '-o', 'address');
    for (const [, name = '', address = ''] of addresses.matchAll(/^\d+: (\S+)\s+inet6? (\S+)/gm))
      found.get(name)?.push(address);
    return found;
  }

  /** Removes a container with everything that the plugin has made for it. */
  async release(container: TriedContainer): Promise<void> {
    this.#containers.delete(container);
    await this.call('DEL', { container, signal: new AbortController().signal });
    await this.destroy(container);
    const [host] = container.prevResult?.interfaces ?? [];
    if (host !== undefined) await this.machine.run('ip', 'link', 'delete', host.name).catch(() => undefined); // gone with its other end
  }

  async tidy(): Promise<void> {
    await Promise.all([...this.#containers].map((container) => this.release(container)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.tidy();
    await this.machine[Symbol.asyncDispose]();
  }

  #configuration(command: string, container: TriedContainer | undefined, more: JsonObject = {}): JsonObject {
    const prevResult = command === 'ADD' ? this.#resultBefore(container) : container?.added;
    return {
      ...this.options.config,
      cniVersion: this.cniVersion,
      name: NETWORK,
      ...(prevResult === undefined ? {} : { prevResult }),
      ...more,
    };
  }

  #resultBefore(container: TriedContainer | undefined): VersionedResult | undefined {
    if (container?.prevResult === undefined) return undefined;
    return convertResult({ ...container.prevResult, cniVersion: CURRENT_VERSION }, this.cniVersion);
  }

  /** Does for a chained plugin what the plugin before it would: a pair of interfaces with addresses. */
  async #connected(namespace: NetworkNamespace, number: number): Promise<CniResult> {
    const { ifName } = this.options;
    const host = `conform${number}`;
    const address = `10.77.${Math.floor(number / 250) % 250}.${(number % 250) + 2}/16`;
    const onHost = (...args: readonly string[]): Promise<string> => this.machine.run('ip', ...args);
    const inside = (...args: readonly string[]): Promise<string> => namespace.run('ip', ...args);
    await onHost('link', 'add', host, 'type', 'veth', 'peer', 'name', ifName, 'netns', namespace.path);
    await onHost('link', 'set', host, 'up');
    await inside('link', 'set', ifName, 'up');
    await inside('address', 'add', address, 'dev', ifName);
    await inside('route', 'add', 'default', 'via', '10.77.0.1', 'dev', ifName);
    return {
      interfaces: [
        { name: host, mac: macIn(await onHost('-o', 'link', 'show', host)) },
        { name: ifName, mac: macIn(await inside('-o', 'link', 'show', ifName)), sandbox: namespace.path },
      ],
      ips: [{ address, gateway: '10.77.0.1', interface: 1 }],
      routes: [{ dst: '0.0.0.0/0', gw: '10.77.0.1' }],
      dns: { nameservers: ['10.77.0.1'] },
    };
  }
}

/** Throws when a call did not succeed. */
export function requireSuccess(what: string, end: PluginEnd): void {
  expectThat(end.code === 0 && end.cutShort === undefined, `${what} failed: ${endText(end)}`);
}

/** How a call ended, for people. */
export function endText({ code, signal, stdout, stderr, cutShort }: PluginEnd): string {
  const how = cutShort ?? (signal === null ? `exit code ${code}` : `ended by ${signal}`);
  const printed = [stdout, stderr].map((text) => text.trim().slice(0, MAX_QUOTED)).filter((text) => text !== '');
  return [how, ...printed].join(': ');
}

const MAX_QUOTED = 500;

async function askVersions(
  { command, environment }: CniSuiteOptions,
  machine: NetworkNamespace,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const end = await executePlugin({
    program: 'nsenter',
    args: [`--net=${machine.path}`, '--', ...command],
    environment: { ...withoutCni(environment), CNI_COMMAND: 'VERSION' },
    input: JSON.stringify({ cniVersion: CURRENT_VERSION }),
    limits: { clock: new RealClock(), timeoutMs: LIMIT_MS, signal },
  });
  if (/^nsenter: failed to execute/m.test(end.stderr))
    throw new Error(`Cannot start "${command[0]}": ${end.stderr.trim().replace(/^.*: /, '')}`);
  try {
    return end.code === 0 ? parseVersions(end.stdout) : [];
  } catch {
    return []; // the first case says what is wrong
  }
}

/** The newest version that is known here, too. */
function newestOf(versions: readonly string[]): string {
  const known = CNI_VERSIONS.filter((version) => versions.includes(version));
  return known.at(-1) ?? CURRENT_VERSION;
}

function withoutCni(environment: CniSuiteOptions['environment']): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('CNI_')));
}

function macIn(text: string): string {
  return /link\/ether (\S+)/.exec(text)?.[1] ?? '';
}
