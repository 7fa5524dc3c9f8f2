// Mistakes about what users may write into their objects.
import { app, ConfigMap, controller, keyOf, mergePatch, type ObjectOf, type Observed, resource } from 'keelson';
import type { Scenario } from 'keelson/testing';
import { z } from 'zod';
import { type Cloud, pair } from './site.ts';

const Page = resource('acme.dev/v1', 'Page', {
  spec: z.object({
    title: z.string().min(1).max(40),
    tags: z.array(z.string().min(1).max(20)).max(4).optional(),
    color: z.enum(['red', 'green']).optional(),
    limits: z.object({ max: z.int().min(0).max(9), burst: z.int().min(0).max(9).optional() }).optional(),
  }),
  status: z.object({ problem: z.string().optional() }),
});
type Page = Observed<ObjectOf<typeof Page>>;

const resources = [Page];
const maps = [{ group: '', resource: 'configmaps', verbs: ['get', 'create', 'patch'] }];

const scenario: Partial<Scenario<Cloud>> = {
  inputs: true,
  steps: {
    create: ({ client }) =>
      client
        .kind(Page)
        .namespace('default')
        .create({ metadata: { name: 'home' }, spec: { title: 'Home', tags: ['new'] } }),
    remove: ({ client }) => client.kind(Page).namespace('default').delete('home'),
  },
};

function dataOf({ spec: { title, color = 'red', limits } }: Page) {
  return { title, color, max: String(limits?.max ?? 1), burst: String(limits?.burst ?? 0) };
}

export const inputs = [
  pair(
    'keeps old tags',
    'adds what is new in a list, and leaves what is not in it any more',
    (isBuggy) =>
      app(
        'keeps-old-tags',
        [
          controller(Page, {
            owns: [ConfigMap],
            async reconcile(page, { desire, objects }) {
              const { name } = page.metadata;
              const tags = Object.fromEntries((page.spec.tags ?? []).map((tag) => [`tag-${tag}`, 'yes']));
              await desire(ConfigMap, { metadata: { name }, data: { ...dataOf(page), ...(isBuggy ? {} : tags) } });
              if (isBuggy) await objects(ConfigMap).patch(keyOf(page), mergePatch({ data: tags }));
            },
          }),
        ],
        { resources, needs: maps },
      ),
    scenario,
  ),
  pair(
    'needs a tag',
    'fails for ever where an optional list is empty, and says so to no user',
    (isBuggy) =>
      app(
        'needs-a-tag',
        [
          controller(Page, {
            owns: [ConfigMap],
            async reconcile(page, { desire }) {
              const { name } = page.metadata;
              const [first] = page.spec.tags ?? [];
              if (isBuggy && first === undefined) throw new TypeError('Cannot read properties of undefined');
              await desire(ConfigMap, { metadata: { name }, data: { ...dataOf(page), first: first ?? 'none' } });
            },
          }),
        ],
        { resources },
      ),
    { ...scenario, inputs: { withoutEffect: ['Page spec.tags'] } },
  ),
  pair(
    'no color',
    'has a field that it never reads',
    (isBuggy) =>
      app(
        'no-color',
        [
          controller(Page, {
            owns: [ConfigMap],
            async reconcile(page, { desire }) {
              const { name } = page.metadata;
              const { color, ...data } = dataOf(page);
              await desire(ConfigMap, { metadata: { name }, data: isBuggy ? data : { ...data, color } });
            },
          }),
        ],
        { resources },
      ),
    { ...scenario, inputs: { withoutEffect: ['Page spec.tags'] } },
  ),
  pair(
    'first title',
    'takes a field into account when the object is new, and not when it changes',
    (isBuggy) =>
      app(
        'first-title',
        [
          controller(Page, {
            owns: [ConfigMap],
            async reconcile(page, { desire, objects }) {
              const { name } = page.metadata;
              const data = dataOf(page);
              const title = (isBuggy ? objects(ConfigMap).get(keyOf(page))?.data?.['title'] : undefined) ?? data.title;
              await desire(ConfigMap, { metadata: { name }, data: { ...data, title } });
            },
          }),
        ],
        { resources },
      ),
    { ...scenario, inputs: { withoutEffect: ['Page spec.tags', 'Page spec.title'] } },
  ),
];
