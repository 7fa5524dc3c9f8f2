// Logs, commands, terminals and ports of pods.
export { FileLogs } from './file-logs.ts';
export { type PodLogOptions, PodStreams, type StreamOptions } from './pod-streams.ts';
