// What other folders may use: writing controllers.
export type { CacheQuery, Objects } from './objects.ts';
export type { EventDetails, EventRecorder, EventSubject } from './events.ts';
export type { AppContext, Part, PreparedPart } from './part.ts';
export {
  type Controller,
  controller,
  type ControllerOptions,
  type ReconcileContext,
  type StatusOf,
  type Watch,
  type WatchContext,
} from './controller.ts';
export { controlledBy, type ControlledByOptions, watch, type WatchOptions } from './watch.ts';
export { type App, app, type AppOptions, type AppRunOptions } from './app.ts';
export type { KindCache } from './app/part-context.ts';
export type { HealthOptions } from './app/health-server.ts';
export type { LeaderElectionOptions } from './election/leader-election.ts';
export { LeadershipLostError } from './election/leadership-lost.ts';
export { run, type RunOptions } from './run.ts';
export type { ReconcileOutcome, ReconcileRecord, TraceFilter } from './trace.ts';
