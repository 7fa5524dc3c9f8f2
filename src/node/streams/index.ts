// Logs, commands, terminals and ports of pods.
export { FileLogs } from './file-logs.ts';
export { OutputLog } from './output-log.ts';
export { logOutput, type PodLogOptions, PodStreams, type StreamOptions } from './pod-streams.ts';
