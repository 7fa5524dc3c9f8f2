import { parseRuntimeConfig } from '../../api/index.ts';
import { aborted, CryptoRandom, describeError } from '../../base/index.ts';
import { admissionProblems, type ClusterOptions, kubeconfigText, launchCluster } from '../../cluster/index.ts';
import { chooseControllers } from '../envtest/choose-controllers.ts';
import { sendMessage } from './messages.ts';
import type { ClusterAnswer, ClusterRequest } from './requests.ts';
import type { Served } from './served.ts';

/** Maximum number of clusters at the same time. */
const MAX_CLUSTERS = 200;

/** Runs a cluster in memory, and sends its kubeconfig to the client. */
export async function serveCluster(request: ClusterRequest, served: Served): Promise<void> {
  const { connection, clock, log, signal, running } = served;
  const answer = (message: ClusterAnswer): void => sendMessage(connection, message);
  try {
    if (running > MAX_CLUSTERS) throw new Error(`${MAX_CLUSTERS} are running already`);
    const settings = { ...optionsOf(request), clock, log, signal, random: new CryptoRandom() };
    await using cluster = await launchCluster(settings);
    await cluster.nodesReady(signal);
    const { access } = cluster.plane;
    answer({ kubeconfig: kubeconfigText(access), server: access.server });
    await Promise.race([aborted(signal), cluster.running]);
  } catch (error) {
    if (!signal.aborted) answer({ problem: describeError(error) });
  }
}

function optionsOf(request: ClusterRequest): Omit<ClusterOptions, 'clock' | 'log' | 'signal' | 'random'> {
  const { controllers, nodes, scheduler, kubernetesVersion, runtimeConfig } = request;
  const { enableAdmission, disableAdmission } = request;
  const problems = admissionProblems({ enable: enableAdmission, disable: disableAdmission });
  if (problems.length > 0) throw new Error(problems.join('; '));
  return {
    name: 'keelson-test',
    storage: { type: 'memory' },
    serving: { listen: { host: '127.0.0.1', port: 0 } },
    serviceCidrs: ['10.96.0.0/16'],
    kubernetesVersion,
    runtimeConfig: parseRuntimeConfig(...runtimeConfig),
    admission: { enable: enableAdmission, disable: disableAdmission },
    controllers: controllers === '' ? false : (builtIn) => chooseControllers(controllers, builtIn),
    scheduler,
    nodes,
  };
}
