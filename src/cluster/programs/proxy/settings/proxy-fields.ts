import { configurationTable } from '../../settings/configuration-table.ts';
import { loggingFields } from '../../settings/logging-fields.ts';
import {
  accepted,
  duration,
  flag,
  gates,
  group,
  integer,
  OBEYED,
  plainFlag,
  plainNumber,
  pointedDuration,
  pointedInteger,
  refused,
  type SettingsOf,
  text,
  texts,
} from '../../settings/setting.ts';

const OTHER_MODE = accepted('it belongs to a mode that is not used here');
const WINDOWS = accepted('it is for Windows');

/** Every field of KubeProxyConfiguration in kubeproxy.config.k8s.io/v1alpha1 of Kubernetes 1.36. */
const proxyFields = {
  featureGates: gates({}, OBEYED, 'feature-gates'),
  clientConnection: group('ClientConnectionConfiguration', {
    kubeconfig: text('', OBEYED, 'kubeconfig'),
    acceptContentTypes: text('', accepted('responses are always JSON')),
    contentType: text(
      'application/vnd.kubernetes.protobuf',
      accepted('requests to the API server are JSON'),
      'kube-api-content-type',
    ),
    qps: plainNumber(5, OBEYED, 'kube-api-qps'),
    burst: integer(10, OBEYED, 'kube-api-burst'),
  }),
  logging: loggingFields,
  hostnameOverride: text('', OBEYED),
  bindAddress: text('0.0.0.0', OBEYED, 'bind-address'),
  healthzBindAddress: text('', OBEYED, 'healthz-bind-address'),
  metricsBindAddress: text('', OBEYED, 'metrics-bind-address'),
  bindAddressHardFail: plainFlag(false, OBEYED, 'bind-address-hard-fail'),
  enableProfiling: plainFlag(
    false,
    accepted("there is no Go profiler; Node's profilers are options of Node's command line"),
    'profiling',
  ),
  showHiddenMetricsForVersion: text('', accepted('no metrics are hidden'), 'show-hidden-metrics-for-version'),
  mode: text('nftables', refused('nftables is the only mode that is implemented'), 'proxy-mode'),
  iptables: group('KubeProxyIPTablesConfiguration', {
    masqueradeBit: pointedInteger(14, OTHER_MODE, 'iptables-masquerade-bit'),
    masqueradeAll: plainFlag(false, OTHER_MODE),
    localhostNodePorts: flag(
      true,
      accepted('node ports are never served on loopback in mode nftables'),
      'iptables-localhost-nodeports',
    ),
    syncPeriod: duration(30_000, OTHER_MODE),
    minSyncPeriod: duration(1000, OTHER_MODE),
  }),
  ipvs: group('KubeProxyIPVSConfiguration', {
    syncPeriod: duration(30_000, OTHER_MODE, 'ipvs-sync-period'),
    minSyncPeriod: duration(0, OTHER_MODE, 'ipvs-min-sync-period'),
    scheduler: text('', OTHER_MODE, 'ipvs-scheduler'),
    excludeCIDRs: texts([], OTHER_MODE, 'ipvs-exclude-cidrs'),
    strictARP: plainFlag(false, OTHER_MODE, 'ipvs-strict-arp'),
    tcpTimeout: duration(0, OTHER_MODE, 'ipvs-tcp-timeout'),
    tcpFinTimeout: duration(0, OTHER_MODE, 'ipvs-tcpfin-timeout'),
    udpTimeout: duration(0, OTHER_MODE, 'ipvs-udp-timeout'),
  }),
  // The flags that are named for iptables count in mode nftables too.
  nftables: group('KubeProxyNFTablesConfiguration', {
    masqueradeBit: pointedInteger(14, OBEYED),
    masqueradeAll: plainFlag(false, OBEYED, 'masquerade-all'),
    syncPeriod: duration(30_000, OBEYED, 'iptables-sync-period'),
    minSyncPeriod: duration(1000, OBEYED, 'iptables-min-sync-period'),
  }),
  winkernel: group('KubeProxyWinkernelConfiguration', {
    networkName: text('', WINDOWS),
    sourceVip: text('', WINDOWS),
    enableDSR: plainFlag(false, WINDOWS),
    rootHnsEndpointName: text('', WINDOWS),
    forwardHealthCheckVip: plainFlag(false, WINDOWS),
  }),
  detectLocalMode: text('ClusterCIDR', OBEYED, 'detect-local-mode'),
  detectLocal: group('DetectLocalConfiguration', {
    bridgeInterface: text('', OBEYED, 'pod-bridge-interface'),
    interfaceNamePrefix: text('', OBEYED, 'pod-interface-name-prefix'),
  }),
  clusterCIDR: text('', OBEYED, 'cluster-cidr'),
  nodePortAddresses: texts([], OBEYED, 'nodeport-addresses'),
  oomScoreAdj: pointedInteger(-999, OBEYED, 'oom-score-adj'),
  conntrack: group('KubeProxyConntrackConfiguration', {
    maxPerCore: pointedInteger(32_768, OBEYED, 'conntrack-max-per-core'),
    min: pointedInteger(131_072, OBEYED, 'conntrack-min'),
    tcpEstablishedTimeout: pointedDuration(86_400_000, OBEYED, 'conntrack-tcp-timeout-established'),
    tcpCloseWaitTimeout: pointedDuration(3_600_000, OBEYED, 'conntrack-tcp-timeout-close-wait'),
    tcpBeLiberal: plainFlag(false, OBEYED, 'conntrack-tcp-be-liberal'),
    udpTimeout: duration(0, OBEYED, 'conntrack-udp-timeout'),
    udpStreamTimeout: duration(0, OBEYED, 'conntrack-udp-timeout-stream'),
  }),
  configSyncPeriod: duration(
    900_000,
    accepted('watches bring every change; nothing is read again'),
    'config-sync-period',
  ),
  portRange: text('', accepted('upstream does not use it either')),
  windowsRunAsService: plainFlag(false, WINDOWS),
};

/** A KubeProxyConfiguration with all defaults. Durations are milliseconds. */
export type ProxySettings = SettingsOf<typeof proxyFields>;

export const proxyConfiguration = configurationTable({
  group: 'kubeproxy.config.k8s.io',
  version: 'v1alpha1',
  kind: 'KubeProxyConfiguration',
  fields: proxyFields,
});
