import { isIP } from 'node:net';
import { isIpv4, parseCidr } from '../../../../api/values/index.ts';
import { featureGateProblem } from '../../apiserver/feature-gates.ts';
import type { ProxySettings } from './proxy-fields.ts';

type Check = readonly [isFine: boolean, field: string, problem: string];

const LOCAL_MODES = ['ClusterCIDR', 'NodeCIDR', 'BridgeInterface', 'InterfaceNamePrefix'];
const PRIMARY = 'primary';
const ONE_OR_TWO =
  'must be a either a single CIDR or dual-stack pair of CIDRs (e.g. [10.100.0.0/16, fde4:8dba:82e1::/48]';

/** What kube-proxy finds wrong with its configuration, in its words; empty when nothing is. */
export function problemsOf(settings: ProxySettings): readonly string[] {
  const gates = Object.entries(settings.featureGates).map(([name, isOn]) => `${name}=${isOn}`);
  const gateProblem = featureGateProblem(gates);
  const checks = [
    ...numberChecks(settings),
    ...conntrackChecks(settings.conntrack),
    ...addressChecks(settings),
    ...nodePortChecks(settings.nodePortAddresses),
    ...localChecks(settings),
  ];
  return [
    ...(gateProblem === undefined ? [] : [gateProblem]),
    ...checks.flatMap(([isFine, field, problem]) => (isFine ? [] : [`KubeProxyConfiguration.${field}: ${problem}`])),
  ];
}

function invalid(value: unknown, problem: string): string {
  return `Invalid value: ${JSON.stringify(value)}: ${problem}`;
}

function numberChecks({
  iptables,
  nftables,
  oomScoreAdj,
  clientConnection,
  configSyncPeriod,
}: ProxySettings): readonly Check[] {
  const bit = (type: string, value: number): Check => [
    Number.isInteger(value) && value >= 0 && value <= 31,
    `${type}.MasqueradeBit`,
    invalid(value, 'must be within the range [0, 31]'),
  ];
  return [
    bit('KubeProxyIPTablesConfiguration', iptables.masqueradeBit),
    bit('KubeProxyNFTablesConfiguration', nftables.masqueradeBit),
    [
      oomScoreAdj >= -1000 && oomScoreAdj <= 1000,
      'KubeProxyLinuxConfiguration.OOMScoreAdj',
      invalid(oomScoreAdj, 'must be within the range [-1000, 1000]'),
    ],
    [
      clientConnection.burst >= 0,
      'ClientConnection.Burst',
      invalid(clientConnection.burst, 'must be greater than or equal to 0'),
    ],
    [configSyncPeriod > 0, 'ConfigSyncPeriod', invalid(configSyncPeriod, 'must be greater than 0')],
    [nftables.syncPeriod > 0, 'SyncPeriod', invalid(nftables.syncPeriod, 'must be greater than 0')],
    [
      nftables.minSyncPeriod >= 0,
      'MinSyncPeriod',
      invalid(nftables.minSyncPeriod, 'must be greater than or equal to 0'),
    ],
    [
      nftables.minSyncPeriod <= nftables.syncPeriod,
      'SyncPeriod',
      invalid(nftables.minSyncPeriod, 'must be greater than or equal to KubeProxyConfiguration.MinSyncPeriod'),
    ],
  ];
}

function conntrackChecks(conntrack: ProxySettings['conntrack']): readonly Check[] {
  const { maxPerCore, min, tcpEstablishedTimeout, tcpCloseWaitTimeout, udpTimeout, udpStreamTimeout } = conntrack;
  const figures = {
    MaxPerCore: maxPerCore,
    Min: min,
    TCPEstablishedTimeout: tcpEstablishedTimeout,
    TCPCloseWaitTimeout: tcpCloseWaitTimeout,
    UDPTimeout: udpTimeout,
    UDPStreamTimeout: udpStreamTimeout,
  };
  return Object.entries(figures).map(([name, value]) => [
    value >= 0,
    `KubeProxyLinuxConfiguration.KubeProxyConntrackConfiguration.${name}`,
    invalid(value, 'must be greater than or equal to 0'),
  ]);
}

function addressChecks({ bindAddress, healthzBindAddress, metricsBindAddress }: ProxySettings): readonly Check[] {
  return [
    [
      isIP(bindAddress) !== 0,
      'BindAddress',
      invalid(bindAddress, 'not a valid textual representation of an IP address'),
    ],
    ...(healthzBindAddress === '' ? [] : placeChecks('HealthzBindAddress', healthzBindAddress)),
    ...(metricsBindAddress === '' ? [] : placeChecks('MetricsBindAddress', metricsBindAddress)),
  ];
}

function placeChecks(field: string, text: string): readonly Check[] {
  const place = splitPlace(text);
  if (place === undefined) return [[false, field, invalid(text, 'must be IP:port')]];
  const { host, port } = place;
  return [
    [isIP(host) !== 0, field, invalid(host, 'must be a valid IP')],
    [/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535, field, invalid(port, 'must be a valid port')],
  ];
}

/** `10.0.0.1:80` and `[::1]:80`; undefined for anything else. */
export function splitPlace(text: string): { readonly host: string; readonly port: string } | undefined {
  const [, ipv6, other, port] = /^(?:\[([^\]]*)\]|([^:]*)):([^:]*)$/.exec(text) ?? [];
  return port === undefined ? undefined : { host: ipv6 ?? other ?? '', port };
}

function nodePortChecks(addresses: readonly string[]): readonly Check[] {
  return addresses.map((text, at) => {
    const field = `NodePortAddresses[${at}]`;
    if (text === PRIMARY)
      return [addresses.length === 1, field, invalid(text, "can't use both 'primary' and CIDRs")] as const;
    return [parseCidr(text) !== undefined, field, invalid(text, 'must be a valid CIDR')] as const;
  });
}

function localChecks({ detectLocalMode, detectLocal, clusterCIDR }: ProxySettings): readonly Check[] {
  const supported = [...LOCAL_MODES, ''].map((mode) => `"${mode}"`).join(', ');
  const name = 'DetectLocalConfiguration';
  return [
    [
      LOCAL_MODES.includes(detectLocalMode),
      'DetectLocalMode',
      `Unsupported value: "${detectLocalMode}": supported values: ${supported}`,
    ],
    [
      detectLocalMode !== 'BridgeInterface' || detectLocal.bridgeInterface !== '',
      `${name}.InterfaceName`,
      invalid(detectLocal.bridgeInterface, 'must not be empty'),
    ],
    [
      detectLocalMode !== 'InterfaceNamePrefix' || detectLocal.interfaceNamePrefix !== '',
      `${name}.InterfacePrefix`,
      invalid(detectLocal.interfaceNamePrefix, 'must not be empty'),
    ],
    ...(clusterCIDR === '' ? [] : rangeChecks(`${name}.ClusterCIDRs`, clusterCIDR.split(','))),
  ];
}

function rangeChecks(field: string, texts: readonly string[]): readonly Check[] {
  if (texts.length > 2) return [[false, field, invalid(texts, ONE_OR_TWO)]];
  const ranges = texts.map((text) => parseCidr(text));
  const families = new Set(ranges.flatMap((range) => (range === undefined ? [] : [isIpv4(range.address)])));
  return [
    ...texts.map((text, at): Check => [
      ranges[at] !== undefined,
      `${field}[${at}]`,
      invalid(text, 'must be a valid CIDR block (e.g. 10.100.0.0/16 or fde4:8dba:82e1::/48)'),
    ]),
    [ranges.includes(undefined) || families.size === texts.length, field, invalid(texts, ONE_OR_TWO)],
  ];
}
