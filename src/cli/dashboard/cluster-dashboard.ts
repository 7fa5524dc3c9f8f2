import type { Clock, Logger, Random } from '../../base/index.ts';
import type { ClusterConnection } from '../../client/index.ts';
import type { Cluster } from '../../cluster/index.ts';
import type { Dashboard } from '../../dashboard/index.ts';
import type { HistoryLimits } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { type FlagDefinitions, type Flags, grouped } from '../flags.ts';
import { historyFlags, historySettings, LOOPBACK, newKey, openDashboard } from './dashboard-flags.ts';
import { pageFolder } from './page-folder.ts';

/** Flags of the dashboard that `keelson up` serves. */
export const upDashboardFlags: FlagDefinitions = {
  ...grouped('Dashboard', {
    dashboard: { type: 'boolean', default: true, help: 'Serve a dashboard on loopback, whose address is printed' },
    'dashboard-port': {
      type: 'string',
      value: 'N',
      help: 'Port of the dashboard; 0 takes any free port (default 6464 if it is free)',
    },
  }),
  ...historyFlags,
};

/** As kube-apiserver compacts etcd: older lists and watches of clients expire, dashboard or not. */
const SERVED_MS = 5 * 60_000;

/** How long the store keeps what was, for the dashboard to show. Its bytes are limited whatever the time. */
export function keptPast(flags: Flags): Pick<HistoryLimits, 'keepFor' | 'serveFor'> {
  if (!flags.isSet('dashboard')) return {};
  return { keepFor: Math.max(SERVED_MS, historySettings(flags).keepMs), serveFor: SERVED_MS };
}

export interface ClusterDashboardOptions {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly context: Pick<CommandContext, 'printError'>;
}

/** The dashboard of a cluster in this process, which acts as its administrator. */
export const ClusterDashboard = {
  /** Opens it, unless the flags turn it off. */
  async open(
    { plane }: Pick<Cluster, 'plane'>,
    flags: Flags,
    { name, clock, random, log }: ClusterDashboardOptions,
  ): Promise<Dashboard | undefined> {
    if (!flags.isSet('dashboard')) return undefined;
    const { server, certificateAuthority } = plane.access;
    const connection: ClusterConnection = {
      server,
      certificateAuthority: { pem: certificateAuthority },
      credentials: {
        // the certificate is renewed while the cluster runs
        current: async () => {
          const { certificate, privateKey } = plane.access.client;
          return { certificate: { certificate, key: privateKey } };
        },
        renew: async () => false,
      },
    };
    const settings = {
      connection,
      clusterName: name,
      key: newKey(random),
      pageFolder: pageFolder(),
      history: historySettings(flags),
      clock,
      random,
      log,
    };
    return openDashboard(settings, flags, { host: LOOPBACK, flag: 'dashboard-port' });
  },
};
