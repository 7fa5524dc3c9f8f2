export { podGc, type PodGcOptions } from './pod-gc.ts';
