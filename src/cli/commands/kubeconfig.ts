import { CryptoRandom, RealClock } from '../../base/index.ts';
import { defaultKubeconfigPath, KubeconfigContext, kubeconfigText } from '../../cluster/index.ts';
import { type Command, type CommandContext, UsageError } from '../command.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { type RunningCluster, RunningClusters } from '../running/running-clusters.ts';
import { defaultDataFolder } from './log-flags.ts';

const definitions: FlagDefinitions = {
  name: { type: 'string', value: 'NAME', help: 'The context of the cluster (default: the only one that runs)' },
  port: { type: 'string', value: 'N', help: 'The port of the cluster, when several have the same name' },
  merge: { type: 'boolean', help: 'Merge it into your kubeconfig and make it current, instead of printing it' },
  'kubeconfig-out': { type: 'string', value: 'FILE', help: 'Merge it into this file instead of yours' },
};

/** `keelson kubeconfig`: the kubeconfig of a cluster that runs. */
export const kubeconfigCommand: Command = {
  usage: `Usage: keelson kubeconfig [FLAGS]

  keelson kubeconfig > cluster.yaml      the kubeconfig of the cluster that runs
  keelson kubeconfig --name dev --merge  point kubectl at the cluster "dev" again

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const clusters = new RunningClusters(defaultDataFolder(context.environment));
    const cluster = chosen(await clusters.list(), flags);
    if (!flags.isSet('merge') && !flags.has('kubeconfig-out')) {
      context.print(kubeconfigText({ ...cluster.access, name: cluster.name }).trimEnd());
      return;
    }
    const path = flags.text('kubeconfig-out') ?? defaultKubeconfigPath(context.environment);
    await merge(cluster, { path, clusters, context });
  },
};

function chosen(running: readonly RunningCluster[], flags: Flags): RunningCluster {
  const name = flags.text('name');
  const port = flags.integer('port', { min: 1, max: 65_535 });
  const found = running.filter(
    (each) =>
      (name === undefined || each.name === name) &&
      (port === undefined || new URL(each.access.server).port === String(port)),
  );
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  const list = running
    .map((each) => `\n  ${each.name}  ${each.access.server}  process ${each.pid}: ${each.command}`)
    .join('');
  if (running.length === 0) throw new Error('Cannot find a cluster: none runs; `keelson up` starts one');
  if (first === undefined) throw new Error(`Cannot find a cluster of that name or port; these run:${list}`);
  throw new Error(`Cannot choose a cluster: --name or --port must name one of those that run:${list}`);
}

interface Merging {
  readonly path: string;
  readonly clusters: RunningClusters;
  readonly context: CommandContext;
}

async function merge(cluster: RunningCluster, { path, clusters, context }: Merging): Promise<void> {
  const { name, pid, isEphemeral, access } = cluster;
  const options = { clock: new RealClock(), random: new CryptoRandom(), isEphemeral, pid };
  const written = await KubeconfigContext.write(path, { ...access, name }, options);
  const known = (await clusters.find(pid)) ?? cluster;
  const others = known.merged.filter((each) => each.path !== path || each.name !== written.name);
  await clusters.note({ ...known, merged: [...others, { path, name: written.name }] });
  const reason = written.isRenamed ? ` ("${name}" is another cluster's)` : '';
  context.print(`kubectl is pointed at ${access.server}; kubeconfig ${path}, context ${written.name}${reason}`);
}
