// A program in one folder: what it takes to add one. Its line is in ../one-line.ts.
import type { Program } from '../../../src/cluster/programs/index.ts';
import { flagsOf } from '../../../src/cluster/programs/index.ts';

export interface HeartbeatOptions {
  /** What the ConfigMap says; the program does not run without it. */
  readonly heartbeat?: string;
}

export const IDENTITY = { user: 'system:heartbeat', groups: [] };

const upstream = flagsOf([
  { verdict: 'obeyed', why: 'as upstream', flags: 'beat' },
  { verdict: 'refused', why: 'a heart has one rhythm', flags: 'rhythm=steady' },
]);

export const program: Program<HeartbeatOptions> = {
  name: 'heartbeat',
  isOnePerCluster: true,
  flags: {
    shared: { beat: { type: 'string', value: 'TEXT', group: 'Heartbeat', help: 'The text that each namespace gets' } },
    upstream: { inCluster: upstream, standalone: upstream },
  },
  access: {
    identity: IDENTITY,
    rules: [
      { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
      { apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'list', 'watch', 'create'] },
    ],
  },
  isWanted: ({ heartbeat }) => heartbeat !== undefined,
  load: async () => (await import('./heartbeat.ts')).body,
};
