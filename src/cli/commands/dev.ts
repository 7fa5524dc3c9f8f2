import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseRuntimeConfig } from '../../api/index.ts';
import {
  aborted,
  type Clock,
  CryptoRandom,
  formatWithStack,
  LineLogger,
  type Random,
  RealClock,
} from '../../base/index.ts';
import { type Cluster, kubeconfigText, launchCluster } from '../../cluster/index.ts';
import { kubernetesVersionFlags, kubernetesVersionOf } from '../../cluster/programs/apiserver/index.ts';
import { type Command, type CommandContext } from '../command.ts';
import { findEntry } from '../definitions/find-entry.ts';
import { AppProcess } from '../dev/app-process.ts';
import { type DeployedApp, deployedImages, keepDeployed } from '../dev/deployed-app.ts';
import { SourceFiles } from '../dev/source-files.ts';
import { TypeErrors } from '../dev/type-errors.ts';
import { webhookLines } from '../dev/webhook-calls.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { KubectlContext } from '../running/kubectl-context.ts';
import { plain } from '../paint.ts';
import { projectOf } from '../manifests/settings.ts';

const definitions: FlagDefinitions = {
  'data-dir': {
    type: 'string',
    value: 'DIR',
    help: 'Folder of the cluster (default: in memory, for as long as this runs)',
  },
  port: { type: 'string', value: 'N', default: '0', help: 'Port of the API server; 0 takes any free port' },
  nodes: { type: 'string', value: 'N', default: '1', help: 'Number of simulated nodes' },
  name: { type: 'string', value: 'NAME', default: 'keelson-dev', help: 'Name of the cluster in the kubeconfig' },
  'kubeconfig-out': {
    type: 'string',
    value: 'FILE',
    help: 'Write the kubeconfig there instead of merging it into yours',
  },
  ...kubernetesVersionFlags,
  deployed: {
    type: 'boolean',
    help: 'Deploy the app as keelson manifests does: it runs as a Deployment with its own account and roles',
  },
  call: {
    type: 'string',
    value: 'NAME',
    help: 'The exported function that makes the app, when the module runs and exports none',
  },
};

/** `keelson dev`: a cluster with the user's app, which is loaded again when its files change. */
export const devCommand: Command = {
  usage: `Usage: keelson dev [FILE] [FLAGS]

  keelson dev                 the app of main.ts, src/main.ts, main.js or src/main.js
  keelson dev operator.ts     the app that a module gives to run(), or exports
  keelson dev --deployed      the same app in a pod, as a process of this machine with the rights of its account

kubectl is pointed at the cluster, which stays as it is while the app comes and goes. Ctrl-C stops both.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    const file = findEntry(flags.positionals);
    const folder = await mkdtemp(join(tmpdir(), 'keelson-dev-'));
    try {
      const deployed = flags.isSet('deployed')
        ? { file, call: flags.text('call'), program: builtProgram(context) }
        : undefined;
      const clock = new RealClock();
      const started = clock.monotonic();
      const random = new CryptoRandom();
      await using cluster = await openCluster(flags, context, { clock, random, deployed });
      await using kubectl = await KubectlContext.open(cluster.plane, {
        kubeconfig: flags.text('kubeconfig-out'),
        isEphemeral: !flags.has('data-dir'),
        command: ['keelson dev', ...args].join(' '),
        clock,
        random,
        context,
      });
      await cluster.nodesReady(context.signal);
      const ms = Math.round(clock.monotonic() - started);
      const { paint = plain } = context;
      context.print(
        `cluster ${paint('green', 'ready')} at ${cluster.plane.access.server} in ${ms} ms; ${kubectl.description}`,
      );
      const kubeconfig = join(folder, 'kubeconfig'); // for this cluster only: the app must never run on another one
      await writeFile(kubeconfig, kubeconfigText(cluster.plane.access), { mode: 0o600 });
      const showing = showWebhooks(cluster, context);
      using _types = new TypeErrors(projectOf(file).folder, {
        clock,
        node: builtProgram(context).node,
        cache: folder,
        print: context.printError,
      });
      const running =
        deployed === undefined
          ? keepRunning(file, { kubeconfig, call: flags.text('call'), context })
          : keepDeployed(deployed, { cluster, clock, context });
      await Promise.race([running, cluster.running]);
      await showing;
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

interface Given {
  readonly clock: Clock;
  readonly random: Random;
  readonly deployed: DeployedApp | undefined;
}

function openCluster(flags: Flags, context: CommandContext, { clock, random, deployed }: Given): Promise<Cluster> {
  const data = flags.text('data-dir');
  const log = new LineLogger({
    clock,
    level: 'error',
    format: formatWithStack,
    write: (line) => context.printError(line.trimEnd()),
  });
  return launchCluster({
    name: flags.text('name') ?? 'keelson-dev',
    storage: data === undefined ? { type: 'memory' } : { type: 'durable', folder: join(data, 'store') },
    serving: {
      listen: { host: '127.0.0.1', port: flags.integer('port', { min: 0, max: 65_535 }) ?? 0 },
      ...(data === undefined ? {} : { pkiFolder: join(data, 'pki') }),
    },
    nodes: flags.integer('nodes', { min: deployed === undefined ? 0 : 1, max: 10_000 }) ?? 1,
    ...(deployed === undefined ? {} : { runImages: deployedImages(deployed, context.print) }),
    serviceCidrs: ['10.96.0.0/16'],
    kubernetesVersion: kubernetesVersionOf(flags),
    runtimeConfig: parseRuntimeConfig(),
    tracing: { tracedRequests: TRACED_REQUESTS },
    admission: { devWebhooks: true },
    clock,
    random,
    log,
    signal: context.signal,
  });
}

const TRACED_REQUESTS = 500;
const MAX_WAIT_MS = 60_000;

/** Shows calls of webhooks, which the server reports. */
async function showWebhooks(cluster: Cluster, { signal, print, paint }: CommandContext): Promise<void> {
  const { recent } = cluster.plane.server.traces;
  let after = recent.list().at(-1)?.id ?? '0';
  while (!signal.aborted) {
    const next = await recent.next(after, { waitMs: MAX_WAIT_MS, signal });
    after = next.at(-1)?.id ?? after;
    for (const line of next.flatMap((request) => webhookLines(request, paint))) print(line);
  }
}

interface Running {
  readonly kubeconfig: string;
  readonly call: string | undefined;
  readonly context: CommandContext;
}

/** What starts this program again, for the app. */
function builtProgram({ program }: CommandContext): NonNullable<CommandContext['program']> {
  if (program !== undefined && !program.file.endsWith('.ts')) return program;
  throw new Error('Cannot start the app: only the built program can be started');
}

/** Runs the app, and restarts it when a source file changes, until this program stops. */
async function keepRunning(file: string, { kubeconfig, call, context }: Running): Promise<void> {
  const { signal, environment, print, printError } = context;
  const program = builtProgram(context);
  const clock = new RealClock();
  const { folder } = projectOf(file);
  let changed = new AbortController();
  const onChange = (path: string): void => {
    print(`\n${relative(folder, path)} has changed`);
    changed.abort();
  };
  using _sources = new SourceFiles(folder, { clock, onChange });
  const args = [file, ...(call === undefined ? [] : [`--call=${call}`])];
  while (!signal.aborted) {
    changed = new AbortController();
    const app = new AppProcess({ program, args, clock, environment: { ...environment, KUBECONFIG: kubeconfig } });
    const next = aborted(AbortSignal.any([signal, changed.signal]));
    const ending = await Promise.race([app.ended, next]);
    if (typeof ending === 'string' && !signal.aborted)
      printError(`the app ${ending}; the cluster keeps running, and the next change of a file starts the app again`);
    await next;
    await app.stop();
  }
}
