import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { app } from '../../../kit/index.ts';
import { linuxBackend, mainAddresses } from '../../../linux/index.ts';
import { NodeAccess, nodeAgent, NodeEndpoint, NodeServer } from '../../../node/index.ts';
import { type FlagValues, FlagError } from '../flag.ts';
import { labelsOf } from '../kubelet/node-labels.ts';
import { nodeSubject } from '../kubelet/node-endpoints.ts';
import { selfSigned } from '../kubelet/self-signed.ts';
import type { ProgramBody, StandaloneProgram, StandaloneTools } from '../program.ts';
import { authorityOf, fileFlag, readFlagFile, usable } from '../read-flags.ts';
import { readKubeletSettings } from './kubelet-settings.ts';

const VERSION = 'v1.36.3+keelson';

export const body: ProgramBody = {
  inCluster() {
    throw new Error('Cannot run the agent of a machine in a cluster: it is a program of its own');
  },
  standalone: machineNode,
};

/** `keelson kubelet`. */
async function machineNode(flags: FlagValues, tools: StandaloneTools): Promise<StandaloneProgram> {
  if (process.platform !== 'linux')
    throw new FlagError('the kubelet needs Linux; "keelson node" runs simulated nodes anywhere');
  const configuration = fileFlag(flags, 'config');
  const settings = usable(() => readKubeletSettings(configuration));
  const name = (flags.text('hostname-override') ?? hostname()).toLowerCase();
  const addresses = addressesOf(flags.text('node-ip')) ?? (await mainAddresses());
  const labels = labelsOf(flags);
  const { clock, random, log, print } = tools;
  const backend = linuxBackend({
    ...settings,
    folders: { root: flags.text('root-dir') ?? '/var/lib/kubelet', podLogs: settings.podLogsDir },
    runtimeEndpoint: flags.text('container-runtime-endpoint') ?? settings.containerRuntimeEndpoint,
    addresses,
    clusterServers: settings.clusterDNS,
    kubeletVersion: VERSION,
  });
  const { podsOfManifest } = await import('../../../resources/core/pod-manifests.ts');
  const staticPods = {
    read: podsOfManifest,
    ...(settings.staticPodPath === '' ? {} : { path: settings.staticPodPath }),
  };
  return {
    async run({ client, connection }, signal) {
      const clientAuthorities =
        settings.clientCAFile === '' ? authorityOf(connection) : readFlagFile('config', settings.clientCAFile);
      const certificate =
        settings.tlsCertFile === ''
          ? selfSigned(nodeSubject(name), { names: [name, ...addresses], clock, random })
          : {
              certificate: readFlagFile('config', settings.tlsCertFile),
              privateKey: readFlagFile('config', settings.tlsPrivateKeyFile),
            };
      using endpoint = await NodeEndpoint.open({
        host: settings.address,
        port: settings.port,
        certificate: { certificate: certificate.certificate, key: certificate.privateKey },
        clientAuthorities,
      });
      const servers: NodeServer[] = [];
      const part = nodeAgent({
        name,
        addresses,
        podCidrs: [],
        port: endpoint.port,
        labels,
        backend,
        staticPods,
        eviction: settings.evictionHard === undefined ? {} : { evictionHard: settings.evictionHard },
        onAgent: ({ served }) => {
          const server = new NodeServer(served, log.with({ node: name }));
          servers.push(server);
          endpoint.serve(server, new NodeAccess({ node: name, client, clock, log }));
        },
      });
      print(`running node "${name}"`);
      try {
        await app('kubelet', [part]).run(client, signal);
      } finally {
        for (const server of servers) server[Symbol.dispose]();
      }
    },
  };
}

function addressesOf(text: string | undefined): readonly string[] | undefined {
  const addresses = text?.split(',');
  const wrong = addresses?.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw new FlagError(`--node-ip must be IP addresses, got "${wrong}"`);
  return addresses;
}
