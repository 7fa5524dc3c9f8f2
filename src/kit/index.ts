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
export { type App, app, type AppOptions } from './app.ts';
export type { ReconcileOutcome, ReconcileRecord, TraceFilter } from './trace.ts';
