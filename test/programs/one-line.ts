import { programs } from '../../src/cluster/programs/index.ts';

/** The list of programs with one more. */
export const withHeartbeat = [
  ...programs,
  { command: 'heartbeat', summary: 'Tell each namespace', load: () => import('./heartbeat/program.ts') },
] as const;
