import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CryptoRandom, DEFAULT_KUBERNETES_VERSION, type KubernetesVersion, RealClock } from '../src/base/index.ts';
import { kubeconfigText } from '../src/cluster/kubeconfig.ts';
import { type ClusterPki, clusterPki } from '../src/cluster/pki/cluster-pki.ts';
import { awaitReady } from './await-ready.ts';
import { Daemon } from './daemon.ts';
import { findPeers } from './find-peer.ts';
import { freePorts } from './free-ports.ts';
import { ADMIN_TOKEN, type RunningServer, TOKEN_FILE } from './running-server.ts';

/** Programs that may run beside etcd and kube-apiserver. */
export type KubePart = 'kube-controller-manager' | 'kube-scheduler';

export interface KubeOptions {
  /** The version of kube-apiserver; default that of the other parts. Other versions run alone. */
  readonly version?: KubernetesVersion;
  readonly parts?: readonly KubePart[];
  /** Flags of kube-apiserver on top of ours; where a flag is given twice, these win. */
  readonly apiserverFlags?: readonly string[];
  readonly controllerManagerFlags?: readonly string[];
  /** Addresses of the API server besides the loopback ones, for its certificate. */
  readonly servingNames?: readonly string[];
  /** Flags of kube-scheduler in place of ours. */
  readonly schedulerFlags?: readonly string[];
  /** Where data, keys and logs go, kept afterwards; its own folder that is removed at the end when left out. */
  readonly folder?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
}

/** A real Kubernetes control plane on loopback ports. */
export interface RunningKube extends RunningServer {
  readonly etcdUrl: string;
}

/** The peer that is the API server of a version. */
function serverOf(version: KubernetesVersion = DEFAULT_KUBERNETES_VERSION): string {
  return version === DEFAULT_KUBERNETES_VERSION ? 'kube-apiserver' : `kube-apiserver-${version}`;
}

/** Why `startKube` with these parts cannot work here, in words to print; undefined when it can. */
export function whyNoKube(
  parts: readonly KubePart[] = [],
  { environment = process.env, version }: Pick<KubeOptions, 'environment' | 'version'> = {},
): string | undefined {
  const found = findPeers(['etcd', serverOf(version), ...parts], environment);
  return found.paths === undefined ? found.reason : undefined;
}

/** Starts real etcd and kube-apiserver, and what else is asked for. Ready when it resolves; nothing is left when it rejects. */
export async function startKube(options: KubeOptions = {}): Promise<RunningKube> {
  const { parts = [], environment = process.env } = options;
  const server = serverOf(options.version);
  const found = findPeers<string>(['etcd', server, ...parts], environment);
  if (found.paths === undefined) throw new Error(`Cannot start Kubernetes: ${found.reason}`);
  const { paths } = found;
  const layout = await prepare(options);
  const daemons: Daemon[] = [];
  const stop = async (): Promise<void> => {
    for (const daemon of daemons.toReversed()) await daemon.stop(); // etcd last: the others write while they end
    if (options.folder === undefined) await rm(layout.folder, { recursive: true, force: true });
  };
  const launch = (name: string, args: readonly string[]): void =>
    void daemons.push(new Daemon(paths[name] ?? '', args, { logPath: join(layout.folder, `${name}.log`) }));
  try {
    const started = performance.now();
    launch('etcd', etcdFlags(layout));
    launch(server, [...apiserverFlags(layout), ...(options.apiserverFlags ?? [])]);
    const certificateAuthority = layout.pki.authority.certificate;
    await awaitReady(layout.url, { certificateAuthority, token: ADMIN_TOKEN, daemons, signal: options.signal });
    const startMs = performance.now() - started;
    if (parts.includes('kube-controller-manager'))
      launch('kube-controller-manager', [...controllerManagerFlags(layout), ...(options.controllerManagerFlags ?? [])]);
    if (parts.includes('kube-scheduler')) launch('kube-scheduler', options.schedulerFlags ?? schedulerFlags(layout));
    const { url, kubeconfig, folder, etcdUrl } = layout;
    return {
      url,
      kubeconfig,
      folder,
      etcdUrl,
      token: ADMIN_TOKEN,
      daemons,
      startMs,
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Layout {
  readonly folder: string;
  readonly url: string;
  readonly port: number;
  readonly etcdUrl: string;
  readonly etcdPeerUrl: string;
  readonly kubeconfig: string;
  readonly pki: ClusterPki;
}

async function prepare({ folder: wanted, servingNames = [] }: KubeOptions): Promise<Layout> {
  const folder = wanted ?? (await mkdtemp(join(tmpdir(), 'keelson-kube-')));
  await mkdir(folder, { recursive: true });
  const [port = 0, etcdPort = 0, etcdPeerPort = 0] = await freePorts(3);
  const pki = await clusterPki({
    clock: new RealClock(),
    random: new CryptoRandom(),
    servingNames: ['localhost', '127.0.0.1', 'kubernetes.default.svc', 'kubernetes', '10.96.0.1', ...servingNames],
    folder: join(folder, 'pki'),
  });
  const url = `https://127.0.0.1:${port}`;
  const kubeconfig = join(folder, 'kubeconfig');
  const certificateAuthority = pki.authority.certificate;
  const text = kubeconfigText({ name: 'kube', server: url, certificateAuthority, client: pki.admin });
  await writeFile(kubeconfig, text, { mode: 0o600 });
  await writeFile(join(folder, 'tokens.csv'), TOKEN_FILE, { mode: 0o600 });
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  return { folder, url, port, etcdUrl, etcdPeerUrl: `http://127.0.0.1:${etcdPeerPort}`, kubeconfig, pki };
}

function etcdFlags({ folder, etcdUrl, etcdPeerUrl }: Layout): string[] {
  return [
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${etcdUrl}`,
    `--advertise-client-urls=${etcdUrl}`,
    `--listen-peer-urls=${etcdPeerUrl}`,
    `--initial-advertise-peer-urls=${etcdPeerUrl}`,
    `--initial-cluster=default=${etcdPeerUrl}`,
    '--log-level=warn',
  ];
}

function apiserverFlags({ folder, port, etcdUrl }: Layout): string[] {
  const file = (name: string): string => join(folder, 'pki', name);
  return [
    `--etcd-servers=${etcdUrl}`,
    `--secure-port=${port}`,
    '--bind-address=127.0.0.1',
    `--cert-dir=${join(folder, 'certs')}`,
    `--tls-cert-file=${file('apiserver.crt')}`,
    `--tls-private-key-file=${file('apiserver.key')}`,
    `--client-ca-file=${file('ca.crt')}`,
    `--token-auth-file=${join(folder, 'tokens.csv')}`,
    `--service-account-key-file=${file('sa.key')}`,
    `--service-account-signing-key-file=${file('sa.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--requestheader-client-ca-file=${file('front-proxy-ca.crt')}`,
    '--requestheader-allowed-names=front-proxy-client',
    '--requestheader-extra-headers-prefix=X-Remote-Extra-',
    '--requestheader-group-headers=X-Remote-Group',
    '--requestheader-username-headers=X-Remote-User',
    `--proxy-client-cert-file=${file('front-proxy-client.crt')}`,
    `--proxy-client-key-file=${file('front-proxy-client.key')}`,
    '--authorization-mode=Node,RBAC',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
    '--profiling=false',
  ];
}

/** What a part needs to know of the server it works on. */
type ServerOfPart = Pick<RunningServer, 'folder' | 'kubeconfig'>;

/** Flags with which kube-controller-manager works on a server whose keys are in `folder`/pki. */
export function controllerManagerFlags({ folder, kubeconfig }: ServerOfPart): string[] {
  const file = (name: string): string => join(folder, 'pki', name);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--root-ca-file=${file('ca.crt')}`,
    `--service-account-private-key-file=${file('sa.key')}`,
    `--cluster-signing-cert-file=${file('ca.crt')}`,
    `--cluster-signing-key-file=${file('ca.key')}`,
    '--use-service-account-credentials',
    '--leader-elect=false',
    '--secure-port=0',
  ];
}

/** Flags with which kube-scheduler works on a server. */
export function schedulerFlags({ kubeconfig }: ServerOfPart): string[] {
  return [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0'];
}
