// What the rest of the kit may use: extenders of schedulers.
export { extender, type ExtenderQuestion, SchedulerExtender } from './extender.ts';
export type { ExtenderContext, ExtenderOptions, FilterAnswer } from './extender-options.ts';
export type { NodeView, PodView } from './extender-views.ts';
