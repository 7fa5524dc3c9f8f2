// Mistakes that show when what the operator knows is not what is there.
import { app, ConfigMap, controller, hasReason, keyOf, mergePatch, PersistentVolumeClaim, watch } from 'keelson';
import { pair, Site } from './site.ts';

const resources = [Site];
const MAX = 5;
const claimRights = [
  { group: '', resource: 'persistentvolumeclaims', verbs: ['get', 'list', 'watch', 'create', 'delete'] },
];

const claimSpec: NonNullable<PersistentVolumeClaim['spec']> = {
  accessModes: ['ReadWriteOnce'],
  storageClassName: 'none',
  resources: { requests: { storage: '1Gi' } },
};

export const staleViews = [
  pair(
    'orphans',
    'deletes claims whose owner it does not know, without asking the server',
    (isBuggy) =>
      app(
        'orphans',
        [
          controller(PersistentVolumeClaim, {
            where: { labelSelector: 'site' },
            reads: [Site],
            async reconcile(claim, { objects }) {
              const key = `${claim.metadata.namespace}/${claim.metadata.labels?.['site']}`;
              if (objects(Site).get(key) !== undefined) return;
              if (!isBuggy && (await objects(Site).fetch(key)) !== undefined) return;
              await objects(PersistentVolumeClaim).delete(keyOf(claim));
            },
          }),
        ],
        { resources, needs: claimRights },
      ),
    {
      steps: {
        create: async ({ client }) => {
          await client
            .kind(Site)
            .namespace('default')
            .create({ metadata: { name: 'web' }, spec: { size: 1 } });
          const metadata = { name: 'data', labels: { site: 'web' } };
          await client.kind(PersistentVolumeClaim).namespace('default').create({ metadata, spec: claimSpec });
        },
        change: ({ client }) =>
          client
            .kind(Site)
            .namespace('default')
            .patch('web', mergePatch({ spec: { size: 2 } })),
      },
    },
  ),
  pair(
    'shrinks by hearsay',
    'deletes claims by an old size',
    (isBuggy) =>
      app(
        'shrinks-by-hearsay',
        [
          controller(Site, {
            reads: [PersistentVolumeClaim],
            async reconcile(site, { objects }) {
              const { name, namespace } = site.metadata;
              const { size } = isBuggy ? site.spec : ((await objects(Site).fetch(keyOf(site)))?.spec ?? site.spec);
              for (let index = 0; index < MAX; index++) {
                const claim = `${name}-${index}`;
                const isThere = objects(PersistentVolumeClaim).get(`${namespace}/${claim}`) !== undefined;
                if (index >= size) await objects(PersistentVolumeClaim).delete(`${namespace}/${claim}`);
                else if (!isThere)
                  await objects(PersistentVolumeClaim)
                    .create({ metadata: { name: claim, namespace }, spec: claimSpec })
                    .catch((error: unknown) => {
                      if (!hasReason(error, 'AlreadyExists')) throw error;
                    });
              }
            },
          }),
        ],
        { resources, needs: claimRights },
      ),
    {
      steps: {
        create: ({ client }) =>
          client
            .kind(Site)
            .namespace('default')
            .create({ metadata: { name: 'web' }, spec: { size: 1 } }),
        grow: ({ client }) =>
          client
            .kind(Site)
            .namespace('default')
            .patch('web', mergePatch({ spec: { size: 3 } })),
      },
      faults: ['crash', 'restart', 'stale', 'past'],
    },
  ),
  pair('known by name', 'takes a new object for the old one of the same name', (isBuggy) => {
    const done = new Set<string>();
    return app(
      'known-by-name',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire }) {
            const { name } = site.metadata;
            const id = `${keyOf(site)} ${site.spec.size}`;
            if (isBuggy && done.has(id)) return;
            done.add(id);
            await desire(ConfigMap, { metadata: { name }, data: { size: String(site.spec.size) } });
          },
        }),
      ],
      { resources },
    );
  }),
  pair('counts children', 'names new children by how many there are', (isBuggy) =>
    app(
      'counts-children',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name, namespace, uid } = site.metadata;
            const { size } = site.spec;
            if (!isBuggy) {
              for (let index = 0; index < size; index++)
                await desire(ConfigMap, { metadata: { name: `${name}-${index}` } });
              return;
            }
            const owner = { apiVersion: Site.apiVersion, kind: 'Site', name, uid, controller: true };
            for (let count = objects(ConfigMap).list({ controlledBy: uid }).length; count < size; count++)
              await objects(ConfigMap).create({
                metadata: { name: `${name}-${count}`, namespace, ownerReferences: [owner] },
              });
          },
        }),
      ],
      { resources, needs: [{ group: '', resource: 'configmaps', verbs: ['create'] }] },
    ),
  ),
  pair('observed too much', 'notes a generation that it has not acted on', (isBuggy) =>
    app(
      'observed-too-much',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name, generation } = site.metadata;
            if (isBuggy && site.status?.observedGeneration === generation) return;
            await desire(ConfigMap, { metadata: { name }, data: { size: String(site.spec.size) } });
            const latest = isBuggy ? await objects(Site).fetch(keyOf(site)) : site;
            return { observedGeneration: latest?.metadata.generation ?? 0 };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair(
    'every change',
    'needs to see every change',
    (isBuggy) =>
      app(
        'every-change',
        [
          controller(Site, {
            owns: [ConfigMap],
            async reconcile(site, { objects, desire, desireAll }) {
              const { namespace } = site.metadata;
              const { size } = site.spec;
              const isThere = (wanted: number): boolean =>
                objects(ConfigMap).get(`${namespace}/size-${wanted}`) !== undefined;
              if (isBuggy && size > 1 && !isThere(size) && !isThere(size - 1))
                throw new Error(`Cannot go on from size ${size - 1}: it has left nothing`);
              const own = { metadata: { name: `size-${size}` } };
              await desire(ConfigMap, own);
              await desireAll(ConfigMap, [own]);
            },
          }),
        ],
        { resources },
      ),
    {
      steps: {
        create: ({ client }) =>
          client
            .kind(Site)
            .namespace('default')
            .create({ metadata: { name: 'web' }, spec: { size: 1 } }),
        grow: ({ client }) =>
          client
            .kind(Site)
            .namespace('default')
            .patch('web', mergePatch({ spec: { size: 2 } })),
        'grow again': ({ client }) =>
          client
            .kind(Site)
            .namespace('default')
            .patch('web', mergePatch({ spec: { size: 3 } })),
      },
    },
  ),
  pair(
    'missing for good',
    'takes what its cache does not have yet for what does not exist',
    (isBuggy) =>
      app(
        'missing-for-good',
        [
          controller(Site, {
            watches: [watch(ConfigMap, { to: () => ['default/web'] })],
            async reconcile(site, { objects }) {
              if (isBuggy && site.status?.phase === 'Invalid') return;
              const isThere = objects(ConfigMap).get(`${site.metadata.namespace}/settings`) !== undefined;
              return { phase: isThere ? 'Ready' : 'Invalid' };
            },
          }),
        ],
        { resources },
      ),
    {
      steps: {
        create: async ({ client }) => {
          await client.core.v1.configmaps.namespace('default').create({ metadata: { name: 'settings' } });
          await client
            .kind(Site)
            .namespace('default')
            .create({ metadata: { name: 'web' }, spec: { size: 1 } });
        },
      },
    },
  ),
  pair('hash in the status', 'compares with what it has written once, not with what is there', (isBuggy) =>
    app(
      'hash-in-the-status',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire }) {
            const { name } = site.metadata;
            const seen = `${site.spec.size} ${site.spec.host}`;
            if (isBuggy && site.status?.seen === seen) return;
            await desire(ConfigMap, { metadata: { name }, data: { size: String(site.spec.size) } });
            return { seen };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('old name forgotten', 'cleans up only after changes that it has seen itself', (isBuggy) => {
    const names = new Map<string, string>();
    return app(
      'old-name-forgotten',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire, desireAll, objects }) {
            const { namespace } = site.metadata;
            const { host = 'a' } = site.spec;
            if (!isBuggy) return void (await desireAll(ConfigMap, [{ metadata: { name: host } }]));
            await desire(ConfigMap, { metadata: { name: host } });
            const former = names.get(keyOf(site));
            if (former !== undefined && former !== host) await objects(ConfigMap).delete(`${namespace}/${former}`);
            names.set(keyOf(site), host);
          },
        }),
      ],
      { resources },
    );
  }),
];
