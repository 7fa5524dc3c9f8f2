import { Buffer } from 'node:buffer';
import type { Machine } from '../backend/index.ts';
import type { LogEntry, RuntimeStatus } from '../runtime/index.ts';

/** A small machine in a cluster with a DNS server. */
export const TEST_MACHINE: Machine = {
  operatingSystem: 'linux',
  architecture: 'arm64',
  kubeletVersion: 'v1.36.0',
  addresses: ['10.0.0.1'],
  hasPodNetwork: true,
  info: { machineID: 'm', systemUUID: 's', bootID: 'b', kernelVersion: 'k', osImage: 'test' },
  capacity: { cpu: '4', memory: '8Gi', pods: '20' },
  reserved: { cpu: '1' },
  folders: { root: '/var/lib/kubelet', podLogs: '/var/log/pods' },
  cgroupDriver: 'systemd',
  dns: { clusterServers: ['10.96.0.10'], clusterDomain: 'cluster.local', resolver: undefined },
  pressure: async () => ({ memory: false, disk: false, pid: false }),
};

/** The status of a runtime that is ready; its network is ready as given. */
export function runtimeStatus(status: boolean): RuntimeStatus {
  const network = { type: 'NetworkReady', status, reason: 'NetworkPluginNotReady', message: 'no plugin' };
  const conditions = [{ type: 'RuntimeReady', status: true, reason: '', message: '' }, network];
  return { conditions, runtimeHandlers: [], features: { supplementalGroupsPolicy: true } };
}

/** Lines of a log. */
export async function* logEntries(text: string): AsyncGenerator<LogEntry> {
  for (const line of text.split('\n').filter((each) => each !== ''))
    yield { time: '2026-01-01T00:00:00.000000000Z', stream: 'stdout', content: Buffer.from(line), isLineEnd: true };
}
