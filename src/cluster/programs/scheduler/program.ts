import type { Program } from '../program.ts';
import type { SchedulingOptions } from './options.ts';
import { schedulerFlags } from './upstream-flags.ts';

const GROUP = 'Scheduling';

/** The scheduler. */
export const program: Program<SchedulingOptions> = {
  name: 'kube-scheduler',
  isOnePerCluster: true,
  port: 10_259,
  flags: {
    inCluster: {
      scheduler: {
        type: 'boolean',
        default: true,
        group: GROUP,
        help: 'Run the scheduler; =none leaves that to another program',
      },
      'scheduler-config': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: "kube-scheduler's configuration file with profiles, plugins and extenders",
      },
    },
    standalone: {
      config: {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'A KubeSchedulerConfiguration; of the other flags, only those of leader election count beside it',
      },
      'write-config-to': {
        type: 'string',
        value: 'FILE',
        group: GROUP,
        help: 'Write the configuration with all defaults, and exit',
      },
      'kube-api-qps': {
        type: 'string',
        value: 'RATE',
        group: 'Connection',
        help: 'Max requests a second; negative for no limit (default 50)',
      },
      'kube-api-burst': {
        type: 'string',
        value: 'N',
        group: 'Connection',
        help: 'Requests at once, above --kube-api-qps (default 100)',
      },
      'pod-max-in-unschedulable-pods-duration': {
        type: 'string',
        value: 'DURATION',
        default: '5m',
        group: GROUP,
        help: 'An unschedulable pod is tried again after this time, even if nothing has changed',
      },
    },
    upstream: schedulerFlags,
  },
  help: {
    common: {
      Scheduling: ['kubeconfig', 'config', 'write-config-to', 'leader-elect'],
      'Serving and logs': ['secure-port', 'bind-address', 'v'],
    },
    examples: [
      ['keelson scheduler --kubeconfig admin.conf', 'the default profile on a cluster'],
      ['keelson scheduler --write-config-to scheduler.yaml', 'a configuration file to begin with'],
    ],
  },
  isWanted: ({ scheduler = true }) => scheduler !== false,
  async load() {
    const [{ schedulerInCluster, schedulingOf }, { standaloneScheduler }] = await Promise.all([
      import('./scheduler-in-cluster.ts'),
      import('./standalone-scheduler.ts'),
    ]);
    return { readFlags: schedulingOf, inCluster: schedulerInCluster, standalone: standaloneScheduler };
  },
};
