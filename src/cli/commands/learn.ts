import { aborted, CryptoRandom, RealClock } from '../../base/index.ts';
import { type Command, UsageError } from '../command.ts';
import { historyFlags, historySettings, LOOPBACK, newKey, openDashboard } from '../dashboard/dashboard-flags.ts';
import { pageFolder } from '../dashboard/page-folder.ts';
import { describeFlags, type FlagDefinitions, Flags } from '../flags.ts';
import { LearnCluster } from '../learn/learn-cluster.ts';
import { walks } from '../learn/walks/index.ts';
import { logLevelOf, logOf } from './log-flags.ts';

const definitions: FlagDefinitions = {
  port: {
    type: 'string',
    value: 'N',
    help: 'Port of the dashboard; 0 takes any free port (default 6464 if it is free)',
  },
  ...historyFlags,
  'log-level': { type: 'string', value: 'LEVEL', help: 'Lowest level that is logged: debug, info, warn or error' },
  'logging-format': { type: 'string', value: 'FORMAT', default: 'text', help: 'Format of log lines: text or json' },
};

/** `keelson learn`: a cluster to look at in slow motion, with walks through what Kubernetes does. */
export const learnCommand: Command = {
  usage: `Usage: keelson learn [FLAGS]

Starts a cluster in virtual time, which you can pause and step in the dashboard, with ten short walks through what Kubernetes does.
Open the address that it prints, and type the commands of the walks in another terminal. Nothing is kept when it stops.

${describeFlags(definitions)}`,
  async run(args, context) {
    const flags = new Flags(args, definitions);
    if (flags.positionals.length > 0) throw new UsageError(`unexpected argument "${flags.positionals[0] ?? ''}"`);
    const [clock, random] = [new RealClock(), new CryptoRandom()];
    const log = logOf(flags, context.printError, logLevelOf(flags) ?? 'error');
    const history = historySettings(flags);
    context.print('starting a cluster to learn with');
    await using cluster = await LearnCluster.start({ clock, random, log, signal: context.signal });
    const settings = {
      connection: cluster.connection,
      clusterName: 'learn',
      key: newKey(random),
      pageFolder: pageFolder(),
      history,
      time: cluster.time,
      walks,
      clock,
      random,
      log,
    };
    await using dashboard = await openDashboard(settings, flags, { host: LOOPBACK, flag: 'port' });
    context.print(`open ${dashboard.url}\nand in another terminal:\n  export KUBECONFIG=${cluster.kubeconfig}`);
    await aborted(context.signal);
  },
};
