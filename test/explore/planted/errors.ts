// Mistakes that show when a request fails.
import { app, ConfigMap, controller, hasReason, keyOf, mergePatch, Secret } from 'keelson';
import { isOwned, pair, Site, sites } from './site.ts';

const resources = [Site];
const configMaps = [{ group: '', resource: 'configmaps', verbs: ['create', 'update', 'delete'] }];

export const errors = [
  pair('error swallowed', 'logs an error and calls it done', (isBuggy) =>
    app(
      'error-swallowed',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire, log }) {
            const { name } = site.metadata;
            try {
              await desire(ConfigMap, { metadata: { name }, data: { size: String(site.spec.size) } });
            } catch (error) {
              if (!isBuggy) throw error;
              log.warn('child not written', { error });
            }
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('all settled', 'does not look how its parallel writes ended', (isBuggy) =>
    app(
      'all-settled',
      [
        controller(Site, {
          owns: [ConfigMap, Secret],
          async reconcile(site, { desire }) {
            const { name } = site.metadata;
            const writes = [desire(Secret, { metadata: { name } }), desire(ConfigMap, { metadata: { name } })];
            if (isBuggy) await Promise.allSettled(writes);
            else await Promise.all(writes);
            return { phase: 'Ready' };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('conflict is final', 'gives up for good when another writer was faster', (isBuggy) =>
    app(
      'conflict-is-final',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name } = site.metadata;
            if (site.status?.phase === 'Failed') return;
            const data = { size: String(site.spec.size) };
            const there = objects(ConfigMap).get(keyOf(site));
            if (there === undefined || !isOwned(there, site)) await desire(ConfigMap, { metadata: { name }, data });
            else if (there.data?.['size'] !== data.size)
              try {
                await objects(ConfigMap).update({ ...there, data });
              } catch (error) {
                if (!isBuggy || !hasReason(error, 'Conflict')) throw error;
                return { phase: 'Failed' };
              }
          },
        }),
      ],
      { resources, needs: configMaps },
    ),
  ),
  pair('another try, another name', 'tries again with a new name after a failure', (isBuggy) => {
    let tries = 0;
    return app(
      'another-try',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects }) {
            const { name, namespace, uid } = site.metadata;
            const child = isBuggy ? `${name}-${tries}` : `${name}-0`;
            const isThere = isBuggy || objects(ConfigMap).get(`${namespace}/${child}`) !== undefined;
            if (site.status?.address !== undefined && isThere) return site.status;
            const owner = { apiVersion: Site.apiVersion, kind: 'Site', name, uid, controller: true };
            tries += 1;
            try {
              await objects(ConfigMap).create({ metadata: { name: child, namespace, ownerReferences: [owner] } });
            } catch (error) {
              if (isBuggy || !hasReason(error, 'AlreadyExists')) throw error;
            }
            return { address: isBuggy ? 'made' : child };
          },
        }),
      ],
      { resources, needs: configMaps },
    );
  }),
  pair('lost update', 'writes back a whole object that it has read before, with the version of the newest', (isBuggy) =>
    app(
      'lost-update',
      [
        controller(Site, {
          async reconcile(site, { objects, client }) {
            if (site.metadata.annotations?.['acme.dev/seen'] !== undefined) return;
            const annotations = { ...site.metadata.annotations, 'acme.dev/seen': 'yes' };
            if (!isBuggy)
              return void (await objects(Site).patch(
                keyOf(site),
                mergePatch({ metadata: { annotations: { 'acme.dev/seen': 'yes' } } }),
              ));
            const { name, namespace = '' } = site.metadata;
            const { resourceVersion } = (await client.kind(Site).namespace(namespace).get(name)).metadata;
            await objects(Site).update({ ...site, metadata: { ...site.metadata, annotations, resourceVersion } });
          },
        }),
      ],
      { resources, needs: [{ group: 'acme.dev', resource: 'sites', verbs: ['get', 'update', 'patch'] }] },
    ),
  ),
  pair('gone is an error', 'cannot finish when what it deletes is gone already', (isBuggy) =>
    app(
      'gone-is-an-error',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { desire }) {
            await desire(ConfigMap, { metadata: { name: site.metadata.name } });
          },
          async finalize(site, { client }) {
            const { name, namespace = '' } = site.metadata;
            const maps = client.kind(ConfigMap).namespace(namespace);
            try {
              if (isOwned(await maps.get(name), site)) await maps.delete(name);
            } catch (error) {
              if (isBuggy || !hasReason(error, 'NotFound')) throw error;
            }
          },
        }),
      ],
      { resources, needs: configMaps },
    ),
  ),
  pair(
    'fights on',
    'writes for ever once it has seen a stranger’s change',
    (isBuggy) => {
      const disturbed = new Set<string>();
      return app(
        'fights-on',
        [
          controller(Site, {
            owns: [ConfigMap],
            async reconcile(site, { objects, desire, after, clock }) {
              const { name } = site.metadata;
              const data = { size: String(site.spec.size) };
              const there = objects(ConfigMap).get(keyOf(site));
              if (there !== undefined && /changed/.test(there.data?.['size'] ?? '')) disturbed.add(keyOf(site));
              await desire(ConfigMap, { metadata: { name }, data });
              if (!isBuggy || !disturbed.has(keyOf(site))) return;
              await objects(Site).patch(
                keyOf(site),
                mergePatch({ metadata: { annotations: { 'acme.dev/fixed': new Date(clock.now()).toISOString() } } }),
              );
              after('1s');
            },
          }),
        ],
        { resources, needs: [{ group: 'acme.dev', resource: 'sites', verbs: ['patch'] }] },
      );
    },
    { ignore: ['Site metadata.annotations'] },
  ),
  pair(
    'stranger’s finalizer',
    'takes away all finalizers, not only its own',
    (isBuggy) =>
      app(
        'strangers-finalizer',
        [
          controller(Site, {
            async reconcile(site, { objects }) {
              const { deletionTimestamp, finalizers = [], resourceVersion } = site.metadata;
              const mark = (wanted: readonly string[]) =>
                objects(Site).patch(keyOf(site), mergePatch({ metadata: { resourceVersion, finalizers: wanted } }));
              const isMarked = finalizers.includes('acme.dev/own');
              if (deletionTimestamp === undefined && !isMarked) await mark([...finalizers, 'acme.dev/own']);
              if (deletionTimestamp !== undefined && isMarked)
                await mark(isBuggy ? [] : finalizers.filter((name) => name !== 'acme.dev/own'));
            },
          }),
        ],
        { resources, needs: [{ group: 'acme.dev', resource: 'sites', verbs: ['patch'] }] },
      ),
    {
      steps: {
        create: (cluster) =>
          sites(cluster).create({ metadata: { name: 'web', finalizers: ['acme.dev/hold'] }, spec: { size: 1 } }),
        remove: (cluster) => sites(cluster).delete('web'),
      },
      invariants: {
        'an object stays while somebody holds it': async (cluster) =>
          (await sites(cluster).list()).items.some(({ metadata }) => metadata.name === 'web'),
      },
      leaves: ['Site'],
    },
  ),
];
