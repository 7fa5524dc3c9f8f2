// What other folders may use: writing controllers.
export type { CacheQuery, Objects } from './objects.ts';
export type { EventDetails, EventRecorder, EventSubject } from './events.ts';
export type { AppContext, Part, PreparedPart } from './part.ts';
export type { Controller, ControllerOptions, ReconcileContext, StatusOf, Watch } from './controller.ts';
