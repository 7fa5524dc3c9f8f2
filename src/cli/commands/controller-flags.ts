import { parseDuration } from '../../base/index.ts';
import type { ClusterOptions } from '../../cluster/index.ts';
import { UsageError } from '../command.ts';
import type { FlagDefinitions, Flags } from '../flags.ts';

/** Flags of kube-controller-manager that controllers go by; their values without a flag are the controllers' own. */
export const controllerFlags: FlagDefinitions = {
  'node-monitor-period': { type: 'string', value: 'DURATION', help: 'How often nodes are looked at (5s)' },
  'node-monitor-grace-period': { type: 'string', value: 'DURATION', help: 'A node silent for so long is lost (50s)' },
  'node-startup-grace-period': { type: 'string', value: 'DURATION', help: 'The same for a node that is new (1m)' },
  'node-eviction-rate': { type: 'string', value: 'RATE', help: 'Nodes a second whose pods are evicted (0.1)' },
  'secondary-node-eviction-rate': {
    type: 'string',
    value: 'RATE',
    help: 'The same in a large zone that is in trouble (0.01)',
  },
  'large-cluster-size-threshold': { type: 'string', value: 'N', help: 'A zone of more nodes is large (50)' },
  'unhealthy-zone-threshold': { type: 'string', value: 'SHARE', help: 'So many bad nodes are trouble (0.55)' },
  'resource-quota-sync-period': { type: 'string', value: 'DURATION', help: 'How often quotas are counted anew (5m)' },
  'cluster-signing-duration': {
    type: 'string',
    value: 'DURATION',
    help: 'Longest life of certificates that are signed for requests (8760h)',
  },
  'terminated-pod-gc-threshold': { type: 'string', value: 'N', help: 'So many terminated pods are kept (12500)' },
};

/** What these flags say, as far as they are given. */
export function controllerSettings(flags: Flags): NonNullable<ClusterOptions['controllerSettings']> {
  const settings = {
    nodeMonitorPeriodMs: milliseconds(flags, 'node-monitor-period'),
    nodeMonitorGracePeriodMs: milliseconds(flags, 'node-monitor-grace-period'),
    nodeStartupGracePeriodMs: milliseconds(flags, 'node-startup-grace-period'),
    evictionRate: fraction(flags, 'node-eviction-rate', 1000),
    secondaryEvictionRate: fraction(flags, 'secondary-node-eviction-rate', 1000),
    largeClusterSizeThreshold: flags.integer('large-cluster-size-threshold', { min: 0, max: 1_000_000 }),
    unhealthyZoneThreshold: fraction(flags, 'unhealthy-zone-threshold', 1),
    resourceQuotaSyncPeriodMs: milliseconds(flags, 'resource-quota-sync-period'),
    maxDurationMs: milliseconds(flags, 'cluster-signing-duration'),
    terminatedPodThreshold: flags.integer('terminated-pod-gc-threshold', { min: 0, max: 10_000_000 }),
  };
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

function milliseconds(flags: Flags, name: string): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  try {
    const ms = parseDuration(text);
    if (ms > 0) return ms;
  } catch {
    // told below
  }
  throw new UsageError(`--${name} must be a duration such as 5s or 1m, got "${text}"`);
}

function fraction(flags: Flags, name: string, max: number): number | undefined {
  const text = flags.text(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^[0-9.]+$/.test(text) && value >= 0 && value <= max) return value;
  throw new UsageError(`--${name} must be a number from 0 to ${max}, got "${text}"`);
}
