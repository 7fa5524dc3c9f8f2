// What operators in other languages are put through.
import { join } from 'node:path';
import { mergePatch } from 'keelson';
import type { ProgramScenario } from 'keelson/testing';

const web = {
  apiVersion: 'acme.dev/v1',
  kind: 'Cache',
  metadata: { name: 'web', namespace: 'default' },
  spec: { size: 1 },
};

export const life: Omit<ProgramScenario, 'run'> = {
  cluster: { nodes: 0, scheduler: false },
  setup: (cluster) => cluster.load(join(import.meta.dirname, 'fetch', 'definition.yaml')),
  steps: {
    create: async ({ client }) => (await client.dynamic('acme.dev/v1', 'Cache')).namespace('default').create(web),
    change: async ({ client }) =>
      (await client.dynamic('acme.dev/v1', 'Cache'))
        .namespace('default')
        .patch('web', mergePatch({ spec: { size: 3 } })),
    remove: async ({ client }) => (await client.dynamic('acme.dev/v1', 'Cache')).namespace('default').delete('web'),
  },
};
