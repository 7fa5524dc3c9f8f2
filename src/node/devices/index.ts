// Devices that claims ask for, on nodes.
export { podClaims } from './pod-claims.ts';
