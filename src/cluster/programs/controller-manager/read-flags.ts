import { chooseControllers, controllerListProblems, type ControllerSettings } from '../../../controllers/index.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { StandaloneProgram, StandaloneTools } from '../program.ts';
import { authorityOf, fileFlag } from '../read-flags.ts';
import { controllerSettings, flexSettings } from './controller-flags.ts';
import { ControllerManager } from './controller-manager.ts';
import type { ControllersOptions } from './options.ts';
import { ServiceAccountClients } from './service-account-clients.ts';

/** What the flags of `keelson up` ask for. */
export function controllersOf(flags: FlagValues): ControllersOptions {
  return {
    controllers: chosenControllers(flags),
    controllerSettings: { ...controllerSettings(flags), ...flexSettings(flags), ...realNodeNetworks(flags) },
    simulatedStorage: flags.isSet('simulated-storage'),
  };
}

/** In a cluster with a real node, nodes get networks for their pods by default: what configures the node's network needs one. */
function realNodeNetworks(flags: FlagValues): Pick<ControllerSettings, 'clusterCidrs' | 'serviceCidrs'> {
  const isWanted = flags.has('container-runtime-endpoint') && flags.isSet('write-cni-config') && !flags.has('pod-cidr');
  if (!isWanted || flags.has('allocate-node-cidrs')) return {};
  const asked = flags.list('cluster-cidr');
  const standard = flags.has('nodes') ? BESIDE_SIMULATED_NODES : DEFAULT_CLUSTER_CIDR;
  return {
    clusterCidrs: asked.length > 0 ? asked : [standard],
    serviceCidrs: flags.list('service-cluster-ip-range'),
  };
}

const DEFAULT_CLUSTER_CIDR = '10.244.0.0/16';
/** Simulated nodes have ranges of the default network from the start, and others down to 10.128. */
const BESIDE_SIMULATED_NODES = '10.64.0.0/16';

/** All of them, none, or a choice. */
function chosenControllers(flags: FlagValues): ControllersOptions['controllers'] {
  const list = flags.list('controllers');
  if (list.length === 0 || list.join() === 'true') return true;
  if (list.join() === 'false') return false;
  checkList(list);
  return (builtIn) => chooseControllers(builtIn, list);
}

/** `keelson controller-manager`. */
export async function standaloneControllers(flags: FlagValues, tools: StandaloneTools): Promise<StandaloneProgram> {
  const list = flags.list('controllers');
  checkList(list);
  const controllers = list.length === 0 ? ['*'] : list;
  const signing = signingPair(flags);
  const serviceAccountKey = fileFlag(flags, 'service-account-private-key-file');
  const settings = { ...controllerSettings(flags), ...flexSettings(flags) };
  const { clock, random } = tools;
  return {
    async run({ client, connection, connectAs, election, serving }, signal) {
      await using accounts = new ServiceAccountClients(client, connectAs);
      const manager = new ControllerManager(client, {
        clock,
        random,
        controllers,
        settings,
        rootCertificate: fileFlag(flags, 'root-ca-file') ?? authorityOf(connection),
        election,
        ...(serving === undefined ? {} : { serving }),
        ...(signing === undefined ? {} : { signing }),
        ...(serviceAccountKey === undefined ? {} : { serviceAccountKey }),
        ...(flags.isSet('use-service-account-credentials')
          ? { clientFor: (account: string) => accounts.clientFor(account) }
          : {}),
      });
      await manager.run(signal);
    },
  };
}

function checkList(list: readonly string[]): void {
  const problems = controllerListProblems(list);
  if (problems.length > 0) throw new FlagError(`--controllers: ${problems.join('; ')}`);
}

function signingPair(flags: FlagValues): { readonly certificate: string; readonly privateKey: string } | undefined {
  const certificate = fileFlag(flags, 'cluster-signing-cert-file');
  const privateKey = fileFlag(flags, 'cluster-signing-key-file');
  if ((certificate === undefined) !== (privateKey === undefined))
    throw new FlagError('--cluster-signing-cert-file and --cluster-signing-key-file go together');
  return certificate === undefined || privateKey === undefined ? undefined : { certificate, privateKey };
}
