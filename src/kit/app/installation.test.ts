import { expect, test } from 'vitest';
import { CustomResourceDefinition } from '../../client/index.ts';
import { controller, resource } from '../index.ts';
import { CutTransport } from '../testing/cut-transport.ts';
import { runApp } from '../testing/running-app.ts';

const Cache = resource('cache.example.dev/v1', 'Cache', {
  spec: { type: 'object', required: ['size'], properties: { size: { type: 'integer' } } },
});

test('an app installs its kinds when the server comes back, and then works', async () => {
  const seen: number[] = [];
  const caches = controller(Cache, { reconcile: ({ spec }) => void seen.push(spec.size) });
  let cut: CutTransport | undefined;
  await using running = await runApp([caches], undefined, {
    resources: [Cache],
    install: true,
    transport: (inner) => {
      cut = new CutTransport(inner);
      cut.state = 'cut';
      return cut;
    },
  });
  const definitions = running.client.kind(CustomResourceDefinition);
  expect((await definitions.list()).items).toEqual([]);
  expect(running.app.unready).toEqual(['kinds not installed']);

  cut!.state = 'whole';
  await running.clock.advance('5s');
  await running.settle();
  await running.client
    .kind(Cache)
    .namespace('default')
    .create({ metadata: { name: 'a' }, spec: { size: 3 } });
  await running.settle();

  expect(seen).toEqual([3]);
  expect(running.app.unready).toEqual([]);
});
