// A program for tests of whole processes: its reconciler wants to run again at once, always.
import { ConfigMap } from '../../client/index.ts';
import { app, controller, run } from '../index.ts';

let runs = 0;

const restless = controller(ConfigMap, {
  name: 'restless',
  where: { labelSelector: 'mine' },
  reconcile(_, { after }) {
    runs++;
    if (runs === 1000) process.stdout.write('a thousand runs\n');
    after(0);
  },
});

await run(app('restless', [restless]));
