import { app, ConfigMap, controller, type KubernetesObject, namespacedKind } from 'keelson';

interface Bucket extends KubernetesObject {
  spec: { region: string };
}
const Bucket = namespacedKind<Bucket>({ apiVersion: 'storage.example.dev/v1', kind: 'Bucket', plural: 'buckets' });

/** Handles buckets, a kind that another program defines. */
const buckets = controller(Bucket, {
  owns: [ConfigMap],
  reconcile: async ({ metadata: { name }, spec }, { desire }) =>
    void (await desire(ConfigMap, { metadata: { name }, data: { region: spec.region } })),
});

export const program = app('buckets', [buckets]);
