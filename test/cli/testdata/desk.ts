import { admission, type App, app, controller, extensionServer, resource } from 'keelson';

const size = { type: 'object', properties: { size: { type: 'integer' } }, required: ['size'] } as const;
const replicas = { type: 'object', properties: { replicas: { type: 'integer' } }, required: ['replicas'] } as const;

export const Pool = resource('pools.example.dev/v1', 'Pool', { spec: size }).older(
  'v1beta1',
  { spec: replicas },
  { up: ({ spec }) => ({ spec: { size: spec.replicas } }), down: ({ spec }) => ({ spec: { replicas: spec.size } }) },
);

/** An app that API servers call for admission and for conversion. */
export function deskApp(): App {
  const limits = admission(Pool, {
    name: 'limits.pools.example.dev',
    failurePolicy: 'Fail',
    validate: ({ spec }) => (spec.size > 9 ? 'too large' : undefined),
    mutate: () => undefined,
  });
  const pools = controller(Pool, { reconcile: () => undefined });
  return app('pools', [pools], { resources: [Pool], server: extensionServer({ admission: [limits] }) });
}
