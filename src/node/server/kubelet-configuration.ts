import { formatDuration, millisecondsOf } from '../../base/index.ts';
import type { NodeBackend, NodeSettings } from '../backend/index.ts';
import { HIGH_THRESHOLD_PERCENT, LOW_THRESHOLD_PERCENT, MIN_IMAGE_AGE_MS } from '../images/index.ts';
import { CHECK_EVERY_MS, LEASE_SECONDS, REPORT_EVERY_MS } from '../machine/index.ts';

/** The agent's settings as a KubeletConfiguration: the fields that it obeys, with the values that it uses. */
export function kubeletConfiguration({
  settings,
  backend,
}: {
  readonly settings: NodeSettings;
  readonly backend: Pick<NodeBackend, 'machine' | 'polling'>;
}): object {
  const { port, taints, maxParallelPulls } = settings;
  const { folders, dns, cgroupDriver, capacity, reserved } = backend.machine;
  const { checkEvery = REPORT_EVERY_MS } = backend.polling;
  return {
    kind: 'KubeletConfiguration',
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    enableServer: port !== 0,
    port,
    authentication: { x509: {}, webhook: { enabled: true, cacheTTL: '2m0s' }, anonymous: { enabled: false } },
    authorization: { mode: 'Webhook', webhook: { cacheAuthorizedTTL: '5m0s', cacheUnauthorizedTTL: '30s' } },
    registerNode: true,
    ...(taints.length === 0 ? {} : { registerWithTaints: taints }),
    clusterDomain: dns.clusterDomain,
    ...(dns.clusterServers.length === 0 ? {} : { clusterDNS: dns.clusterServers }),
    nodeStatusUpdateFrequency: formatDuration(Math.max(millisecondsOf(checkEvery), CHECK_EVERY_MS)),
    nodeStatusReportFrequency: formatDuration(REPORT_EVERY_MS),
    nodeLeaseDurationSeconds: LEASE_SECONDS,
    imageMinimumGCAge: formatDuration(MIN_IMAGE_AGE_MS),
    imageGCHighThresholdPercent: HIGH_THRESHOLD_PERCENT,
    imageGCLowThresholdPercent: LOW_THRESHOLD_PERCENT,
    cgroupDriver,
    maxPods: Number(capacity['pods'] ?? 0),
    serializeImagePulls: maxParallelPulls === 1,
    ...(maxParallelPulls === 1 ? {} : { maxParallelImagePulls: maxParallelPulls }),
    ...(Object.keys(reserved).length === 0 ? {} : { systemReserved: reserved }),
    podLogsDir: folders.podLogs,
  };
}
