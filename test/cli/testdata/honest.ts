import { type App, app, ConfigMap, controller, Secret } from 'keelson';

/** Copies ConfigMaps into Secrets with a separate client, so that the kit does not know about it. */
export const copies = controller(ConfigMap, {
  name: 'copies',
  where: { labelSelector: 'copy' },
  async reconcile({ metadata: { name, namespace = '' }, data = {} }, { client }) {
    await client.kind(Secret).namespace(namespace).create({ metadata: { name }, stringData: { ...data } });
  },
});

export function honestApp(): App {
  return app('honest', [copies], { needs: [{ group: '', resource: 'secrets', verbs: ['create'] }] });
}

/** The same without the right that it needs. */
export function greedyApp(): App {
  return app('greedy-by-call', [copies]);
}
