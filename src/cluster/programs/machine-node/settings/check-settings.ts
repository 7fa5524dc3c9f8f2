import { posix } from 'node:path';
import { quantityOf } from './quantities.ts';
import { featureGateProblem } from '../../apiserver/feature-gates.ts';
import { formatDuration } from '../../../../base/index.ts';
import { allocatableProblems } from './check-allocatable.ts';
import type { KubeletSettings } from './kubelet-fields.ts';

/** What is wrong when a check fails. */
type Check = readonly [isFine: boolean, message: string];

const MAX_PORT = 65_535;
const SECOND_MS = 1000;
const IDS_UNIT = 65_536;
const MAX_UINT32 = 2 ** 32 - 1;
const MAX_ASCII = 127;

/** What a kubelet finds wrong with its configuration, in its words; empty when nothing is. */
export function problemsOf(settings: KubeletSettings): readonly string[] {
  const gates = Object.entries(settings.featureGates).map(([name, isOn]) => `${name}=${isOn}`);
  const gateProblem = featureGateProblem(gates);
  const checks = [
    ...numberChecks(settings),
    ...imageChecks(settings),
    ...choiceChecks(settings),
    ...shutdownChecks(settings),
    ...logChecks(settings),
    ...machineChecks(settings),
  ];
  return [
    ...(gateProblem === undefined ? [] : [gateProblem]),
    ...checks.flatMap(([isFine, message]) => (isFine ? [] : [`invalid configuration: ${message}`])),
    ...allocatableProblems(settings),
  ];
}

function within(value: number, min: number, max: number): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

function numberChecks(all: KubeletSettings): readonly Check[] {
  const notNegative = (name: string, flag: string, value: number): Check => [
    value >= 0,
    `${name} (--${flag}) ${value} must not be a negative number`,
  ];
  return [
    [all.nodeLeaseDurationSeconds > 0, 'nodeLeaseDurationSeconds must be greater than 0'],
    notNegative('eventBurst', 'event-burst', all.eventBurst),
    notNegative('eventRecordQPS', 'event-qps', all.eventRecordQPS),
    [
      all.healthzPort === 0 || within(all.healthzPort, 1, MAX_PORT),
      `healthzPort (--healthz-port) ${all.healthzPort} must be between 1 and 65535, inclusive`,
    ],
    [
      within(all.iptablesDropBit, 0, 31),
      `iptablesDropBit (--iptables-drop-bit) ${all.iptablesDropBit} must be between 0 and 31, inclusive`,
    ],
    [
      within(all.iptablesMasqueradeBit, 0, 31),
      `iptablesMasqueradeBit (--iptables-masquerade-bit) ${all.iptablesMasqueradeBit} must be between 0 and 31, inclusive`,
    ],
    notNegative('kubeAPIBurst', 'kube-api-burst', all.kubeAPIBurst),
    notNegative('kubeAPIQPS', 'kube-api-qps', all.kubeAPIQPS),
    [
      all.nodeStatusMaxImages >= -1,
      `nodeStatusMaxImages (--node-status-max-images) ${all.nodeStatusMaxImages} must be -1 or greater`,
    ],
    notNegative('maxOpenFiles', 'max-open-files', all.maxOpenFiles),
    notNegative('maxPods', 'max-pods', all.maxPods),
    [
      within(all.oomScoreAdj, -1000, 1000),
      `oomScoreAdj (--oom-score-adj) ${all.oomScoreAdj} must be between -1000 and 1000, inclusive`,
    ],
    notNegative('podsPerCore', 'pods-per-core', all.podsPerCore),
    [within(all.port, 1, MAX_PORT), `port (--port) ${all.port} must be between 1 and 65535, inclusive`],
    [
      all.readOnlyPort === 0 || within(all.readOnlyPort, 1, MAX_PORT),
      `readOnlyPort (--read-only-port) ${all.readOnlyPort} must be between 0 and 65535, inclusive`,
    ],
    notNegative('registryBurst', 'registry-burst', all.registryBurst),
    notNegative('registryPullQPS', 'registry-qps', all.registryPullQPS),
  ];
}

function imageChecks(all: KubeletSettings): readonly Check[] {
  const { imageGCHighThresholdPercent: high, imageGCLowThresholdPercent: low } = all;
  const { imageMinimumGCAge: youngest, imageMaximumGCAge: oldest, maxParallelImagePulls: atOnce } = all;
  const policies = ['NeverVerify', 'NeverVerifyPreloadedImages', 'NeverVerifyAllowlistedImages', 'AlwaysVerify'];
  const policy = all.imagePullCredentialsVerificationPolicy;
  return [
    [
      within(high, 0, 100),
      `imageGCHighThresholdPercent (--image-gc-high-threshold) ${high} must be between 0 and 100, inclusive`,
    ],
    [
      within(low, 0, 100),
      `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be between 0 and 100, inclusive`,
    ],
    [
      low < high,
      `imageGCLowThresholdPercent (--image-gc-low-threshold) ${low} must be less than imageGCHighThresholdPercent (--image-gc-high-threshold) ${high}`,
    ],
    [youngest >= 0, `imageMinimumGCAge ${formatDuration(youngest)} must not be negative`],
    [oldest >= 0, `imageMaximumGCAge ${formatDuration(oldest)} must not be negative`],
    [
      oldest <= 0 || oldest > youngest,
      `imageMaximumGCAge ${formatDuration(oldest)} must be greater than imageMinimumGCAge ${formatDuration(youngest)}`,
    ],
    [atOnce === undefined || atOnce >= 1, `maxParallelImagePulls ${atOnce} must be a positive number`],
    [
      !all.serializeImagePulls || atOnce === undefined || atOnce <= 1,
      'maxParallelImagePulls cannot be larger than 1 unless SerializeImagePulls (--serialize-image-pulls) is set to false',
    ],
    [
      policies.includes(policy),
      `option "${policy}" specified for imagePullCredentialsVerificationPolicy. Valid options are ${quoted(policies, ' or ')}`,
    ],
    [
      all.preloadedImagesVerificationAllowlist.length === 0 || policy === 'NeverVerifyAllowlistedImages',
      'can\'t set `preloadedImagesVerificationAllowlist` if `imagePullCredentialsVertificationPolicy` is not "NeverVerifyAllowlistedImages"',
    ],
  ];
}

function choiceChecks(all: KubeletSettings): readonly Check[] {
  const policies = ['none', 'best-effort', 'restricted', 'single-numa-node'];
  const { swapBehavior } = all.memorySwap;
  const { authorization, hairpinMode, topologyManagerPolicy, topologyManagerScope, memoryReservationPolicy } = all;
  const hairpins = ['none', 'hairpin-veth', 'promiscuous-bridge'];
  return [
    [!all.runOnce, `runOnce (--runOnce) ${all.runOnce}, Runonce mode has been deprecated and should not be set`],
    [
      policies.includes(topologyManagerPolicy),
      `topologyManagerPolicy (--topology-manager-policy) "${topologyManagerPolicy}" must be one of: [${policies.map((each) => `"${each}"`).join(' ')}]`,
    ],
    [
      ['container', 'pod'].includes(topologyManagerScope),
      `topologyManagerScope (--topology-manager-scope) "${topologyManagerScope}" must be one of: "container", or "pod"`,
    ],
    [
      ['', 'NoSwap', 'LimitedSwap'].includes(swapBehavior),
      `memorySwap.swapBehavior "${swapBehavior}" must be one of: "", "LimitedSwap" or "NoSwap"`,
    ],
    [
      hairpins.includes(hairpinMode),
      `option "${hairpinMode}" specified for hairpinMode (--hairpin-mode). Valid options are ${quoted(hairpins, ' or ')}`,
    ],
    [
      ['None', 'TieredReservation'].includes(memoryReservationPolicy),
      `option "${memoryReservationPolicy}" specified for memoryReservationPolicy. Valid options are "None" or "TieredReservation"`,
    ],
    [['Webhook', 'AlwaysAllow'].includes(authorization.mode), `unknown authorization mode ${authorization.mode}`],
    [
      ['cgroupfs', 'systemd'].includes(all.cgroupDriver),
      `cgroupDriver (--cgroup-driver) must be "cgroupfs" or "systemd", got "${all.cgroupDriver}"`,
    ],
    [
      ['', 'VersionTLS10', 'VersionTLS11', 'VersionTLS12', 'VersionTLS13'].includes(all.tlsMinVersion),
      `unknown tls version "${all.tlsMinVersion}"`,
    ],
    [
      (all.tlsCertFile === '') === (all.tlsPrivateKeyFile === ''),
      'tlsCertFile (--tls-cert-file) and tlsPrivateKeyFile (--tls-private-key-file) must be specified together',
    ],
  ];
}

/** `"a", "b" or "c"` */
function quoted(words: readonly string[], last: string): string {
  const all = words.map((word) => `"${word}"`);
  return `${all.slice(0, -1).join(', ')}${last}${all.at(-1) ?? ''}`;
}

function shutdownChecks(all: KubeletSettings): readonly Check[] {
  const { shutdownGracePeriod: whole, shutdownGracePeriodCriticalPods: critical } = all;
  const isPeriod = (ms: number): boolean => ms === 0 || ms >= SECOND_MS;
  const restartMs = all.crashLoopBackOff.maxContainerRestartPeriod;
  const text = (ms: number): string => `{${formatDuration(ms)}}`;
  return [
    [
      critical <= whole,
      `shutdownGracePeriodCriticalPods ${text(critical)} must be <= shutdownGracePeriod ${text(whole)}`,
    ],
    [isPeriod(whole), `shutdownGracePeriod ${text(whole)} must be either zero or otherwise >= 1 sec`],
    [isPeriod(critical), `shutdownGracePeriodCriticalPods ${text(critical)} must be either zero or otherwise >= 1 sec`],
    [
      all.shutdownGracePeriodByPodPriority.length === 0 || (whole <= 0 && critical <= 0),
      'Cannot specify both shutdownGracePeriodByPodPriority and shutdownGracePeriod at the same time',
    ],
    [
      restartMs >= SECOND_MS && restartMs <= 300 * SECOND_MS,
      `CrashLoopBackOff.MaxContainerRestartPeriod (got: ${restartMs / SECOND_MS} seconds) must be set between 1s and 300s`,
    ],
    [
      all.cpuCFSQuotaPeriod >= 1 && all.cpuCFSQuotaPeriod <= SECOND_MS,
      `cpuCFSQuotaPeriod (--cpu-cfs-quota-period) ${text(all.cpuCFSQuotaPeriod)} must be between 1ms and 1sec, inclusive`,
    ],
  ];
}

function logChecks(all: KubeletSettings): readonly Check[] {
  const { podLogsDir } = all;
  return [
    [
      all.enableSystemLogHandler || !all.enableSystemLogQuery,
      'enableSystemLogHandler is required for enableSystemLogQuery',
    ],
    [all.containerLogMaxWorkers >= 1, 'containerLogMaxWorkers must be greater than or equal to 1'],
    [
      all.containerLogMonitorInterval >= 3 * SECOND_MS,
      'containerLogMonitorInterval must be a positive time duration greater than or equal to 3s',
    ],
    [all.containerLogMaxFiles > 1, 'containerLogMaxFiles must be greater than 1'],
    [
      quantityOf(all.containerLogMaxSize) !== undefined,
      `containerLogMaxSize (--container-log-max-size) "${all.containerLogMaxSize}" must be a quantity`,
    ],
    [podLogsDir.startsWith('/'), `pod logs path "${podLogsDir}" must be absolute path`],
    [posix.normalize(podLogsDir) === podLogsDir, `pod logs path "${podLogsDir}" must be normalized`],
    [
      [...podLogsDir].every((letter) => (letter.codePointAt(0) ?? 0) <= MAX_ASCII),
      `pod logs path "${podLogsDir}" mut contains ASCII characters only`,
    ],
  ];
}

function machineChecks(all: KubeletSettings): readonly Check[] {
  const { idsPerPod } = all.userNamespaces;
  const { memoryThrottlingFactor: factor } = all;
  return [
    [
      all.systemCgroups === '' || all.cgroupRoot !== '',
      'systemCgroups (--system-cgroups) was specified and cgroupRoot (--cgroup-root) was not specified',
    ],
    [
      factor > 0 && factor <= 1,
      `memoryThrottlingFactor ${factor} must be greater than 0 and less than or equal to 1.0`,
    ],
    [all.containerRuntimeEndpoint !== '', 'the containerRuntimeEndpoint was not specified or empty'],
    [idsPerPod === undefined || idsPerPod >= IDS_UNIT, `userNamespaces.idsPerPod must not be less than ${IDS_UNIT}`],
    [
      idsPerPod === undefined || idsPerPod % IDS_UNIT === 0,
      `userNamespaces.idsPerPod must be a multiple of ${IDS_UNIT}`,
    ],
    [
      idsPerPod === undefined || idsPerPod <= MAX_UINT32,
      `userNamespaces.idsPerPod must not be more than ${MAX_UINT32}`,
    ],
  ];
}
