// The published door `keelson/scheduler`: the scheduler as a part of an app, and what plugins of one's own need.
export { scheduler, type SchedulerOptions } from './scheduler.ts';
export {
  type ConfiguredSchedulerContext,
  configuredScheduler,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
  SchedulerConfigurationError,
} from './config/index.ts';
export {
  defaultProfile,
  type ExtensionPoint,
  type PluginUse,
  type PointPlugins,
  type Profile,
} from './framework/profile.ts';
export {
  MAX_NODE_SCORE,
  type NodeTrial,
  type Nomination,
  type Plugin,
  type PostFilterAnswer,
  type PostFilterContext,
  type PreFilterAnswer,
  type StepOptions,
} from './framework/plugin.ts';
export type { Lister, PluginContext, PluginFactory, SharedContext } from './framework/plugin-context.ts';
export { type Rejection, unresolvable, unschedulable } from './framework/rejection.ts';
export { Cycle, type CycleKey } from './framework/cycle.ts';
export type { Change, ClusterAction, ClusterEvent, EventInterest } from './framework/cluster-event.ts';
export {
  type Extender,
  type ExtenderVerdict,
  MAX_EXTENDER_SCORE,
  type PreemptOptions,
  type Victims,
} from './framework/extender.ts';
export { extenderBy, type ExtenderCalls, type ExtenderVerb } from './framework/extender-calls.ts';
export { type ExtenderTrust, httpExtender, type HttpExtenderOptions } from './framework/extender-http.ts';
export { builtInPlugins } from './plugins/registry.ts';
export type { NodeInfo } from './cache/node-info.ts';
export type { PodInfo } from './cache/pod-info.ts';
export { Resources } from './cache/resources.ts';
export type { Snapshot } from './cache/snapshot.ts';
export type { QueuedPod } from './queue/queued-pod.ts';
export type { SchedulingAttempt } from './why/scheduling-attempt.ts';
