import { Job, Pod, type Sendable } from '../../../client/index.ts';
import type { ScenarioTopic } from '../../testing/scenarios/index.ts';
import { TRACKING_FINALIZER } from '../job-pod.ts';
import { changeJob, deletePods, end, endAtOnce, fail, indexed, later, newJob, start, template } from './job-world.ts';

const labels = { app: 'work' };
const manual = { manualSelector: true, selector: { matchLabels: labels } };

function pod(name: string, more: NonNullable<Sendable<Pod>['metadata']> = {}): Sendable<Pod> {
  const spec = { restartPolicy: 'Never' as const, containers: [{ name: 'c', image: 'busybox' }] };
  return { metadata: { name, labels, ...more }, spec };
}

/** Suspended, deleted and externally managed Jobs; pods that are deleted or adopted. */
export const lifeScenarios: ScenarioTopic['scenarios'] = {
  'suspended from the start': async (world) => {
    await start(world, newJob({ suspend: true }));
    await world.look('suspended');
    await changeJob(world, { suspend: false });
    await world.look('resumed');
    await end(world, 1);
    await world.look('done');
  },

  'suspended while it runs': async (world) => {
    await start(world, newJob({ completions: 3, parallelism: 2 }));
    await world.makeReady(1);
    await end(world, 1);
    await world.look('running');
    await changeJob(world, { suspend: true });
    await world.look('suspended');
    await changeJob(world, { suspend: false });
    await world.look('resumed');
  },

  'a deadline begins anew when a Job is resumed': async (world) => {
    await start(world, newJob({ suspend: true, activeDeadlineSeconds: 20 }));
    await world.pass(20);
    await world.look('suspended');
    await changeJob(world, { suspend: false });
    await world.look('resumed');
    await world.pass(20);
    await world.look('late');
  },

  'an indexed Job that is suspended': async (world) => {
    await start(world, indexed(3));
    await end(world, [1]);
    await changeJob(world, { suspend: true });
    await world.look('suspended');
    await changeJob(world, { suspend: false });
    await world.look('resumed');
  },

  'pods that end while their Job is suspended': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2, backoffLimit: 0 }));
    await endAtOnce(world, 1, { phase: 'Failed', exitCode: 1 });
    await changeJob(world, { suspend: true });
    await world.look('failed all the same');
  },

  "another controller's Job": async (world) => {
    await start(world, newJob({ managedBy: 'example.com/other' }));
    await world.look('left alone');
    await start(world, newJob({ managedBy: 'kubernetes.io/job-controller' }, 'own'));
    await world.look('looked after');
  },

  'a Job that is deleted': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2 }));
    await world.look('started');
    await world.of(Job).delete('work', { propagationPolicy: 'Background' });
    await later(world);
    await world.look('deleted');
  },

  'a Job that is deleted and stays': async (world) => {
    const { metadata, ...job } = newJob({ completions: 2, parallelism: 2 });
    await start(world, { ...job, metadata: { ...metadata, finalizers: ['example.com/hold'] } });
    await world.of(Job).delete('work', { propagationPolicy: 'Background' });
    await later(world);
    await world.look('being deleted');
    await end(world, 1);
    await world.look('a pod ends');
  },

  'a finished Job leaves its pods': async (world) => {
    await start(world, newJob());
    await end(world, 1);
    const { items } = await world.pods.list();
    await world.change(Pod, items[0]?.metadata.name ?? '', { metadata: { finalizers: [TRACKING_FINALIZER] } });
    await later(world);
    await world.look('marked again');
    await world.of(Pod).delete(items[0]?.metadata.name ?? '');
    await later(world);
    await world.look('deleted');
  },

  'a pod that is adopted': async (world) => {
    await world.create(Pod, pod('orphan'));
    await start(world, newJob({ ...manual, completions: 2, parallelism: 2 }));
    await world.look('adopted');
    await end(world, 2);
    await world.look('done');
  },

  'a pod that had succeeded before it was adopted': async (world) => {
    for (const name of ['one', 'two', 'three']) await world.create(Pod, pod(name));
    await endAtOnce(world, 3, {});
    await start(world, newJob({ ...manual, completions: 2 }));
    await world.look('done');
  },

  'a pod that no longer matches': async (world) => {
    await start(world, newJob(manual));
    const { items } = await world.pods.list();
    await world.change(Pod, items[0]?.metadata.name ?? '', { metadata: { labels: { app: 'other' } } });
    await later(world);
    await world.look('released');
  },

  'a pod of nobody with the finalizer of Jobs': async (world) => {
    await world.create(Pod, pod('stray', { finalizers: [TRACKING_FINALIZER, 'example.com/mine'] }));
    await later(world);
    await world.look('let go');
  },

  'indexes that pods have twice, or not at all': async (world) => {
    const at = (index: string): object => ({ annotations: { 'batch.kubernetes.io/job-completion-index': index } });
    await world.create(Pod, pod('none'));
    await world.create(Pod, pod('first', at('0')));
    await world.create(Pod, pod('second', at('0')));
    await world.create(Pod, pod('beyond', at('7')));
    await world.makeReady(1);
    await start(world, newJob({ ...manual, completionMode: 'Indexed', completions: 2, parallelism: 2 }));
    await later(world);
    await world.look('sorted out');
  },

  'a template with finalizers of its own': async (world) => {
    const own = template();
    own.metadata = { labels, annotations: { a: 'b' }, finalizers: ['example.com/mine'] };
    await start(world, newJob({ template: own, backoffLimit: 0 }));
    await world.look('started');
    await deletePods(world, 1);
    await world.look('deleted');
  },

  'a pod that fails while another is being deleted': async (world) => {
    await start(world, newJob({ completions: 2, parallelism: 2, backoffLimit: 0 }));
    const { items } = await world.pods.list();
    await world.change(Pod, items[0]?.metadata.name ?? '', {
      metadata: { finalizers: [TRACKING_FINALIZER, 'example.com/hold'] },
    });
    const [, second] = items;
    await world.changeStatus(Pod, second?.metadata.name ?? '', { phase: 'Failed' });
    await later(world);
    await world.look('waiting');
    await world.change(Pod, items[0]?.metadata.name ?? '', { metadata: { finalizers: null } });
    await later(world);
    await world.look('failed');
    await fail(world, 1);
  },
};
