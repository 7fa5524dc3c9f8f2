import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aborted, RealClock } from '../../base/index.ts';
import { kubernetesVersionFlags, kubernetesVersionOf } from '../../cluster/programs/apiserver/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { askForCluster, type OpenCluster } from '../shared/ask-for-cluster.ts';
import type { ClusterRequest } from '../shared/requests.ts';
import { runToEnd } from '../shared/run-to-end.ts';
import { sharedFolder } from '../shared/shared-folder.ts';

const definitions: FlagDefinitions = {
  nodes: { type: 'string', value: 'N', default: '1', help: 'Number of simulated nodes' },
  controllers: {
    type: 'string',
    value: 'NAME,…',
    default: '*',
    help: 'Which controllers run: * for all, NAME for one, -NAME for all but that; none for none',
  },
  scheduler: { type: 'boolean', default: true, help: 'Run the scheduler' },
  ...kubernetesVersionFlags,
  'runtime-config': {
    type: 'string',
    multiple: true,
    value: 'KEY=BOOL,…',
    help: 'Turn APIs on or off: api/all, GROUP/VERSION, …',
  },
  'enable-admission-plugins': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Additional admission plugins to run',
  },
  'disable-admission-plugins': {
    type: 'string',
    multiple: true,
    value: 'NAME,…',
    help: 'Admission plugins not to run',
  },
  share: {
    type: 'boolean',
    default: true,
    help: 'Run the clusters of parallel commands in one process, which stays for --idle',
  },
  idle: {
    type: 'string',
    value: 'DURATION',
    default: '30s',
    help: 'How long that process stays without a command',
  },
};

/** `keelson test-env`: runs a command with a cluster. */
export const testEnvCommand: Command = {
  usage: `Usage: keelson test-env [FLAGS] [-- COMMAND…]

  keelson test-env -- pytest
  keelson test-env --nodes 3 -- kubectl get nodes

The command finds its cluster by KUBECONFIG, and its exit code is passed on. With no command, the path of the kubeconfig is
printed, and the cluster is there until the standard input ends: for programs that start clusters for their tests.

${describeFlags(definitions)}`,
  async run(args, context) {
    const end = args.indexOf('--');
    const flags = new Flags(end < 0 ? args : args.slice(0, end), definitions);
    const command = end < 0 ? undefined : args.slice(end + 1);
    if (flags.positionals.length > 0)
      throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}": the command goes after --`);
    if (command?.length === 0) throw new UsageError('which command?');
    const folder = await mkdtemp(join(tmpdir(), 'keelson-test-env-'));
    try {
      using cluster = await openCluster(flags, folder, context);
      const kubeconfig = join(folder, 'kubeconfig');
      await writeFile(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
      if (command === undefined) return await holdOpen(kubeconfig, cluster, context);
      return await runToEnd(command, variables(kubeconfig, context), context);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

/** The environment variables of the command: for all clients, and for controller-runtime's envtest. */
function variables(kubeconfig: string, { environment }: CommandContext): Readonly<Record<string, string>> {
  return { KUBECONFIG: kubeconfig, USE_EXISTING_CLUSTER: environment['USE_EXISTING_CLUSTER'] ?? 'true' };
}

async function openCluster(flags: Flags, own: string, context: CommandContext): Promise<OpenCluster> {
  const { program, environment, signal } = context;
  if (program === undefined || program.file.endsWith('.ts'))
    throw new Error('Cannot start the server of test clusters: only the built program can be started');
  const isShared = flags.isSet('share');
  return askForCluster(requestOf(flags), {
    program,
    folder: isShared ? await sharedFolder(program, environment) : own,
    idle: isShared ? (flags.text('idle') ?? '') : '0s',
    clock: new RealClock(),
    signal,
  });
}

function requestOf(flags: Flags): ClusterRequest {
  const controllers = flags.text('controllers') ?? '';
  return {
    type: 'cluster',
    nodes: flags.integer('nodes', { min: 0, max: 10_000 }) ?? 1,
    controllers: ['none', 'false'].includes(controllers) ? '' : controllers === 'true' ? '*' : controllers,
    scheduler: flags.isSet('scheduler'),
    kubernetesVersion: kubernetesVersionOf(flags),
    runtimeConfig: flags.list('runtime-config'),
    enableAdmission: flags.list('enable-admission-plugins'),
    disableAdmission: flags.list('disable-admission-plugins'),
  };
}

async function holdOpen(kubeconfig: string, cluster: OpenCluster, context: CommandContext): Promise<number> {
  context.print(kubeconfig);
  process.stdin.resume();
  const how = await Promise.race([
    aborted(context.signal).then(() => 'stopped'),
    once(process.stdin, 'end').then(() => 'stopped'),
    cluster.closed.then(() => 'lost'),
  ]);
  process.stdin.destroy();
  if (how === 'stopped') return 0;
  context.printError('keelson test-env: the cluster is gone: its server has ended');
  return 1;
}
