// Mistakes about what the operator says, and how often.
import { app, ConfigMap, controller, keyOf, mergePatch } from 'keelson';
import { pair, Site } from './site.ts';

const resources = [Site];
const own = [{ group: 'acme.dev', resource: 'sites', verbs: ['patch'] }];

export const status = [
  pair('ready too early', 'says that all is ready before it is', (isBuggy) =>
    app(
      'ready-too-early',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name } = site.metadata;
            if (isBuggy) await objects(Site).patchStatus(keyOf(site), mergePatch({ status: { ready: true } }));
            await desire(ConfigMap, { metadata: { name } });
            return { ready: true };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('wakes itself', 'writes something new into its own object each time', (isBuggy) => {
    let runs = 0;
    return app(
      'wakes-itself',
      [
        controller(Site, {
          async reconcile(site, { client }) {
            const { name, namespace = '' } = site.metadata;
            runs += 1;
            const annotations = { 'acme.dev/runs': isBuggy ? String(runs) : 'some' };
            await client
              .kind(Site)
              .namespace(namespace)
              .patch(name, mergePatch({ metadata: { annotations } }));
          },
        }),
      ],
      { resources, needs: own },
    );
  }),
  pair('says it is alive', 'writes its status every ten seconds', (isBuggy) =>
    app(
      'says-it-is-alive',
      [
        controller(Site, {
          async reconcile(_site, { after, clock }) {
            after('10s');
            return { seen: isBuggy ? new Date(clock.now()).toISOString() : 'yes' };
          },
        }),
      ],
      { resources },
    ),
  ),
  pair('first value only', 'sets a field when it is missing, and not when it is wrong', (isBuggy) =>
    app(
      'first-value-only',
      [
        controller(Site, {
          owns: [ConfigMap],
          async reconcile(site, { objects, desire }) {
            const { name } = site.metadata;
            const there = objects(ConfigMap).get(keyOf(site));
            const wanted = `${site.spec.size}`;
            const isRight = isBuggy ? there?.data?.['size'] !== undefined && !wanted.startsWith('3') : false;
            if (!isRight) await desire(ConfigMap, { metadata: { name }, data: { size: wanted } });
          },
        }),
      ],
      { resources },
    ),
  ),
];
