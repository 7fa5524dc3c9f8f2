// Logs, commands, terminals and ports of pods.
export { FileLogs } from './file-logs.ts';
export type { PodLogOptions } from './log-output.ts';
export { PodStreams, type StreamOptions } from './pod-streams.ts';
