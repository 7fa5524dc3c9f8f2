import { app, controller, resource, extensionServer } from 'keelson';

const newest = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] } as const;
const oldest = { type: 'object', properties: { replicas: { type: 'integer' } }, required: ['replicas'] } as const;

/** Has two versions, of which each can be made the other. Its description looks like a template of Helm. */
const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: newest,
  description: 'A cache of {{ .Values.size }}',
}).older(
  'v1beta1',
  { spec: oldest },
  { up: ({ spec }) => ({ spec: { size: spec.replicas } }), down: ({ spec }) => ({ spec: { replicas: spec.size } }) },
);

const caches = controller(Cache, { reconcile: () => undefined });

export const program = app('caches', [caches], { resources: [Cache], server: extensionServer() });
