// What other folders may use: a dashboard's port. The code behind it is loaded by the first connection.
export { Dashboard, type DashboardPlace } from './dashboard.ts';
export type { ClockState, ClockStep, LearnStep, LearnWalk } from './protocol.ts';
export type { ClusterTime, DashboardSettings, StepEnd } from './settings.ts';
export { selfSigned } from './self-signed.ts';
export type { ServingCertificate } from '../wire/listen/index.ts';
