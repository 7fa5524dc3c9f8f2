import { mergePatch, Pod, ResourceClaim } from '../../../client/index.ts';
import { type ScenarioTopic, see } from '../../testing/scenarios/index.ts';
import { allocate, createClaim, createPod, createTemplate, madeFor, setPhase } from './samples.ts';

const fromTemplate = [{ name: 'gpu', resourceClaimTemplateName: 'one-gpu' }];
const shared = [{ name: 'gpu', resourceClaimName: 'shared' }];
const GONE = '00000000-0000-0000-0000-000000000001';

/** Scenarios about the claims of pods, apart from what the scheduler does. */
export const topic: ScenarioTopic = {
  controllers: ['resourceclaim-controller'],
  seen: [see(Pod), see(ResourceClaim, ({ spec }) => spec)],
  scenarios: {
    'a claim from a template': async (world) => {
      await createTemplate(world, 'one-gpu');
      await createPod(world, 'web', { resourceClaims: fromTemplate });
      await world.look('made');
    },

    'two claims from one template, and one that is there': async (world) => {
      await createTemplate(world, 'one-gpu');
      await createClaim(world, 'shared');
      const second = { name: 'another', resourceClaimTemplateName: 'one-gpu' };
      await createPod(world, 'web', { resourceClaims: [...fromTemplate, second, { ...shared[0]!, name: 'shared' }] });
      await world.look('made');
    },

    'a template that comes after the pod': async (world) => {
      await createPod(world, 'web', { resourceClaims: fromTemplate });
      await world.look('waits');
      await createTemplate(world, 'one-gpu');
      await world.pass(2);
      await world.look('made');
    },

    'a claim for supervision': async (world) => {
      await world.client.core.v1.namespaces.patch(
        world.namespace,
        mergePatch({ metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } }),
      );
      await createTemplate(world, 'one-gpu', true);
      await createPod(world, 'web', { resourceClaims: fromTemplate });
      await world.look('made');
    },

    'long names are cut in proportion': async (world) => {
      await createTemplate(world, 'one-gpu');
      const name = `${'p'.repeat(50)}.${'q'.repeat(50)}`;
      await createPod(world, name, { resourceClaims: [{ ...fromTemplate[0]!, name: `${'c'.repeat(30)}-gpu` }] });
      const { items } = await world.of(ResourceClaim).list();
      world.note(
        'prefixes',
        items.map(({ metadata }) => metadata.generateName),
      );
    },

    'a claim whose owner was changed is left alone': async (world) => {
      await createTemplate(world, 'one-gpu');
      await createPod(world, 'web', { resourceClaims: fromTemplate });
      const name = await madeFor(world, 'web', 'gpu');
      await world.change(ResourceClaim, name, { metadata: { ownerReferences: null } });
      await world.look('left');
    },

    'a claim that is the pods already gets its name back into the status': async (world) => {
      await createTemplate(world, 'one-gpu');
      await createPod(world, 'web', { resourceClaims: fromTemplate });
      const name = await madeFor(world, 'web', 'gpu');
      await world.changeStatus(Pod, 'web', { resourceClaimStatuses: null });
      await world.look('known again');
      world.note('is the same', name === (await madeFor(world, 'web', 'gpu')));
    },

    'a pod that ends gives its claim back': async (world) => {
      await createTemplate(world, 'one-gpu');
      await createPod(world, 'web', { resourceClaims: fromTemplate, nodeName: 'n1' });
      await allocate(world, await madeFor(world, 'web', 'gpu'), ['web']);
      await world.look('in use');
      await setPhase(world, 'web', 'Succeeded');
      await world.look('over');
    },

    'a pod that fails gives a shared claim back, which stays': async (world) => {
      await createClaim(world, 'shared');
      await createPod(world, 'web', { resourceClaims: shared, nodeName: 'n1' });
      await allocate(world, 'shared', ['web']);
      await setPhase(world, 'web', 'Failed');
      await world.look('free');
    },

    'of two pods one goes': async (world) => {
      await createClaim(world, 'shared');
      await createPod(world, 'one', { resourceClaims: shared, nodeName: 'n1' });
      await createPod(world, 'two', { resourceClaims: shared, nodeName: 'n1' });
      await allocate(world, 'shared', ['one', 'two']);
      await world.pods.delete('one', { gracePeriodSeconds: 0 });
      await world.look('one left');
      await setPhase(world, 'two', 'Succeeded');
      await world.look('free');
    },

    'a pod that is deleted before it has a node': async (world) => {
      await createTemplate(world, 'one-gpu');
      await world.create(Pod, {
        metadata: { name: 'web', finalizers: ['example.com/hold'] },
        spec: { containers: [{ name: 'c', image: 'nginx' }], resourceClaims: fromTemplate },
      });
      await world.look('made');
      await world.pods.delete('web');
      await world.look('deleted');
    },

    'a pod that is deleted gives its claim back when it is gone': async (world) => {
      await createClaim(world, 'shared');
      await world.create(Pod, {
        metadata: { name: 'web', finalizers: ['example.com/hold'] },
        spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx' }], resourceClaims: shared },
      });
      await allocate(world, 'shared', ['web']);
      await world.pods.delete('web', { gracePeriodSeconds: 0 });
      await world.look('going');
      await world.change(Pod, 'web', { metadata: { finalizers: null } });
      await world.look('gone');
    },

    'a reservation for a pod that never was': async (world) => {
      await createClaim(world, 'shared');
      await allocate(world, 'shared', [{ resource: 'pods', name: 'nobody', uid: GONE }]);
      await world.look('free');
    },

    'a reservation for an earlier pod of the same name': async (world) => {
      await createClaim(world, 'shared');
      await createPod(world, 'web', { resourceClaims: [] });
      await allocate(world, 'shared', [{ resource: 'pods', name: 'web', uid: GONE }]);
      await world.look('free');
    },

    'a reservation for something else stays': async (world) => {
      await createClaim(world, 'shared');
      await createPod(world, 'web', { resourceClaims: shared, nodeName: 'n1' });
      await allocate(world, 'shared', ['web', { apiGroup: 'example.com', resource: 'machines', name: 'm', uid: GONE }]);
      await world.pods.delete('web', { gracePeriodSeconds: 0 });
      await world.look('not free');
    },

    'an allocated claim that nobody has used stays allocated': async (world) => {
      await createClaim(world, 'shared');
      await allocate(world, 'shared', []);
      await world.look('stays');
    },

    'a claim that is deleted while it is allocated': async (world) => {
      await createClaim(world, 'shared');
      await allocate(world, 'shared', []);
      await world.of(ResourceClaim).delete('shared');
      await world.look('gone');
    },

    'a claim that is deleted while a pod uses it': async (world) => {
      await createClaim(world, 'shared');
      await createPod(world, 'web', { resourceClaims: shared, nodeName: 'n1' });
      await allocate(world, 'shared', ['web']);
      await world.of(ResourceClaim).delete('shared');
      await world.look('waits');
      await setPhase(world, 'web', 'Succeeded');
      await world.look('gone');
    },

    'a pod that was given its node by hand': async (world) => {
      await createClaim(world, 'shared');
      await createPod(world, 'web', { resourceClaims: shared, nodeName: 'n1' });
      await world.look('not allocated');
      await allocate(world, 'shared', []);
      await world.look('reserved');
    },

    'a claim for extended resources goes with its pod': async (world) => {
      const resources = { requests: { 'example.com/gpu': '1' }, limits: { 'example.com/gpu': '1' } };
      await world.create(Pod, {
        metadata: { name: 'web' },
        spec: { nodeName: 'n1', containers: [{ name: 'c', image: 'nginx', resources }] },
      });
      const { uid } = (await world.pods.get('web')).metadata;
      await world.create(ResourceClaim, {
        metadata: {
          name: 'web-extended-resources-abcde',
          annotations: { 'resource.kubernetes.io/extended-resource-claim': 'true' },
          ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'web', uid, controller: true }],
        },
        spec: { devices: { requests: [{ name: 'container-0-request-0', exactly: { deviceClassName: 'gpu' } }] } },
      });
      await world
        .of(ResourceClaim)
        .patch(
          'web-extended-resources-abcde',
          mergePatch({ metadata: { finalizers: ['resource.kubernetes.io/delete-protection'] } }),
        );
      const results = [{ request: 'container-0-request-0', driver: 'gpu.example.com', pool: 'n1', device: 'gpu-0' }];
      await world.changeStatus(ResourceClaim, 'web-extended-resources-abcde', {
        allocation: { devices: { results } },
        reservedFor: [{ resource: 'pods', name: 'web', uid }],
      });
      await world.changeStatus(Pod, 'web', {
        extendedResourceClaimStatus: {
          resourceClaimName: 'web-extended-resources-abcde',
          requestMappings: [
            { containerName: 'c', resourceName: 'example.com/gpu', requestName: 'container-0-request-0' },
          ],
        },
      });
      await world.look('in use');
      await setPhase(world, 'web', 'Succeeded');
      await world.look('over');
    },
  },
};
