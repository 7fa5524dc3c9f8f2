export { Conntrack, type ConntrackOptions } from './conntrack.ts';
export { type Flow, readFlow } from './flow.ts';
