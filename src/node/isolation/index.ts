// How pods are kept apart from the machine.
export { type PodIsolation, PodIsolations } from './pod-isolation.ts';
export { DEFAULT_IDS, type IdRange, UserNamespaces } from './user-namespaces.ts';
