import { isIP } from 'node:net';
import { homedir, hostname } from 'node:os';
import { join } from 'node:path';
import { app } from '../../../kit/index.ts';
import { DiskPullRecords, linuxBackend, machineCredentials, nodeAddresses } from '../../../linux/index.ts';
import { NodeAccess, nodeAgent, NodeEndpoint, type NodeImageOptions, NodeServer } from '../../../node/index.ts';
import { type FlagValues, FlagError } from '../flag.ts';
import { labelsOf } from '../kubelet/node-labels.ts';
import { nodeSubject } from '../kubelet/node-endpoints.ts';
import { selfSigned } from '../kubelet/self-signed.ts';
import type { ProgramBody, StandaloneProgram, StandaloneTools } from '../program.ts';
import { authorityOf, fileFlag, readFlagFile, usable } from '../read-flags.ts';
import { readCredentialProviders } from './credential-providers.ts';
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
  const addresses = await nodeAddresses({ nodeIps: addressesOf(flags.text('node-ip')), hostname: name });
  const labels = labelsOf(flags);
  const { clock, random, log, print } = tools;
  const root = flags.text('root-dir') ?? '/var/lib/kubelet';
  const backend = linuxBackend({
    ...settings,
    cgroups: { cgroupDriver: settings.cgroupDriver },
    folders: { root, podLogs: settings.podLogsDir },
    runtimeEndpoint: flags.text('container-runtime-endpoint') ?? settings.containerRuntimeEndpoint,
    addresses,
    clusterServers: settings.clusterDNS,
    kubeletVersion: VERSION,
  });
  const images = imageOptions(flags, root);
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
        images,
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

/** Where a kubelet looks for credentials of the machine, and who may use what was pulled. */
function imageOptions(flags: FlagValues, root: string): NodeImageOptions {
  const configuration = fileFlag(flags, 'image-credential-provider-config');
  const folder = flags.text('image-credential-provider-bin-dir');
  if ((configuration === undefined) !== (folder === undefined))
    throw new FlagError('--image-credential-provider-config and --image-credential-provider-bin-dir go together');
  const environment = Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value]));
  const folders = [root, process.cwd(), join(homedir(), '.docker'), '/.docker'];
  return {
    verification: { records: new DiskPullRecords(root) },
    machineCredentials: () => machineCredentials(folders),
    plugins:
      configuration === undefined || folder === undefined
        ? []
        : usable(() => readCredentialProviders(configuration, { folder, environment })),
  };
}

function addressesOf(text: string | undefined): readonly string[] {
  const addresses = text?.split(',') ?? [];
  const wrong = addresses.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw new FlagError(`--node-ip must be IP addresses, got "${wrong}"`);
  return addresses;
}
