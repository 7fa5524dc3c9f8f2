import {
  type ConfigurationKind,
  FLAG,
  INTEGER,
  listOf,
  mapOf,
  objectOf,
  readConfiguration,
  TEXT,
} from '../../../api/index.ts';
import { DEFAULT_EVICTION_HARD } from '../../../linux/index.ts';

/** What `keelson kubelet` obeys of a KubeletConfiguration. */
export interface KubeletSettings {
  readonly containerRuntimeEndpoint: string;
  readonly cgroupDriver: 'cgroupfs' | 'systemd';
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  readonly resolvConf: string;
  readonly maxPods: number;
  readonly podLogsDir: string;
  readonly port: number;
  readonly address: string;
  readonly clientCAFile: string;
  readonly tlsCertFile: string;
  readonly tlsPrivateKeyFile: string;
  /** A folder of manifests of static pods, or one manifest; empty for none. */
  readonly staticPodPath: string;
  readonly systemReserved: Readonly<Record<string, string>>;
  readonly kubeReserved: Readonly<Record<string, string>>;
  readonly evictionHard: Readonly<Record<string, string>>;
}

interface KubeletConfiguration {
  readonly containerRuntimeEndpoint?: string;
  readonly cgroupDriver?: string;
  readonly clusterDNS?: readonly string[];
  readonly clusterDomain?: string;
  readonly resolvConf?: string;
  readonly maxPods?: number;
  readonly podLogsDir?: string;
  readonly port?: number;
  readonly address?: string;
  readonly authentication?: { readonly x509?: { readonly clientCAFile?: string } };
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly staticPodPath?: string;
  readonly systemReserved?: Readonly<Record<string, string>>;
  readonly kubeReserved?: Readonly<Record<string, string>>;
  readonly evictionHard?: Readonly<Record<string, string>>;
}

/** Fields outside of this list are refused by name. */
const CONFIGURATION: ConfigurationKind = {
  group: 'kubelet.config.k8s.io',
  kind: 'KubeletConfiguration',
  versions: ['v1beta1'],
  fields: (version) => ({
    containerRuntimeEndpoint: TEXT,
    cgroupDriver: TEXT,
    clusterDNS: listOf(TEXT),
    clusterDomain: TEXT,
    resolvConf: TEXT,
    maxPods: INTEGER,
    podLogsDir: TEXT,
    port: INTEGER,
    address: TEXT,
    authentication: objectOf(`${version}.KubeletAuthentication`, {
      x509: objectOf(`${version}.KubeletX509Authentication`, { clientCAFile: TEXT }),
    }),
    tlsCertFile: TEXT,
    tlsPrivateKeyFile: TEXT,
    staticPodPath: TEXT,
    systemReserved: mapOf(TEXT),
    kubeReserved: mapOf(TEXT),
    evictionHard: mapOf(TEXT),
    failSwapOn: FLAG,
    failCgroupV1: FLAG,
  }),
};

/** Reads a KubeletConfiguration; without one, all settings have the kubelet's defaults. */
export function readKubeletSettings(text: string | undefined): KubeletSettings {
  const read: KubeletConfiguration =
    text === undefined ? {} : readConfiguration(text, [CONFIGURATION], { isStrict: true });
  const { cgroupDriver = 'cgroupfs' } = read;
  if (cgroupDriver !== 'cgroupfs' && cgroupDriver !== 'systemd')
    throw new Error(`cgroupDriver must be "cgroupfs" or "systemd", got "${cgroupDriver}"`);
  return {
    containerRuntimeEndpoint: read.containerRuntimeEndpoint ?? 'unix:///run/containerd/containerd.sock',
    cgroupDriver,
    clusterDNS: read.clusterDNS ?? [],
    clusterDomain: read.clusterDomain ?? '',
    resolvConf: read.resolvConf ?? '/etc/resolv.conf',
    maxPods: read.maxPods ?? 110,
    podLogsDir: read.podLogsDir ?? '/var/log/pods',
    port: read.port ?? 10_250,
    address: read.address ?? '0.0.0.0',
    clientCAFile: read.authentication?.x509?.clientCAFile ?? '',
    tlsCertFile: read.tlsCertFile ?? '',
    tlsPrivateKeyFile: read.tlsPrivateKeyFile ?? '',
    staticPodPath: read.staticPodPath ?? '',
    systemReserved: read.systemReserved ?? {},
    kubeReserved: read.kubeReserved ?? {},
    evictionHard: read.evictionHard ?? DEFAULT_EVICTION_HARD,
  };
}
