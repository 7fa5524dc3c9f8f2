import { writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { AbortScope, type Runnable, runTogether } from '../../../base/index.ts';
import { NETWORK_FOLDER } from '../../../cni/index.ts';
import { app, type Part, type ProgramAppOptions } from '../../../kit/index.ts';
import { linuxBackend, nodeAddresses } from '../../../linux/index.ts';
import { type CredentialPlugin, nodeAgent, type NodeServer, type ServingOptions } from '../../../node/index.ts';
import { type FlagValues, FlagError } from '../flag.ts';
import { labelsOf } from '../kubelet/node-labels.ts';
import { nodeSubject } from '../kubelet/node-endpoints.ts';
import type { ServerChoice, StandaloneProgram, StandaloneTools } from '../program.ts';
import { authorityOf, fileFlag, usable } from '../read-flags.ts';
import { readCredentialProviders } from './credential-providers.ts';
import { bootstrapClient, clientCertificateFiles } from './certificates/bootstrap.ts';
import { RotatedCertificate } from './certificates/rotated-certificate.ts';
import { agentOptions, backendOptions, eventPace, machineProblem, parallelPulls } from './kubelet-backend.ts';
import { KubeletPorts } from './kubelet-ports.ts';
import { NoCluster } from './no-cluster.ts';
import { podCidrsOf } from './pod-network/pod-cidrs.ts';
import { podNetworkPart } from './pod-network/pod-network-part.ts';
import { kubeletConfiguration, type KubeletSettings } from './settings/kubelet-fields.ts';
import { readKubeletSettings } from './settings/read-settings.ts';
import { flagText, shownConfiguration, valueAt } from '../settings/written-values.ts';
import { tlsOf } from './tls-settings.ts';

/** `keelson kubelet`. */
export async function standaloneKubelet(flags: FlagValues, tools: StandaloneTools): Promise<StandaloneProgram> {
  if (process.platform !== 'linux')
    throw new FlagError('the kubelet needs Linux; "keelson node" runs simulated nodes anywhere');
  const settings = readKubeletSettings(flags);
  const hasCluster = (flags.text('kubeconfig') ?? '') !== '';
  if (!hasCluster) checkWithoutCluster(settings, flags);
  const tls = tlsOf(settings);
  const hasExternalCloud = isCloudExternal(flags);
  const labels = labelsOf(flags);
  const name = (flags.text('hostname-override') ?? hostname()).toLowerCase();
  const nodeIps = addressesOf(flags.text('node-ip')) ?? [];
  const addresses = await nodeAddresses({ nodeIps, hostname: name });
  const problem = await machineProblem(settings);
  if (problem !== undefined) throw new FlagError(problem);
  const { clock, random, log, print } = tools;
  await writeFile('/proc/self/oom_score_adj', String(settings.oomScoreAdj)).catch((error: unknown) =>
    log.warn('score for the kernel, when memory is short, cannot be set', { error }),
  );
  const networks = networkParts(flags, name, settings);
  const certDir = flags.text('cert-dir') ?? '/var/lib/kubelet/pki';
  await bootstrapped(flags, { name, certDir, tools });
  const rootDir = flags.text('root-dir') ?? '/var/lib/kubelet';
  const backend = linuxBackend(
    backendOptions(settings, { addresses, rootDir, isOwnMachine: true, runtimeCgroups: flags.text('runtime-cgroups') }),
  );
  const plugins = credentialPlugins(flags);
  const options = await agentOptions(settings, { rootDir, plugins, hasExternalCloud, nodeIps, clock, log });
  const pace = eventPace(settings);
  const appOptions: ProgramAppOptions = pace === undefined ? {} : { eventPace: pace };
  return {
    server: hasCluster ? serverChoice(settings, flags) : new NoCluster(),
    async run({ client, connection }, signal) {
      const node = { name, addresses };
      using ports = await KubeletPorts.open({
        settings,
        tls,
        node,
        rootDir,
        certDir,
        clientAuthorities: authorityOf(connection),
        serving: servingOptions(settings, flags),
        client,
        clock,
        random,
        log,
      });
      const servers: NodeServer[] = [];
      const part = nodeAgent({
        name,
        addresses,
        podCidrs: [],
        port: ports.port,
        labels,
        taints: settings.registerWithTaints,
        maxParallelPulls: parallelPulls(settings),
        ...options,
        backend,
        onAgent: (agent) => servers.push(ports.serve(agent)),
      });
      const tasks: Runnable[] = [
        { run: (scope) => app('kubelet', [part, ...networks], appOptions).run(client, scope) },
        ports,
      ];
      if (settings.rotateCertificates && hasCluster)
        tasks.push(
          new RotatedCertificate({
            client,
            clock,
            random,
            log,
            figures: ports.certificates.of('client'),
            files: clientCertificateFiles(certDir, clock),
            wanted: {
              subject: nodeSubject(name),
              signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
              usage: 'client auth',
            },
          }),
        );
      print(`running node "${name}"${hasCluster ? '' : ' without a cluster: pods come from manifests only'}`);
      try {
        await runTogether(tasks, signal);
      } finally {
        for (const server of servers) server[Symbol.dispose]();
      }
    },
  };
}

/** Refuses what needs an API server. */
function checkWithoutCluster(settings: KubeletSettings, flags: FlagValues): void {
  if ((flags.text('bootstrap-kubeconfig') ?? '') !== '')
    throw new FlagError('--bootstrap-kubeconfig needs --kubeconfig: the file that the credentials are written to');
  const { staticPodPath, staticPodURL, authentication, authorization } = settings;
  if (staticPodPath === '' && staticPodURL === '')
    throw new FlagError(
      'the kubelet needs --kubeconfig: it does not join the current cluster of kubectl; without a cluster it needs staticPodPath or staticPodURL, where its pods come from; "keelson up --container-runtime-endpoint unix:///PATH" starts a cluster with this machine as its node',
    );
  if (settings.serverTLSBootstrap)
    throw new FlagError('serverTLSBootstrap needs --kubeconfig: no API server signs the certificate');
  if (settings.enableServer && (authentication.webhook.enabled || authorization.mode === 'Webhook'))
    throw new FlagError(
      'no client provided, cannot use webhook authentication or authorization: without --kubeconfig set authentication.webhook.enabled to false and authorization.mode to AlwaysAllow, or enableServer to false',
    );
}

/** What configures a network for pods, where that is asked for. It is not a kubelet's job, so it is not done by default. */
function networkParts(flags: FlagValues, nodeName: string, { podCIDR }: KubeletSettings): readonly Part[] {
  if (!flags.isSet('write-cni-config')) {
    if (flags.has('cni-conf-dir')) throw new FlagError('--cni-conf-dir needs --write-cni-config');
    return [];
  }
  const folder = flags.text('cni-conf-dir') ?? NETWORK_FOLDER;
  return [podNetworkPart({ nodeName, folder, podCidrs: podCidrsOf(podCIDR === '' ? [] : podCIDR.split(',')) })];
}

/** The programs that return credentials of registries. */
function credentialPlugins(flags: FlagValues): readonly CredentialPlugin[] {
  const configuration = fileFlag(flags, 'image-credential-provider-config');
  const folder = flags.text('image-credential-provider-bin-dir');
  if ((configuration === undefined) !== (folder === undefined))
    throw new FlagError('--image-credential-provider-config and --image-credential-provider-bin-dir go together');
  if (configuration === undefined || folder === undefined) return [];
  const environment = Object.fromEntries(Object.entries(process.env).map(([name, value = '']) => [name, value]));
  return usable(() => readCredentialProviders(configuration, { folder, environment }));
}

/** Flags that set no field of the configuration, as `/flagz` shows them. */
const OTHER_FLAGS = [
  'bootstrap-kubeconfig',
  'cert-dir',
  'cloud-provider',
  'config',
  'config-dir',
  'hostname-override',
  'image-credential-provider-bin-dir',
  'image-credential-provider-config',
  'kubeconfig',
  'node-ip',
  'root-dir',
  'runtime-cgroups',
];

/** What the server shows besides pods. */
export function servingOptions(settings: KubeletSettings, flags: FlagValues): ServingOptions {
  return {
    configuration: shownConfiguration(kubeletConfiguration, settings),
    flags: {
      ...Object.fromEntries(OTHER_FLAGS.map((name) => [name, flags.text(name) ?? ''])),
      ...Object.fromEntries(
        kubeletConfiguration.flagged.map(({ flag, path, setting }) => [
          flag,
          flagText(valueAt(settings, path), setting),
        ]),
      ),
    },
    ...(settings.enableSystemLogHandler
      ? { systemLogs: { folder: '/var/log', hasQuery: settings.enableSystemLogQuery } }
      : {}),
  };
}

/** Requests a client certificate first, where a bootstrap kubeconfig is given and there is no valid certificate yet. */
async function bootstrapped(
  flags: FlagValues,
  { name, certDir, tools }: { readonly name: string; readonly certDir: string; readonly tools: StandaloneTools },
): Promise<void> {
  const bootstrapKubeconfig = flags.text('bootstrap-kubeconfig') ?? '';
  if (bootstrapKubeconfig === '') return;
  const kubeconfig = flags.text('kubeconfig') ?? '';
  const { clock, log } = tools;
  using scope = new AbortScope();
  const stop = (): void => scope.abort(new Error('stopped while it waited for its first certificate'));
  process.once('SIGTERM', stop).once('SIGINT', stop);
  try {
    const { signal } = scope;
    await bootstrapClient({ kubeconfig, bootstrapKubeconfig, certDir, node: name, clock, log, signal });
  } finally {
    process.off('SIGTERM', stop).off('SIGINT', stop);
  }
}

function serverChoice({ kubeAPIQPS, kubeAPIBurst }: KubeletSettings, flags: FlagValues): ServerChoice {
  return {
    kubeconfig: flags.text('kubeconfig'),
    server: flags.text('master'),
    pace: kubeAPIQPS === 0 ? undefined : { perSecond: kubeAPIQPS, burst: kubeAPIBurst },
  };
}

/** Whether `--cloud-provider` says that the controller of a cloud completes the node. */
function isCloudExternal(flags: FlagValues): boolean {
  const provider = flags.text('cloud-provider') ?? '';
  if (provider !== '' && provider !== 'external')
    throw new FlagError(
      `cloud provider "${provider}" was specified, but built-in cloud providers are disabled. Please set --cloud-provider=external and migrate to an external cloud provider`,
    );
  return provider === 'external';
}

/** What `--node-ip` says; undefined where it is not given. */
export function addressesOf(text: string | undefined): readonly string[] | undefined {
  const addresses = text?.split(',');
  const wrong = addresses?.find((address) => isIP(address) === 0);
  if (wrong !== undefined) throw new FlagError(`--node-ip must be IP addresses, got "${wrong}"`);
  return addresses;
}
