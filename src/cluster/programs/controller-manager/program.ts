import type { FlagDefinitions } from '../flag.ts';
import { grouped } from '../flag.ts';
import type { Program } from '../program.ts';
import { controllerFlags } from './controller-flags.ts';
import type { ControllersOptions } from './options.ts';
import { controllerManagerFlags } from './upstream-flags.ts';

const inCluster: FlagDefinitions = {
  controllers: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    group: 'Controllers',
    help: "Controllers to run, as kube-controller-manager's: *, name, -name; false runs none (default *)",
  },
  'simulated-storage': {
    type: 'boolean',
    default: true,
    group: 'Nodes',
    help: 'Have a default storage class for the simulated nodes, whose claims get volumes',
  },
};

const standalone: FlagDefinitions = grouped('Controllers', {
  controllers: {
    type: 'string',
    multiple: true,
    value: 'LIST',
    help: 'Controllers to run: * for all that are on by default, a name, or -name to leave one out (default *)',
  },
  'use-service-account-credentials': {
    type: 'boolean',
    default: false,
    help: 'Each controller acts as its service account in kube-system',
  },
  'root-ca-file': {
    type: 'string',
    value: 'FILE',
    help: 'Authorities that pods trust (default: those of the kubeconfig)',
  },
  'service-account-private-key-file': {
    type: 'string',
    value: 'FILE',
    help: 'Key that signs tokens for Secrets (default: none are made)',
  },
  'cluster-signing-cert-file': {
    type: 'string',
    value: 'FILE',
    help: 'Authority that signs requested certificates (default: none are signed)',
  },
  'cluster-signing-key-file': { type: 'string', value: 'FILE', help: 'Key of --cluster-signing-cert-file' },
});

/** The built-in controllers. */
export const program: Program<ControllersOptions> = {
  name: 'kube-controller-manager',
  isOnePerCluster: true,
  port: 10_257,
  flags: { shared: controllerFlags, inCluster, standalone, upstream: controllerManagerFlags },
  help: {
    common: {
      Controllers: ['kubeconfig', 'controllers', 'use-service-account-credentials', 'leader-elect'],
      'Keys and certificates': ['root-ca-file', 'service-account-private-key-file', 'cluster-signing-cert-file'],
      'Serving and logs': ['secure-port', 'bind-address', 'v'],
    },
    examples: [
      ['keelson controller-manager --kubeconfig admin.conf', 'all controllers on a cluster'],
      ["keelson controller-manager --controllers='*,-job'", 'all but one'],
    ],
  },
  isWanted: ({ controllers = true }) => controllers !== false,
  async load() {
    const [{ controllersInCluster, simulatedStorageObjects }, flags] = await Promise.all([
      import('./controllers-in-cluster.ts'),
      import('./read-flags.ts'),
    ]);
    return {
      readFlags: flags.controllersOf,
      bootstrapObjects: simulatedStorageObjects,
      inCluster: controllersInCluster,
      standalone: flags.standaloneControllers,
    };
  },
};
