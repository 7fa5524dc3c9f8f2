// Mistakes about what belongs to whom, and what is left when it goes.
import { app, ClusterRole, ConfigMap, controller, hasReason, jsonPatch, keyOf, mergePatch } from 'keelson';
import { pair, Site, sites } from './site.ts';

const resources = [Site];
const configMaps = [{ group: '', resource: 'configmaps', verbs: ['create', 'patch', 'delete'] }];
const roles = [{ group: 'rbac.authorization.k8s.io', resource: 'clusterroles', verbs: ['create', 'delete'] }];

async function unlessThere(creating: Promise<unknown>): Promise<void> {
  await creating.catch((error: unknown) => {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  });
}

export const names = [
  pair('takes what it finds', 'writes over an object that belongs to somebody else', (isBuggy) =>
    app(
      'takes-what-it-finds',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name, namespace, uid } = site.metadata;
            const data = { size: String(site.spec.size) };
            if (!isBuggy) return void (await desire(ConfigMap, { metadata: { name }, data }));
            const owner = { apiVersion: Site.apiVersion, kind: 'Site', name, uid, controller: true };
            const there = objects(ConfigMap).get(keyOf(site));
            if (there === undefined)
              await objects(ConfigMap).create({ metadata: { name, namespace, ownerReferences: [owner] }, data });
            else if (there.data?.['size'] !== data.size)
              await objects(ConfigMap).patch(keyOf(site), mergePatch({ data }));
          },
        }),
      ],
      { resources, needs: configMaps },
    ),
  ),
  pair('deletes by name', 'deletes what has the name of its child, whoever made it', (isBuggy) =>
    app(
      'deletes-by-name',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects }) {
            const { name, namespace, uid } = site.metadata;
            const owner = { apiVersion: Site.apiVersion, kind: 'Site', name, uid, controller: true };
            if (objects(ConfigMap).get(keyOf(site)) === undefined)
              await objects(ConfigMap).create({ metadata: { name, namespace, ownerReferences: [owner] } });
          },
          async finalize(site, { objects }) {
            const { uid } = site.metadata;
            const there = objects(ConfigMap).get(keyOf(site));
            const isOwn = there?.metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;
            if (isBuggy || isOwn) await objects(ConfigMap).delete(keyOf(site));
          },
        }),
      ],
      { resources, needs: configMaps },
    ),
  ),
  pair(
    'one name for two',
    'gives objects of two namespaces the same cluster-wide child',
    (isBuggy) =>
      app(
        'one-name-for-two',
        [
          controller(Site, {
            async reconcile(site, { client }) {
              const { name, namespace } = site.metadata;
              const role = isBuggy ? `site-${name}` : `site-${namespace}-${name}`;
              await unlessThere(client.kind(ClusterRole).create({ metadata: { name: role }, rules: [] }));
            },
            async finalize(site, { client }) {
              const { name, namespace } = site.metadata;
              const role = isBuggy ? `site-${name}` : `site-${namespace}-${name}`;
              await client
                .kind(ClusterRole)
                .delete(role)
                .catch((error: unknown) => {
                  if (!hasReason(error, 'NotFound')) throw error;
                });
            },
          }),
        ],
        { resources, needs: roles },
      ),
    {
      steps: {
        create: async ({ client }) => {
          for (const namespace of ['default', 'kube-public'])
            await client
              .kind(Site)
              .namespace(namespace)
              .create({ metadata: { name: 'web' }, spec: { size: 1 } });
        },
        remove: (cluster) => sites(cluster).delete('web'),
      },
      invariants: {
        'a site that is left has its role': async ({ client }) =>
          (await client.kind(ClusterRole).list()).items.some(({ metadata }) => /^site-.*web$/.test(metadata.name)),
      },
    },
  ),
  pair('left in the cluster', 'never deletes its cluster-wide child', (isBuggy) =>
    app(
      'left-in-the-cluster',
      [
        controller(Site, {
          async reconcile(site, { client }) {
            await unlessThere(
              client.kind(ClusterRole).create({ metadata: { name: `site-${site.metadata.name}` }, rules: [] }),
            );
          },
          async finalize(site, { client }) {
            if (isBuggy) return;
            await client
              .kind(ClusterRole)
              .delete(`site-${site.metadata.name}`)
              .catch((error: unknown) => {
                if (!hasReason(error, 'NotFound')) throw error;
              });
          },
        }),
      ],
      { resources, needs: roles },
    ),
  ),
  pair('child without owner', 'makes a child that nothing deletes', (isBuggy) =>
    app(
      'child-without-owner',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire, client }) {
            const { name, namespace = '' } = site.metadata;
            if (!isBuggy) return void (await desire(ConfigMap, { metadata: { name } }));
            await unlessThere(client.kind(ConfigMap).namespace(namespace).create({ metadata: { name } }));
          },
        }),
      ],
      { resources, needs: configMaps },
    ),
  ),
  pair('more than it says', 'reads what its role does not allow', (isBuggy) =>
    app(
      'more-than-it-says',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire, client }) {
            const { name, namespace = '' } = site.metadata;
            const { items } = await client.core.v1.pods.namespace(namespace).list({ labelSelector: { site: name } });
            await desire(ConfigMap, { metadata: { name }, data: { pods: String(items.length) } });
          },
        }),
      ],
      { resources, needs: isBuggy ? [] : [{ group: '', resource: 'pods', verbs: ['list'] }] },
    ),
  ),
  pair(
    'by position',
    'removes a list’s member at the place where it once was',
    (isBuggy) =>
      app(
        'by-position',
        [
          controller(Site, {
            async reconcile(site, { objects }) {
              const { deletionTimestamp, finalizers = [], uid, resourceVersion } = site.metadata;
              const place = finalizers.indexOf('acme.dev/own');
              if (deletionTimestamp === undefined && place < 0)
                return void (await objects(Site).patch(
                  keyOf(site),
                  mergePatch({ metadata: { uid, resourceVersion, finalizers: [...finalizers, 'acme.dev/own'] } }),
                ));
              if (deletionTimestamp === undefined || place < 0) return;
              const path = `/metadata/finalizers/${place}`;
              const test = { op: 'test', path, value: 'acme.dev/own' } as const;
              await objects(Site).patch(keyOf(site), jsonPatch([...(isBuggy ? [] : [test]), { op: 'remove', path }]));
            },
          }),
        ],
        { resources, needs: [{ group: 'acme.dev', resource: 'sites', verbs: ['patch'] }] },
      ),
    {
      steps: {
        create: (cluster) =>
          sites(cluster).create({
            metadata: { name: 'web', finalizers: ['acme.dev/a', 'acme.dev/b'] },
            spec: { size: 1 },
          }),
        remove: (cluster) => sites(cluster).delete('web'),
        release: (cluster) =>
          sites(cluster).patch('web', jsonPatch([{ op: 'remove', path: '/metadata/finalizers/0' }])),
      },
      leaves: ['Site'],
    },
  ),
];
