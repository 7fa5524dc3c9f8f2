import type { OptionsOf, ProgramEntry } from './program.ts';

/**
 * The programs that run beside the API server, in the order in which a cluster starts them. Each is one folder and one line here:
 * `keelson up`, the command line, the reference of flags and the roles of a cluster follow from it.
 */
export const programs = [
  {
    command: 'controller-manager',
    summary: "Run the controllers alone, with kube-controller-manager's flags",
    load: () => import('./controller-manager/program.ts'),
  },
  {
    command: 'scheduler',
    summary: "Run the scheduler alone, with kube-scheduler's flags and configuration file",
    load: () => import('./scheduler/program.ts'),
  },
  { summary: 'Publish devices of the simulated nodes', load: () => import('./simulated-devices/program.ts') },
  {
    command: 'kubelet',
    summary: 'Run this machine as a node with real containers, on any API server',
    load: () => import('./machine-node/program.ts'),
  },
  {
    command: 'proxy',
    summary: "Forward Services on this machine, with kube-proxy's flags and configuration file",
    load: () => import('./proxy/program.ts'),
  },
  {
    command: 'dns',
    summary: "Answer DNS questions about a cluster's services and pods, on any API server",
    load: () => import('./dns/program.ts'),
  },
  {
    command: 'network-policy',
    summary: 'Enforce NetworkPolicies on this machine, a node of any cluster',
    load: () => import('./network-policy/program.ts'),
  },
  {
    command: 'csi-controller',
    summary: 'Provision, attach, expand, modify and snapshot volumes of CSI drivers, in place of their sidecars',
    load: () => import('./csi-controller/program.ts'),
  },
  {
    command: 'local-storage',
    summary: "Give claims folders of this machine's disk, a node of any cluster",
    load: () => import('./local-storage/program.ts'),
  },
  {
    command: 'node',
    summary: 'Run simulated nodes alone, on any API server',
    load: () => import('./kubelet/program.ts'),
  },
  {
    command: 'cri',
    summary: 'Serve simulated containers to a kubelet, as a container runtime on a unix socket',
    load: () => import('./cri/program.ts'),
  },
] as const satisfies readonly ProgramEntry[];

/** What runs beside the API server. */
export type WorkloadOptions = OptionsOf<typeof programs>;
