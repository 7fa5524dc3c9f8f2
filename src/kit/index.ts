// What other folders may use: writing controllers.
export type { CacheQuery, Objects } from './objects.ts';
export type { EventDetails, EventRecorder, EventSubject } from './events.ts';
export type { AppContext, Part, PreparedPart, Subscription } from './part.ts';
export type { ClusterState, ObjectChange, ProgramContext, ProgramPart } from './program-part.ts';
export type { Condition, StatedCondition } from './conditions.ts';
export type { ControllerOptions, ReconcileContext, StatusOf, Watch, WatchContext } from './controller-options.ts';
export { type Controller, controller } from './controller.ts';
export { controlledBy, type ControlledByOptions, watch, type WatchMapping } from './watch.ts';
export { app } from './app.ts';
export { ELECTION_NEEDS, INSTALLATION_NEED } from './app/app-needs.ts';
export type {
  App,
  AppOptions,
  AppRunOptions,
  AppService,
  PartView,
  ProgramAppOptions,
  ProgramRunOptions,
} from './app/app-options.ts';
export type { Dormancy, PartStart, ReadKind } from './app/dormancy.ts';
export type { KindCache } from './app/shared-resources.ts';
export {
  type HealthAnswer,
  type HealthOptions,
  type HealthQuestion,
  HealthServer,
  type HealthSource,
} from './app/health-server.ts';
export { type SecureHealthOptions, SecureHealthServer } from './app/secure-health-server.ts';
export { LeaderElection, type LeaderElectionOptions } from './election/leader-election.ts';
export { LeadershipLostError } from './election/leadership-lost.ts';
export type { RunCause } from './work/run-tracker.ts';
export { podsByNode } from './indexes.ts';
export { EchoFilter } from './work/echo-filter.ts';
export {
  type AddKeyOptions,
  type KeyedWorkers,
  type KeyedWorkersOptions,
  WORK_FAILED,
  type WorkContext,
} from './work/keyed-workers.ts';
export { type WorkState, workStateOf, type WorkView } from './work/work-state.ts';
export { watchEventLoop } from './work/blocked-loop.ts';
export { RunTracker, type TrackedRun, unfinished } from './work/run-tracker.ts';
export { Passes, type PassesContext, type PassesOptions } from './work/passes.ts';
export { inParallel, TaskPool } from './work/task-pool.ts';
export { onUnhandledRejection, run } from './run.ts';
export type { RunOptions } from './run-options.ts';
export { hostRuns, type NodePlugin, runHost, type RunHost } from './run-host.ts';
export { StopSignals } from './stop-signals.ts';
export { DEPLOYMENT_VARIABLES } from './deployment-environment.ts';
export type { ReconcileOutcome, ReconcileRecord, TraceFilter } from './trace.ts';
export { resource } from './resource/resource.ts';
export { checkDefinition } from './resource/check-definition.ts';
export { conversionOf } from './resource/conversion-of.ts';
export { extensionServer, type ExtensionServerOptions, type ExtensionServing } from './app/extension-server.ts';
export { type DefinedKind, isDefinedKind } from './resource/defined-kind.ts';
export type { InstallContext, InstallOptions } from './resource/install-options.ts';
export { installKinds } from './resource/install.ts';
export type { Change } from './resource/changes/change.ts';
export { definitionChanges } from './resource/changes/definition-changes.ts';
export type { CustomResource, LocalOptions, ObjectOf } from './resource/custom-resource.ts';
export type {
  Converted,
  CustomObject,
  Definition,
  ManifestOptions,
  OlderOptions,
  ReadObject,
  ResourceOptions,
  ScaleOptions,
  SentObject,
  VersionOptions,
} from './resource/resource-options.ts';
export type { ColumnOptions, Columns } from './resource/columns.ts';
export type { PathTo } from './resource/recorded-path.ts';
export type { RuleOptions, Rules } from './resource/rules.ts';
export type { RoundTripLoss, RoundTripOptions, RoundTripReport } from './resource/round-trip.ts';
export { generateSample } from './resource/generate-sample.ts';
export type { Structural } from './resource/schema-words.ts';
export { SchemaError, type SchemaProblem } from './resource/schema-problem.ts';
export {
  type InputOf,
  type JsonSchema,
  jsonSchemaOf,
  type OutputOf,
  type SchemaSource,
  type StandardSchema,
} from './resource/schema-source.ts';
export { type AccessNeed, type AppRoles, rbacOf, type RbacOptions } from './rbac/index.ts';
export * from './apis/index.ts';
export * from './extender/index.ts';
export * from './kms/index.ts';
export * from './webhooks/index.ts';
