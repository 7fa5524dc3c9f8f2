// What other folders may import: the scheduler, as a part of an app, and the interfaces for custom plugins.
export { scheduler, type SchedulerOptions } from './scheduler.ts';
export {
  defaultProfile,
  type ExtensionPoint,
  extensionPoints,
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
export {
  type Extender,
  type ExtenderVerdict,
  MAX_EXTENDER_SCORE,
  type PreemptOptions,
  type Victims,
} from './framework/extender.ts';
export { extenderBy, type ExtenderCalls, type ExtenderVerb } from './framework/extender-calls.ts';
export { type ExtenderTrust, httpExtender, type HttpExtenderOptions } from './framework/extender-http.ts';
export {
  type ConfiguredSchedulerContext,
  configuredScheduler,
  readSchedulerConfiguration,
  type SchedulerConfiguration,
  SchedulerConfigurationError,
  schedulerConfigurationText,
} from './config/index.ts';
export { type Rejection, unresolvable, unschedulable } from './framework/rejection.ts';
export { Cycle, type CycleKey } from './framework/cycle.ts';
export type { Change, ClusterAction, ClusterEvent, EventInterest } from './framework/cluster-event.ts';
export type { BestNodes } from './why/attempt-findings.ts';
export type { ExtenderCall, NodeRejections, NodeScores, SchedulingAttempt } from './why/scheduling-attempt.ts';
export { type AttemptNote, SchedulingAttempts, type SchedulingAttemptsOptions } from './why/scheduling-attempts.ts';
export type { Diagnosis } from './framework/diagnosis.ts';
export type { PreBindingPods } from './framework/pre-binding-pods.ts';
export type { WaitingPods } from './framework/waiting-pods.ts';
export { builtInPlugins } from './plugins/registry.ts';
export type { NodeInfo } from './cache/node-info.ts';
export type { NominatedPods } from './cache/nominated-pods.ts';
export type { PodInfo } from './cache/pod-info.ts';
export { Resources } from './cache/resources.ts';
export type { Snapshot } from './cache/snapshot.ts';
export type { QueuedPod } from './queue/queued-pod.ts';
// plugin arguments and their validation
export {
  type BalancedAllocationArgs,
  balancedAllocationArgsErrors,
  type FitArgs,
  fitArgsErrors,
} from './plugins/fit-args.ts';
export { type NodeAffinityArgs, nodeAffinityArgsErrors } from './plugins/node-affinity-args.ts';
export { type AffinityArgs, affinityArgsErrors } from './plugins/pod-affinity/affinity-args.ts';
export { type PreemptionArgs, preemptionArgsErrors } from './plugins/preemption/preemption-args.ts';
export { type SpreadArgs, spreadArgsErrors } from './plugins/topology-spread/spread-args.ts';
