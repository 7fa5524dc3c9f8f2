// Mistakes with what is outside of the cluster.
import { app, controller, keyOf, mergePatch } from 'keelson';
import { pair, Site } from './site.ts';

const resources = [Site];
const FINALIZER = 'acme.dev/bucket';
const own = [{ group: 'acme.dev', resource: 'sites', verbs: ['patch'] }];

export const outside = [
  pair('second bucket', 'remembers what it has made outside only in a second write', (isBuggy, cloud) =>
    app(
      'second-bucket',
      [
        controller(Site, {
          async reconcile(site) {
            const { uid } = site.metadata;
            if (site.status?.address !== undefined) return site.status;
            return { address: isBuggy ? await cloud.create(keyOf(site)) : await cloud.createOnce(keyOf(site), uid) };
          },
          async finalize(site) {
            const id = isBuggy ? site.status?.address : site.metadata.uid;
            if (id !== undefined) await cloud.delete(id);
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('late finalizer', 'makes a bucket before anything keeps its object from going', (isBuggy, cloud) =>
    app(
      'late-finalizer',
      [
        controller(Site, {
          async reconcile(site, { objects }) {
            const { uid, deletionTimestamp, finalizers = [] } = site.metadata;
            const isMarked = finalizers.includes(FINALIZER);
            const mark = (wanted: readonly string[]) =>
              objects(Site).patch(keyOf(site), mergePatch({ metadata: { uid, finalizers: wanted } }));
            if (deletionTimestamp !== undefined) {
              await cloud.delete(uid);
              if (isMarked) await mark([]);
              return;
            }
            if (isBuggy) await cloud.createOnce(keyOf(site), uid);
            if (!isMarked) await mark([FINALIZER]);
            if (!isBuggy) await cloud.createOnce(keyOf(site), uid);
          },
        }),
      ],
      { resources, needs: own },
    ),
  ),
  pair('finalizer first', 'takes its finalizer away before it has cleaned up', (isBuggy, cloud) =>
    app(
      'finalizer-first',
      [
        controller(Site, {
          async reconcile(site, { objects }) {
            const { uid, deletionTimestamp, finalizers = [] } = site.metadata;
            const isMarked = finalizers.includes(FINALIZER);
            const mark = (wanted: readonly string[]) =>
              objects(Site).patch(keyOf(site), mergePatch({ metadata: { uid, finalizers: wanted } }));
            if (deletionTimestamp === undefined) {
              if (!isMarked) await mark([FINALIZER]);
              await cloud.createOnce(keyOf(site), uid);
              return;
            }
            if (!isMarked) return;
            if (isBuggy) await mark([]);
            await cloud.delete(uid);
            if (!isBuggy) await mark([]);
          },
        }),
      ],
      { resources, needs: own },
    ),
  ),
  pair('clean-up ignored', 'lets its object go although the clean-up failed', (isBuggy, cloud) =>
    app(
      'clean-up-ignored',
      [
        controller(Site, {
          reconcile: async (site) => void (await cloud.createOnce(keyOf(site), site.metadata.uid)),
          async finalize(site) {
            const deleting = cloud.delete(site.metadata.uid);
            await (isBuggy ? deleting.catch(() => undefined) : deleting);
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('only while it looks', 'cleans up only if it happens to see the deletion', (isBuggy, cloud) =>
    app(
      'only-while-it-looks',
      [
        controller(Site, {
          reconcile: async (site) => void (await cloud.createOnce(keyOf(site), keyOf(site))),
          ...(isBuggy
            ? { gone: (key: string) => cloud.delete(key) }
            : { finalize: (site) => cloud.delete(keyOf(site)) }),
        }),
      ],
      { resources },
    ),
  ),
  pair(
    'counts starts',
    'registers again what it has registered before it was restarted',
    (isBuggy, cloud) =>
      app(
        'counts-starts',
        [
          {
            name: 'registrar',
            needs: [{ group: 'acme.dev', resource: 'sites', verbs: ['get', 'list', 'watch'] }],
            prepare: (context) => {
              const workers = context.workers('registrar', {
                work: async (key) => {
                  const site = context.objects(Site).get(key);
                  const id = await cloud.find(key);
                  if (site === undefined && id !== undefined) await cloud.delete(id);
                  if (site !== undefined && (isBuggy || id === undefined))
                    await cloud.createOnce(
                      key,
                      isBuggy ? `${key} ${context.clock.monotonic()} ${context.random.nameSuffix(5)}` : key,
                    );
                },
              });
              context.onChange(Site, {
                add: (site) => workers.add(keyOf(site)),
                delete: (site) => workers.add(keyOf(site)),
              });
              return workers;
            },
          },
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
      },
    },
  ),
  pair('gives up', 'takes one failure for a final one', (isBuggy, cloud) =>
    app(
      'gives-up',
      [
        controller(Site, {
          async reconcile(site, { report }) {
            if (isBuggy && site.status?.phase === 'Failed') return;
            try {
              await cloud.createOnce(keyOf(site), site.metadata.uid);
            } catch (error) {
              report({ phase: 'Failed' });
              if (isBuggy) return;
              throw error;
            }
            return { phase: 'Ready' };
          },
          finalize: (site) => cloud.delete(site.metadata.uid),
        }),
      ],
      { resources },
    ),
  ),
  pair(
    'look, then make',
    'looks whether it must make something, while another replica does the same',
    (isBuggy, cloud) =>
      app(
        'look-then-make',
        [
          controller(Site, {
            async reconcile(site) {
              const { uid } = site.metadata;
              if (!isBuggy) return { address: await cloud.createOnce(keyOf(site), uid) };
              return { address: (await cloud.find(keyOf(site))) ?? (await cloud.create(keyOf(site))) };
            },
            async finalize(site) {
              if (!isBuggy) return cloud.delete(site.metadata.uid);
              const id = await cloud.find(keyOf(site));
              if (id !== undefined) await cloud.delete(id);
            },
          }),
        ],
        { resources, leaderElection: true },
      ),
  ),
];
