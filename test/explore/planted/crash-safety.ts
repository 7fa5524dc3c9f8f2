// Mistakes that show when the process ends between two writes.
import { app, ConfigMap, controller, hasReason, keyOf, mergePatch, Secret } from 'keelson';
import { pair, Site } from './site.ts';

const resources = [Site];

export const crashSafety = [
  pair('early return', 'takes the first child for a sign that all are there', (isBuggy) =>
    app(
      'early-return',
      [
        controller(Site, {
          owns: [ConfigMap, Secret],
          async reconcile(site, { objects, desire }) {
            const { name } = site.metadata;
            if (isBuggy && objects(Secret).get(keyOf(site)) !== undefined && site.spec.size === 1)
              return { ready: true };
            await desire(Secret, { metadata: { name } });
            await desire(ConfigMap, { metadata: { name }, data: { size: String(site.spec.size) } });
            return { ready: true };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('phase first', 'says Ready before the child exists, and trusts that afterwards', (isBuggy) =>
    app(
      'phase-first',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name, generation } = site.metadata;
            if (isBuggy && site.status?.phase === 'Ready' && site.status.observedGeneration === generation) return;
            const status = { status: { phase: 'Ready', observedGeneration: generation } };
            if (isBuggy) await objects(Site).patchStatus(keyOf(site), mergePatch(status));
            await desire(ConfigMap, { metadata: { name }, data: { size: String(site.spec.size) } });
            if (!isBuggy) return { phase: 'Ready', observedGeneration: generation };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('generated name', 'remembers the generated name of its child only in a second write', (isBuggy) =>
    app(
      'generated-name',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { client, desire }) {
            const { name, uid, namespace } = site.metadata;
            if (!isBuggy) {
              await desire(ConfigMap, { metadata: { name: `${name}-data` } });
              return { address: `${name}-data` };
            }
            if (site.status?.address !== undefined) return site.status;
            const owner = { apiVersion: Site.apiVersion, kind: 'Site', name, uid, controller: true };
            const metadata = { generateName: `${name}-`, ownerReferences: [owner] };
            const made = await client
              .kind(ConfigMap)
              .namespace(namespace ?? '')
              .create({ metadata });
            return { address: made.metadata.name };
          },
        }),
      ],
      { resources, needs: [{ group: '', resource: 'configmaps', verbs: ['create'] }] },
    ),
  ),
  pair('create once', 'fails for good when its child exists already', (isBuggy) =>
    app(
      'create-once',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects }) {
            const { name, uid, namespace } = site.metadata;
            if (isBuggy ? site.status?.phase !== undefined : objects(ConfigMap).get(keyOf(site)) !== undefined)
              return { phase: 'Ready' };
            const owner = { apiVersion: Site.apiVersion, kind: 'Site', name, uid, controller: true };
            try {
              await objects(ConfigMap).create({ metadata: { name, namespace, ownerReferences: [owner] } });
            } catch (error) {
              if (isBuggy || !hasReason(error, 'AlreadyExists')) throw error;
            }
            return { phase: 'Ready' };
          },
        }),
      ],
      { resources, needs: [{ group: '', resource: 'configmaps', verbs: ['create'] }] },
    ),
  ),
  pair(
    'state moved',
    'deletes the old child before the new one has its contents',
    (isBuggy) =>
      app(
        'state-moved',
        [
          controller(Site, {
            owns: [ConfigMap],
            async reconcile(site, { objects, desire }) {
              const { namespace, uid } = site.metadata;
              const host = site.spec.host ?? 'a';
              const all = objects(ConfigMap).list({ controlledBy: uid });
              const old = all.find(({ metadata }) => metadata.name !== host);
              const data = { state: old?.data?.['state'] ?? all[0]?.data?.['state'] ?? `made for ${host}` };
              const remove = async (): Promise<void> => {
                if (old !== undefined) await objects(ConfigMap).delete(`${namespace}/${old.metadata.name}`);
              };
              if (isBuggy) await remove();
              await desire(ConfigMap, { metadata: { name: host }, data });
              if (!isBuggy) await remove();
            },
          }),
        ],
        { resources },
      ),
    { faults: ['crash', 'error'] },
  ),
  pair('kept in memory', 'sees changes only by what it remembers', (isBuggy) => {
    const last = new Map<string, number>();
    return app(
      'kept-in-memory',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name } = site.metadata;
            const { size } = site.spec;
            const before = last.get(keyOf(site));
            last.set(keyOf(site), size);
            const isThere = objects(ConfigMap).get(keyOf(site)) !== undefined;
            if (isBuggy && isThere && (before === undefined || before === size)) return;
            await desire(ConfigMap, { metadata: { name }, data: { size: String(size) } });
          },
        }),
      ],
      { resources },
    );
  }),
  pair('new password', 'makes another password when it does not know whether there is one', (isBuggy) =>
    app(
      'new-password',
      [
        controller(Site, {
          owns: [Secret],
          async reconcile(site, { objects, desire, random }) {
            const { name } = site.metadata;
            const there = objects(Secret).get(keyOf(site));
            const isNeeded = isBuggy ? site.status?.phase === undefined : there === undefined;
            if (isNeeded) await desire(Secret, { metadata: { name }, stringData: { password: random.nameSuffix(12) } });
            return { phase: 'Ready' };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('counted twice', 'counts in one write and notes in another that it has counted', (isBuggy) =>
    app(
      'counted-twice',
      [
        controller(Site, {
          async reconcile(site, { objects }) {
            const { generation } = site.metadata;
            const { observedGeneration, count = 0 } = site.status ?? {};
            if (observedGeneration === generation) return;
            const counted = generation ?? 0; // what has been counted follows from the object itself
            if (isBuggy) {
              await objects(Site).patchStatus(keyOf(site), mergePatch({ status: { count: count + 1 } }));
              await objects(Site).patchStatus(keyOf(site), mergePatch({ status: { observedGeneration: generation } }));
            } else
              await objects(Site).patchStatus(
                keyOf(site),
                mergePatch({ status: { count: counted, observedGeneration: generation } }),
              );
          },
        }),
      ],
      { resources },
    ),
  ),
  pair(
    'forgotten timer',
    'plans the end of its child in memory only',
    (isBuggy) =>
      app(
        'forgotten-timer',
        [
          controller(Site, {
            owns: [ConfigMap],
            async reconcile(site, { desireAll, after, clock }) {
              const { name, creationTimestamp } = site.metadata;
              const isPlanned = site.status?.phase === 'Planned';
              const ageMs = clock.now() - Date.parse(creationTimestamp);
              await desireAll(ConfigMap, ageMs >= 600_000 ? [] : [{ metadata: { name } }]);
              if (ageMs >= 600_000) return { phase: 'Done' };
              if (!isBuggy || !isPlanned) after(600_000 - ageMs);
              return { phase: 'Planned' };
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
        later: ({ clock }) => clock.advance('15m'),
      },
    },
  ),
];
