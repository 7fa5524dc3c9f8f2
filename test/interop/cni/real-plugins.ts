import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RealClock } from '../../../src/base/index.ts';
import { cniRunner, NetworkNamespace, parseNetworkConfiguration } from '../../../src/cni/index.ts';
import type { PluginKind } from '../../../src/conform/cni/cni-options.ts';
import { cniSuite } from '../../../src/conform/cni/cni-suite.ts';
import { runSuite } from '../../../src/conform/index.ts';

type ChainStep = 'add' | 'check' | 'del' | 'del again';

/** A plugin of the CNI project, how it is configured here, and which rules it is known to break. */
interface RealPlugin {
  readonly type: string;
  readonly kind: PluginKind;
  readonly config: (state: string) => object;
  readonly ifName?: string;
  readonly setup?: string;
  /** Cases that fail, with the reason. */
  readonly known?: Readonly<Record<string, string>>;
  /** Why the suite cannot judge it; it still runs in a chain. */
  readonly notJudged?: string;
  /** Why it cannot run here at all. */
  readonly notRun?: string;
  /** Steps of the chain that fail, with the reason. */
  readonly knownInChain?: Readonly<Partial<Record<ChainStep, string>>>;
  /** The chain that it runs in once; default after a bridge, or alone with host-local. */
  readonly chain?: (state: string) => readonly object[];
}

const SKEL = 'its library answers VERSION with its own newest version, whatever it is asked with';
const NO_GC = 'it has no GC';
const shared = { 'version-repeated-older': SKEL };

const ipam = (state: string, subnet = '10.88.0.0/24'): object => ({
  type: 'host-local',
  dataDir: join(state, 'ipam'),
  ranges: [[{ subnet }]],
  routes: [{ dst: '0.0.0.0/0' }],
});
const bridge = (state: string): object => ({ type: 'bridge', bridge: 'cni0', isGateway: true, ipam: ipam(state) });

export const realPlugins: readonly RealPlugin[] = [
  {
    type: 'bridge',
    kind: 'interface',
    config: (state) => ({ bridge: 'cni0', isGateway: true, ipMasq: true, ipam: ipam(state) }),
    known: {
      ...shared,
      'del-gone-namespace': 'rules for masquerading stay when the namespace is gone before DEL',
      'gc-collects': 'host-local has no GC, and bridge collects its rules only',
    },
  },
  {
    type: 'ptp',
    kind: 'interface',
    config: (state) => ({ ipam: ipam(state) }),
    known: { ...shared, 'gc-collects': 'host-local has no GC' },
  },
  {
    type: 'macvlan',
    kind: 'interface',
    config: (state) => ({ master: 'up0', mode: 'bridge', ipam: ipam(state) }),
    setup: 'ip link add up0 type veth peer name up1; ip link set up0 up; ip link set up1 up',
    known: { ...shared, 'gc-collects': 'host-local has no GC' },
  },
  {
    type: 'loopback',
    kind: 'interface',
    config: () => ({}),
    ifName: 'lo',
    known: {
      ...shared,
      'add-other-name': 'it sets up lo, whatever the name',
      'add-again': 'lo exists in every namespace, so it cannot be an error',
      'check-missing-interface': 'lo cannot be deleted',
      'check-missing-address': 'it checks that lo is up, not its addresses',
      'concurrent-add': 'every container has 127.0.0.1',
      gc: 'every container has 127.0.0.1',
      del: 'lo cannot be deleted: it is set down',
    },
  },
  {
    type: 'host-device',
    kind: 'interface',
    config: (state) => ({ device: 'dev0', ipam: ipam(state) }),
    setup: 'ip link add dev0 type veth peer name dev1',
    notJudged: 'each container needs a device of its own',
    knownInChain: { 'del again': 'it fails when the interface is gone already' },
    chain: (state) => [{ type: 'host-device', device: 'dev0', ipam: ipam(state) }],
  },
  {
    type: 'host-local',
    kind: 'ipam',
    config: (state) => ({ ipam: ipam(state) }),
    known: { ...shared, 'gc-collects': NO_GC },
    chain: (state) => [bridge(state)],
  },
  {
    type: 'static',
    kind: 'ipam',
    config: () => ({ ipam: { type: 'static', addresses: [{ address: '10.89.0.5/24', gateway: '10.89.0.1' }] } }),
    known: {
      ...shared,
      'check-released': 'it keeps nothing',
      'concurrent-add': 'its addresses are configured: all containers have the same',
      gc: 'its addresses are configured: all containers have the same',
    },
    chain: () => [
      { type: 'ptp', ipam: { type: 'static', addresses: [{ address: '10.89.0.5/24', gateway: '10.89.0.1' }] } },
    ],
  },
  {
    type: 'dhcp',
    kind: 'ipam',
    config: () => ({ ipam: { type: 'dhcp' } }),
    notRun: 'it needs a daemon of its own and a DHCP server',
  },
  {
    type: 'tuning',
    kind: 'chained',
    config: () => ({ sysctl: { 'net.core.somaxconn': '500' } }),
    known: { ...shared },
  },
  {
    type: 'portmap',
    kind: 'chained',
    config: () => ({
      capabilities: { portMappings: true },
      runtimeConfig: { portMappings: [{ hostPort: 8080, containerPort: 80, protocol: 'tcp' }] },
    }),
    known: {
      ...shared,
      check: 'up to 1.1 it looks for a chain of IPv6 that it has not made',
      'concurrent-check': 'up to 1.1 it looks for a chain of IPv6 that it has not made',
    },
    knownInChain: { check: 'up to 1.1 it looks for a chain of IPv6 that it has not made' },
  },
  {
    type: 'bandwidth',
    kind: 'chained',
    config: () => ({ ingressRate: 1_000_000, ingressBurst: 100_000, egressRate: 1_000_000, egressBurst: 100_000 }),
    known: { ...shared },
  },
  { type: 'firewall', kind: 'chained', config: () => ({ backend: 'iptables' }), known: { ...shared } },
  {
    type: 'sbr',
    kind: 'chained',
    config: () => ({}),
    known: {
      ...shared,
      'del-without-namespace': 'it needs the namespace to delete its rules, and fails without',
      'del-gone-namespace': 'it needs the namespace to delete its rules, and fails without',
      'del-again': 'up to 1.1 it fails when the interface is gone already',
    },
    knownInChain: {
      check: 'it moves routes to a table of its own, where bridge does not find its gateway',
      'del again': 'up to 1.1 it fails when the interface is gone already',
    },
  },
];

export interface RealPluginsOptions {
  /** Folder of the plugins. */
  readonly folder: string;
  /** Which release it is. */
  readonly release: string;
  readonly print: (line: string) => void;
  readonly isWanted: (type: string) => boolean;
}

/** Judges each plugin by the suite; returns what is not known. */
export async function judgeRealPlugins({
  folder,
  release,
  print,
  isWanted,
}: RealPluginsOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const plugin of realPlugins.filter(({ type }) => isWanted(type))) {
    const reason = plugin.notRun ?? plugin.notJudged;
    if (reason !== undefined) {
      print(`skip ${plugin.type} ${release}: ${reason}`);
      continue;
    }
    const { known = {} } = plugin;
    const outcomes = await outcomesOf(plugin, folder);
    const failed = new Map(
      [...outcomes].flatMap(([name, { type, message }]) => (type === 'failed' ? [[name, message]] : [])),
    );
    const unknown = [...failed].filter(([name]) => known[name] === undefined);
    print(
      `${unknown.length === 0 ? 'ok  ' : 'FAIL'} ${plugin.type} ${release}: breaks ${[...failed.keys()].join(', ') || 'nothing'}`,
    );
    for (const name of Object.keys(known).filter((each) => outcomes.get(each)?.type === 'passed'))
      print(`     ${name}: kept, though known as broken`);
    problems.push(...unknown.map(([name, message]) => `${plugin.type} ${release}: ${name}: ${message}`));
  }
  return problems;
}

/** What became of each case, by name. */
async function outcomesOf(
  plugin: RealPlugin,
  folder: string,
): Promise<ReadonlyMap<string, { readonly type: string; readonly message: string }>> {
  const { type, kind, config, ifName = 'eth0', setup = '' } = plugin;
  const state = await mkdtemp(join(tmpdir(), 'keelson-real-cni-'));
  try {
    const options = {
      command: [join(folder, type)],
      kind,
      config: { type, ...config(state) },
      cniVersion: undefined,
      pluginPath: folder,
      ifName,
      stateFolders: [join(state, 'ipam')],
      setup,
      concurrency: 20,
      environment: process.env,
    };
    const signal = new AbortController().signal;
    const report = await runSuite(cniSuite(options), {
      subject: type,
      clock: new RealClock(),
      signal,
      limitMs: 120_000,
    });
    return new Map(report.cases.map(({ name, outcome }) => [name, { message: '', ...outcome }]));
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

/** Runs each plugin in a chain once, by our runner: add, check, del, del again. Returns what failed. */
export async function chainRealPlugins({
  folder,
  release,
  print,
  isWanted,
}: RealPluginsOptions): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const plugin of realPlugins.filter(({ type }) => isWanted(type))) {
    if (plugin.notRun !== undefined) {
      print(`skip ${plugin.type} ${release} in a chain: ${plugin.notRun}`);
      continue;
    }
    const failed = await chainOnce(plugin, folder);
    const { knownInChain = {} } = plugin;
    const unknown = [...failed].filter(([step]) => knownInChain[step] === undefined);
    const steps = [...failed.keys()].map((step) => `${step} (${knownInChain[step] ?? 'not known'})`).join(', ');
    print(
      `${unknown.length === 0 ? 'ok  ' : 'FAIL'} ${plugin.type} ${release} in a chain${steps === '' ? '' : `, without ${steps}`}`,
    );
    problems.push(...unknown.map(([step, message]) => `${plugin.type} ${release} in a chain: ${step}: ${message}`));
  }
  return problems;
}

/** Steps that failed, with what was seen. */
async function chainOnce(plugin: RealPlugin, folder: string): Promise<ReadonlyMap<ChainStep, string>> {
  const { type, kind, config, ifName = 'eth0', setup = '' } = plugin;
  const state = await mkdtemp(join(tmpdir(), 'keelson-chain-'));
  await using machine = await NetworkNamespace.create();
  await using container = await NetworkNamespace.create();
  const failed = new Map<ChainStep, string>();
  try {
    if (setup !== '') await machine.run('sh', '-ec', setup);
    const programs = join(state, 'bin');
    await mkdir(programs);
    await wrapAll(folder, programs, machine);
    const own = { type, ...config(state) };
    const plugins = plugin.chain?.(state) ?? (kind === 'chained' ? [bridge(state), own] : [own]);
    for (const cniVersion of ['0.4.0', '1.0.0']) {
      const network = parseNetworkConfiguration(JSON.stringify({ cniVersion, name: 'chain', plugins }));
      const runner = cniRunner({ pluginFolders: [programs], cacheFolder: join(state, 'cache'), timeout: '30s' });
      const attachment = { containerId: `chain-${type}`, netns: container.path, ifName };
      await runner.validate(network);
      const steps: readonly (readonly [ChainStep, () => Promise<unknown>])[] = [
        ['add', () => runner.add(network, attachment)],
        ['check', () => runner.check(network, attachment)],
        ['del', () => runner.del(network, attachment)],
        ['del again', () => runner.del(network, attachment)],
      ];
      for (const [name, step] of steps) await step().catch((error: unknown) => failed.set(name, String(error)));
    }
    return failed;
  } finally {
    await rm(state, { recursive: true, force: true });
  }
}

/** Programs that start the plugins in the namespace that stands for the machine. */
async function wrapAll(folder: string, programs: string, machine: NetworkNamespace): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(programs, name);
    await writeFile(path, `#!/bin/sh\nexec nsenter --net=${machine.path} -- ${join(folder, name)}\n`);
    await chmod(path, 0o755);
  }
}
