// Devices that claims ask for, on nodes.
export { deviceViews } from './device-views.ts';
export { podClaims } from './pod-claims.ts';
