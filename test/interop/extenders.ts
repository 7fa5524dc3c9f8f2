import { writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { COUNT, GPU, gpuExtender, MODEL } from '../../examples/gpu-extender/gpu-extender.ts';
import { Daemon, findPeers, freePorts, type RunningServer, startKeelson, startKube } from '../../peers/index.ts';
import { type Client, connect, mergePatch } from '../../src/client/index.ts';
import { KUBERNETES_VERSION } from '../../src/cluster/index.ts';
import { app, extensionServer } from '../../src/kit/index.ts';
import { type ClientReport, runSteps } from './outcome.ts';
import { build, whyMissing } from './toolchain.ts';
import { eventually, expectSame, type Trial } from './trial.ts';

const STEP_LIMIT_MS = 60_000;
const BUILD_LIMIT_MS = 10 * 60_000;
const ROOT = resolve(import.meta.dirname, '..', '..');
const PROGRAMS = join(import.meta.dirname, 'programs');
const cacheFolder = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const CACHE = process.env['KEELSON_INTEROP'] ?? join(cacheFolder, 'keelson', 'interop');
const NODES: Readonly<Record<string, Record<string, string>>> = {
  n1: { [COUNT]: '4', [MODEL]: 'a100', tier: 'gold', rank: '1' },
  n2: { [COUNT]: '2', [MODEL]: 'a100', tier: 'gold', rank: '9' },
  n3: { [COUNT]: '8', [MODEL]: 'h100', tier: 'tin', rank: '10' },
};

/** Extenders of ours behind the real kube-scheduler, extenders of others behind ours, and both schedulers beside each other. */
export const extendersTrial: Trial = {
  subject: 'Extenders and several schedulers',
  version: KUBERNETES_VERSION,
  whyNot() {
    const found = findPeers(['kube-scheduler']);
    if (found.paths === undefined) return found.reason;
    return whyMissing('go', ['version']) ?? whyMissing('python3');
  },
  async try(serverName, { bundle }) {
    const disabled = '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition';
    await using server =
      serverName === 'kube'
        ? await startKube({ apiserverFlags: [disabled] })
        : await startKeelson({ bundle, flags: ['--controllers=false', '--scheduler=none', '--nodes=0', disabled] });
    await using client = await connect({ kubeconfig: server.kubeconfig, userAgent: 'interop' });
    return await new Extenders(server, client).run();
  },
};

interface Wish {
  readonly annotations?: Record<string, string>;
  readonly gpus?: number;
  readonly schedulerName?: string;
}

class Extenders {
  readonly #server: RunningServer;
  readonly #client: Client;
  #count = 0;

  constructor(server: RunningServer, client: Client) {
    this.#server = server;
    this.#client = client;
  }

  async run(): Promise<ClientReport> {
    const gpu = gpuExtender();
    const server = extensionServer({ handlers: gpu.routes });
    const stop = new AbortController();
    const running = app('gpu-extender', [gpu], { server }).run(this.#client, stop.signal);
    const configured = async (): Promise<object[]> => [gpu.configuration(await server.clientConfig(''))];
    const steps: Parameters<typeof runSteps>[0] = {
      nodes: () => this.#createNodes(),
      "Keelson's extender behind kube-scheduler": async (signal) => {
        await using _scheduler = await this.#kubeScheduler(await configured());
        await this.#placeGpus(signal);
      },
      "Keelson's extender behind Keelson's scheduler": async (signal) => {
        await using _scheduler = await this.#keelsonScheduler(await configured());
        await this.#placeGpus(signal);
      },
      "a Go extender behind Keelson's scheduler": async (signal) => {
        const [port = 0] = await freePorts(1);
        await using _extender = await this.#goExtender(port);
        const verbs = { filterVerb: 'filter', prioritizeVerb: 'prioritize', weight: 100 };
        await using _scheduler = await this.#keelsonScheduler([{ urlPrefix: `http://127.0.0.1:${port}`, ...verbs }]);
        expectSame(await this.#place({}, signal), 'n2');
      },
      "a Python extender behind Keelson's scheduler": async (signal) => {
        const [port = 0] = await freePorts(1);
        const script = join(PROGRAMS, 'python', 'scheduler_extender.py');
        const { url, token } = this.#server;
        await using _extender = this.#daemon('extender', ['python3', '-B', script, String(port), url, token]);
        const verbs = { filterVerb: 'filter', prioritizeVerb: 'prioritize', bindVerb: 'bind', weight: 100 };
        const extender = { urlPrefix: `http://127.0.0.1:${port}`, nodeCacheCapable: true, ...verbs };
        await using _scheduler = await this.#keelsonScheduler([extender]);
        expectSame(await this.#place({}, signal), 'n2');
      },
      'both schedulers beside each other': async (signal) => {
        await using _theirs = await this.#kubeScheduler([], { schedulerName: 'theirs', resourceName: 'theirs' });
        await using _ours = await this.#keelsonScheduler([], { schedulerName: 'ours', resourceName: 'ours' });
        for (const schedulerName of ['theirs', 'ours', 'theirs', 'ours']) {
          const node = await this.#place({ schedulerName }, signal);
          if (NODES[node] === undefined) throw new Error(`the pod of ${schedulerName} is on "${node}"`);
        }
      },
    };
    try {
      return { version: KUBERNETES_VERSION, outcomes: await runSteps(steps, STEP_LIMIT_MS) };
    } finally {
      stop.abort();
      await running;
    }
  }

  async #createNodes(): Promise<void> {
    const { nodes } = this.#client.core.v1;
    const allocatable = { cpu: '32', memory: '64Gi', pods: '100' };
    for (const [name, labels] of Object.entries(NODES)) {
      await nodes.create({ metadata: { name, labels } });
      await nodes.status.patch(name, mergePatch({ status: { allocatable, capacity: allocatable } }));
    }
  }

  /** One GPU fits best on n2; then n2 is full for two more; n3 is of another model; and no node has nine. */
  async #placeGpus(signal: AbortSignal): Promise<void> {
    const a100 = { annotations: { [MODEL]: 'a100' } };
    expectSame(await this.#place({ gpus: 1, ...a100 }, signal), 'n2');
    expectSame(await this.#place({ gpus: 2, ...a100 }, signal), 'n1');
    expectSame(await this.#place({ gpus: 8 }, signal), 'n3');
    const why = await this.#place({ gpus: 9, ...a100 }, signal);
    const wanted = '0/3 nodes are available: 1 node(s) had another model of GPU, 2 Insufficient GPUs.';
    if (!why.startsWith(wanted)) throw new Error(why);
    await this.#client.core.v1.pods.namespace('default').deleteCollection({ gracePeriodSeconds: 0 });
  }

  /** The node that a new pod gets, or why it gets none. */
  async #place({ annotations = {}, gpus = 0, schedulerName }: Wish, signal: AbortSignal): Promise<string> {
    const name = `pod-${++this.#count}`;
    const pods = this.#client.core.v1.pods.namespace('default');
    const requests: Record<string, string> = gpus === 0 ? {} : { [GPU]: String(gpus) };
    const containers = [{ name: 'main', image: 'image', resources: { requests, limits: requests } }];
    await pods.create({ metadata: { name, annotations }, spec: { containers, schedulerName } });
    let found = '';
    await eventually(signal, async () => {
      const { spec, status } = await pods.get(name);
      const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
      found = spec?.nodeName ?? condition?.message ?? '';
      if (found === '') throw new Error(`no scheduler has looked at ${name}`);
    });
    return found;
  }

  async #kubeScheduler(extenders: readonly object[], profile?: Profile): Promise<Daemon> {
    const path = findPeers(['kube-scheduler']).paths?.['kube-scheduler'] ?? '';
    const config = await this.#configuration('kube-scheduler', extenders, profile);
    return this.#daemon('kube-scheduler', [path, '--config', config, '--secure-port=0']);
  }

  async #keelsonScheduler(extenders: readonly object[], profile?: Profile): Promise<Daemon> {
    const program = [process.execPath, join(ROOT, 'scripts', 'run.mjs'), join(ROOT, 'src', 'cli', 'main.ts')];
    const config = await this.#configuration('keelson-scheduler', extenders, profile);
    return this.#daemon('keelson-scheduler', [...program, 'scheduler', '--config', config, '--secure-port=0']);
  }

  async #configuration(name: string, extenders: readonly object[], profile?: Profile): Promise<string> {
    const path = join(this.#server.folder, `${name}.json`);
    const { schedulerName = 'default-scheduler', resourceName = 'kube-scheduler' } = profile ?? {};
    const configuration = {
      apiVersion: 'kubescheduler.config.k8s.io/v1',
      kind: 'KubeSchedulerConfiguration',
      clientConnection: { kubeconfig: this.#server.kubeconfig },
      leaderElection: { leaderElect: true, resourceName, leaseDuration: '3s', renewDeadline: '2s', retryPeriod: '1s' },
      profiles: [{ schedulerName }],
      extenders,
    };
    await writeFile(path, JSON.stringify(configuration));
    return path;
  }

  async #goExtender(port: number): Promise<Daemon> {
    const program = join(CACHE, 'go', 'schedulerextender');
    const command = ['go', 'build', '-p', '1', '-o', program, './schedulerextender'];
    await build(command, { cwd: join(PROGRAMS, 'go'), limitMs: BUILD_LIMIT_MS });
    return this.#daemon('extender', [program, String(port)]);
  }

  #daemon(name: string, [program = '', ...args]: readonly string[]): Daemon {
    return new Daemon(program, args, { logPath: join(this.#server.folder, `${name}.log`) });
  }
}

interface Profile {
  readonly schedulerName: string;
  /** The lease of its leader election. */
  readonly resourceName: string;
}
