// `npm run interop:device-plugins [-- --agent kubelet|keelson --pods 40 --devices 20 --kills 20]`: a device plugin and a credential provider of the kit on a real
// node, with Kubernetes' kubelet or with ours, and the processors that its containers see. Both agents have to do the same.
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findPeer } from '../../../peers/index.ts';
import { type Client, connect, mergePatch, type Observed, type Pod } from '../../../src/client/index.ts';
import { eventually } from '../../real-node/eventually.ts';
import {
  isInNamespaces,
  type RealCluster,
  runInNamespaces,
  startRealCluster,
  whyNoRealNode,
} from '../../real-node/index.ts';
import { room } from '../../real-node/namespaces.ts';
import { bundlePlugin } from '../../support/bundle-plugin.ts';

const { values } = parseArgs({
  options: {
    agent: { type: 'string', default: 'keelson' },
    pods: { type: 'string', default: '40' },
    devices: { type: 'string', default: '20' },
    kills: { type: 'string', default: '20' },
    logs: { type: 'string', default: join('.keelson', 'interop-devices-logs') },
  },
});
const LIMIT_MS = 20 * 60_000;
const WAIT_MS = 180_000;
const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1';
const RESOURCE = 'example.com/kit';
const DEVICES = Number(values.devices);
const AUDIENCE = 'registry.example.com';
const NAMESPACE = 'default';

async function main(): Promise<number> {
  const agent = values.agent === 'kubelet' ? 'kubelet' : 'keelson';
  const reason = isInNamespaces() ? undefined : (whyNoRealNode(agent) ?? findPeer('kubectl').reason);
  if (reason !== undefined) {
    console.log(`interop:device-plugins does not run: ${reason}`);
    return 1;
  }
  const code = await runInNamespaces({ limitMs: LIMIT_MS, print: console.error, logs: resolve(values.logs) });
  if (code !== undefined) return code;
  const programs = join(room(), 'providers');
  await mkdir(programs, { recursive: true });
  await bundlePlugin(join(import.meta.dirname, 'credential-program.ts'), join(programs, 'noting'), process.cwd());
  await writeFile(join(room(), 'providers.json'), JSON.stringify(providers(join(room(), 'asked')), null, 2));
  await using cluster = await startRealCluster({
    ...{ controlPlane: 'keelson', agent, print: console.error },
    agentConfig: { cpuManagerPolicy: 'static', reservedSystemCPUs: '0' },
    agentFlags: [
      `--image-credential-provider-config=${join(room(), 'providers.json')}`,
      `--image-credential-provider-bin-dir=${programs}`,
    ],
  });
  await using client = await connect({ kubeconfig: cluster.server.kubeconfig });
  const suite = new Suite(client, cluster, await DevicePluginProcess.create());
  const steps: readonly (readonly [string, () => Promise<void>])[] = [
    ['the node has the check device-plugin', () => suite.seesCheck()],
    ['a pod gets devices, and their health, also when the plugin is killed', () => suite.reportsHealth()],
    [
      `${values.pods} pods race for ${DEVICES} devices while the plugin is killed ${values.kills} times`,
      () => suite.races(),
    ],
    ['a guaranteed container sees processors of its own, and others those that are left', () => suite.seesProcessors()],
    ['the node asks a credential provider with the account of the pod', () => suite.asksProvider()],
  ];
  let failures = 0;
  for (const [name, step] of steps) {
    try {
      await step();
      console.log(`ok    ${name}`);
    } catch (error) {
      failures += 1;
      console.log(`FAIL  ${name}: ${(error as Error).message}`);
    }
  }
  await suite.end();
  console.log(`${agent}: ${steps.length - failures} of ${steps.length} as expected`);
  return failures === 0 ? 0 : 1;
}

function providers(asked: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1',
    kind: 'CredentialProviderConfig',
    providers: [
      {
        ...{ name: 'noting', apiVersion: 'credentialprovider.kubelet.k8s.io/v1', args: [asked] },
        ...{ matchImages: ['registry.k8s.io'], defaultCacheDuration: '1m' },
        tokenAttributes: {
          ...{ serviceAccountTokenAudience: AUDIENCE, cacheType: 'ServiceAccount', requireServiceAccount: true },
          requiredServiceAccountAnnotationKeys: ['example.com/team'],
        },
      },
    ],
  };
}

/** The plugin as a process that can be killed. */
class DevicePluginProcess {
  readonly folder = join(room(), 'plugin');
  readonly #program: string;
  #process: ReturnType<typeof spawn> | undefined;

  static async create(): Promise<DevicePluginProcess> {
    const program = await bundlePlugin(
      join(import.meta.dirname, 'node-plugin.ts'),
      join(room(), 'node-plugin.mjs'),
      process.cwd(),
    );
    const made = new DevicePluginProcess(program);
    await mkdir(join(made.folder, 'held'), { recursive: true });
    return made;
  }

  private constructor(program: string) {
    this.#program = program;
  }

  start(): void {
    this.#process = spawn(process.execPath, [this.#program, this.folder, String(DEVICES)], { stdio: 'ignore' });
  }

  async kill(): Promise<void> {
    const running = this.#process;
    if (running === undefined || running.exitCode !== null) return;
    const ended = new Promise((end) => void running.once('exit', end));
    running.kill('SIGKILL');
    await ended;
  }
}

class Suite {
  readonly #client: Client;
  readonly #cluster: RealCluster;
  readonly #plugin: DevicePluginProcess;

  constructor(client: Client, cluster: RealCluster, plugin: DevicePluginProcess) {
    this.#client = client;
    this.#cluster = cluster;
    this.#plugin = plugin;
  }

  async end(): Promise<void> {
    await this.#plugin.kill();
    for (const { metadata } of (await this.#pods.list()).items)
      await this.#pods.delete(metadata.name, { gracePeriodSeconds: 0 });
  }

  async seesCheck(): Promise<void> {
    const text = this.#kubectl('get', '--raw', `/api/v1/nodes/${this.#cluster.node.name}/proxy/healthz?verbose`);
    same(text.includes('[+]device-plugin ok'), true, text);
  }

  async reportsHealth(): Promise<void> {
    this.#plugin.start();
    await this.#counts(DEVICES, DEVICES);
    await this.#create('holder', 'echo $DEVICES; sleep 3600', { [RESOURCE]: '2' });
    await this.#until('holder', ({ status }) => status?.phase === 'Running');
    const given = this.#kubectl('logs', 'holder').trim().split(' ').toSorted();
    const health = async (name: string): Promise<readonly string[]> => {
      const { status } = await this.#pods.get(name);
      const [own] = status?.containerStatuses?.[0]?.allocatedResourcesStatus ?? [];
      return (own?.resources ?? []).map((each) => `${each.resourceID} ${each.health}`).toSorted();
    };
    const [first = '', second = ''] = given;
    await this.#eventually('two healthy devices', async () =>
      same(await health('holder'), [`${first} Healthy`, `${second} Healthy`]),
    );
    await writeFile(join(this.#plugin.folder, first.replace('dev', 'broken')), '');
    await this.#counts(DEVICES, DEVICES - 1);
    const said = [`${first} Unhealthy`, `${second} Healthy`];
    await this.#eventually('a device that is not healthy', async () => same(await health('holder'), said));
    await this.#plugin.kill();
    await this.#counts(DEVICES, 0);
    await sleep(5000); // time in which an agent would say more
    same(await health('holder'), said, 'the health after the plugin was killed');
    await rm(join(this.#plugin.folder, first.replace('dev', 'broken')));
    this.#plugin.start();
    await this.#counts(DEVICES, DEVICES);
    await this.#eventually('healthy devices again', async () =>
      same(await health('holder'), [`${first} Healthy`, `${second} Healthy`]),
    );
    await this.#remove('holder');
  }

  /** A container fails with code 7 when another one holds its device. */
  async races(): Promise<void> {
    const script = 'mkdir /held/$DEVICES || exit 7; sleep 2; rmdir /held/$DEVICES';
    const attempts = new Map<string, number>();
    const create = async (name: string): Promise<void> => {
      const attempt = (attempts.get(name) ?? -1) + 1;
      attempts.set(name, attempt);
      await this.#create(`${name}-${attempt}`, script, { [RESOURCE]: '1' });
    };
    for (let index = 0; index < Number(values.pods); index++) await create(`race-${index}`);
    const done = new Set<string>();
    let [kills, rejected] = [0, 0];
    const deadline = performance.now() + 8 * 60_000;
    while (done.size < Number(values.pods) || kills < Number(values.kills)) {
      if (performance.now() > deadline) throw new Error(`only ${done.size} pods have ended after ${kills} kills`);
      if (kills < Number(values.kills)) {
        await this.#plugin.kill();
        kills += 1;
        this.#plugin.start();
      }
      await sleep(1500);
      for (const { metadata, status } of (await this.#pods.list()).items) {
        if (!metadata.name.startsWith('race-') || !['Succeeded', 'Failed'].includes(status?.phase ?? '')) continue;
        const name = metadata.name.replace(/-\d+$/, '');
        const code = status?.containerStatuses?.[0]?.state?.terminated?.exitCode;
        if (code === 7) throw new Error(`a device was given to ${metadata.name} and to another pod`);
        await this.#pods.delete(metadata.name, { gracePeriodSeconds: 0 });
        if (status?.phase === 'Succeeded') {
          done.add(name);
          // pods come for as long as the plugin is killed
          if (kills < Number(values.kills)) await create(name);
          continue;
        }
        // the scheduler may not have heard yet that the plugin is gone
        if (status?.reason !== 'UnexpectedAdmissionError' && status?.reason !== `OutOf${RESOURCE}`)
          throw new Error(`${metadata.name} failed: ${status?.reason} ${status?.message}, code ${code}`);
        rejected += 1;
        await create(name);
      }
    }
    const all = [...attempts.values()].reduce((sum, each) => sum + each + 1, 0);
    console.log(`      ${all} pods, ${rejected} of them rejected, ${kills} kills`);
    for (const { metadata } of (await this.#pods.list()).items)
      if (metadata.name.startsWith('race-')) await this.#pods.delete(metadata.name, { gracePeriodSeconds: 0 });
    await this.#counts(DEVICES, DEVICES);
  }

  async seesProcessors(): Promise<void> {
    const list = (name: string): string =>
      this.#kubectl('exec', name, '--', 'grep', 'Cpus_allowed_list', '/proc/self/status').split(/\s+/)[1] ?? '';
    await this.#create('shared', 'sleep 3600', {});
    await this.#until('shared', ({ status }) => status?.phase === 'Running');
    const all = list('shared');
    await this.#create('own', 'sleep 3600', { cpu: '1', memory: '64Mi' });
    await this.#until('own', ({ status }) => status?.phase === 'Running');
    const own = list('own');
    same(/^[1-9]\d*$/.test(own), true, `one processor that is not reserved, got "${own}"`);
    await this.#eventually('the others without it', async () =>
      same(numbers(list('shared')).includes(Number(own)), false),
    );
    same(
      numbers(list('shared')),
      numbers(all).filter((cpu) => cpu !== Number(own)),
    );
    await this.#remove('own');
    await this.#eventually('the others with it again', async () => same(list('shared'), all));
    await this.#remove('shared');
  }

  async asksProvider(): Promise<void> {
    const { core, rbac } = this.#client;
    await rbac.v1.clusterroles.create({
      metadata: { name: 'tokens-for-the-registry' },
      rules: [{ verbs: ['request-serviceaccounts-token-audience'], apiGroups: [''], resources: [AUDIENCE] }],
    });
    await rbac.v1.clusterrolebindings.create({
      metadata: { name: 'tokens-for-the-registry' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'tokens-for-the-registry' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
    });
    const accounts = core.v1.serviceaccounts.namespace(NAMESPACE);
    await accounts.create({ metadata: { name: 'builder', annotations: { 'example.com/team': 'a' } } });
    for (const name of ['pull-1', 'pull-2']) {
      await this.#create(name, 'sleep 3600', {}, { serviceAccountName: 'builder', imagePullPolicy: 'Always' });
      await this.#until(name, ({ status }) => status?.phase === 'Running');
    }
    const asked = (await readFile(join(room(), 'asked'), 'utf8')).trim().split('\n');
    // the second pod is answered from what the node remembers; pods without the annotation are not asked for
    same(asked, [`${IMAGE.replace(/:[^:]*$/, '')} ${NAMESPACE}/builder {"example.com/team":"a"}`]);
    await accounts.patch('builder', mergePatch({ metadata: { annotations: { 'example.com/team': null } } }));
    for (const name of ['pull-1', 'pull-2']) await this.#remove(name);
  }

  get #pods(): ReturnType<Client['core']['v1']['pods']['namespace']> {
    return this.#client.core.v1.pods.namespace(NAMESPACE);
  }

  #kubectl(...words: readonly string[]): string {
    const { path = '' } = findPeer('kubectl');
    const { status, stdout, stderr } = spawnSync(path, ['--kubeconfig', this.#cluster.server.kubeconfig, ...words], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`kubectl ${words.join(' ')}: ${stderr}`);
    return stdout;
  }

  async #create(
    name: string,
    script: string,
    limits: Readonly<Record<string, string>>,
    {
      serviceAccountName = 'default',
      imagePullPolicy = 'IfNotPresent',
    }: { readonly serviceAccountName?: string; readonly imagePullPolicy?: 'Always' | 'IfNotPresent' } = {},
  ): Promise<void> {
    const container = {
      name: 'main',
      image: IMAGE,
      imagePullPolicy,
      command: ['sh', '-c', script],
      resources: { limits },
    };
    await this.#pods.create({
      metadata: { name },
      spec: {
        ...{ serviceAccountName, restartPolicy: 'Never', terminationGracePeriodSeconds: 0 },
        containers: [container],
      },
    });
  }

  #until(name: string, holds: (pod: Observed<Pod>) => boolean): Promise<void> {
    return this.#eventually(`pod ${name}`, async () => {
      const pod = await this.#pods.get(name);
      if (!holds(pod)) throw new Error(`it is ${pod.status?.phase}: ${pod.status?.message ?? ''}`);
    });
  }

  async #remove(name: string): Promise<void> {
    await this.#pods.delete(name);
    await this.#eventually(`no pod ${name}`, async () => {
      if ((await this.#pods.list()).items.some(({ metadata }) => metadata.name === name))
        throw new Error('it is there');
    });
  }

  #counts(capacity: number, allocatable: number): Promise<void> {
    return this.#eventually(`${allocatable} of ${capacity} devices`, async () => {
      const { status } = await this.#client.core.v1.nodes.get(this.#cluster.node.name);
      same([status?.capacity?.[RESOURCE], status?.allocatable?.[RESOURCE]], [String(capacity), String(allocatable)]);
    });
  }

  #eventually(what: string, attempt: () => Promise<void>): Promise<void> {
    return eventually(attempt, { what, limitMs: WAIT_MS });
  }
}

function numbers(list: string): readonly number[] {
  return list.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

function same(given: unknown, wanted: unknown, what = 'a value'): void {
  if (JSON.stringify(given) !== JSON.stringify(wanted))
    throw new Error(`${what} should be ${JSON.stringify(wanted)}, got ${JSON.stringify(given)}`);
}

process.exitCode = await main();
