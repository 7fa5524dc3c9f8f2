import {
  accepted,
  duration,
  flag,
  group,
  headers,
  integer,
  map,
  OBEYED,
  optionalGroup,
  pointedDuration,
  pointedInteger,
  pointedLong,
  shutdownPeriods,
  text,
  texts,
  thresholds,
} from '../../settings/setting.ts';

/** Free space below which a kubelet evicts pods, where nothing else is asked for. */
export const DEFAULT_EVICTION_HARD = {
  'memory.available': '100Mi',
  'nodefs.available': '10%',
  'nodefs.inodesFree': '5%',
  'imagefs.available': '15%',
  'imagefs.inodesFree': '5%',
} as const;

/** Pods: where they come from besides the API, their logs, volumes and security, evictions, and the machine's shutdown. */
export const podFields = {
  staticPodPath: text('', OBEYED, 'pod-manifest-path'),
  fileCheckFrequency: duration(20_000, OBEYED, 'file-check-frequency'),
  staticPodURL: text('', OBEYED, 'manifest-url'),
  staticPodURLHeader: headers({}, OBEYED, 'manifest-url-header'),
  httpCheckFrequency: duration(20_000, OBEYED, 'http-check-frequency'),

  podLogsDir: text('/var/log/pods', OBEYED),
  containerLogMaxSize: text('10Mi', OBEYED, 'container-log-max-size'),
  containerLogMaxFiles: pointedInteger(5, OBEYED, 'container-log-max-files'),
  containerLogMaxWorkers: pointedInteger(1, OBEYED),
  containerLogMonitorInterval: pointedDuration(10_000, OBEYED),

  evictionHard: thresholds(DEFAULT_EVICTION_HARD, OBEYED, 'eviction-hard'),
  evictionSoft: thresholds({}, OBEYED, 'eviction-soft'),
  evictionSoftGracePeriod: map({}, OBEYED, 'eviction-soft-grace-period'),
  evictionMinimumReclaim: map({}, OBEYED, 'eviction-minimum-reclaim'),
  evictionPressureTransitionPeriod: duration(300_000, OBEYED, 'eviction-pressure-transition-period'),
  evictionMaxPodGracePeriod: integer(0, OBEYED, 'eviction-max-pod-grace-period'),
  mergeDefaultEvictionSettings: flag(false, OBEYED),

  shutdownGracePeriod: duration(0, OBEYED),
  shutdownGracePeriodCriticalPods: duration(0, OBEYED),
  shutdownGracePeriodByPodPriority: shutdownPeriods([], OBEYED),

  configMapAndSecretChangeDetectionStrategy: text('Watch', OBEYED),
  volumePluginDir: text('/usr/libexec/kubernetes/kubelet-plugins/volume/exec/', OBEYED, 'volume-plugin-dir'),
  volumeStatsAggPeriod: duration(
    60_000,
    accepted('volumes are measured for each request, at most once a minute'),
    'volume-stats-agg-period',
  ),

  allowedUnsafeSysctls: texts([], OBEYED, 'allowed-unsafe-sysctls'),
  seccompDefault: flag(false, OBEYED, 'seccomp-default'),
  userNamespaces: optionalGroup('UserNamespaces', { idsPerPod: pointedLong(undefined, OBEYED) }),
  crashLoopBackOff: group('CrashLoopBackOffConfig', { maxContainerRestartPeriod: pointedDuration(300_000, OBEYED) }),
};
