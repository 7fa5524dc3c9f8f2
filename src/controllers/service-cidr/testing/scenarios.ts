import { IPAddress, Service, ServiceCIDR } from '../../../client/index.ts';
import { type ScenarioTopic, see } from '../../testing/scenarios/index.ts';

/** Scenarios about ServiceCIDRs. */
export const topic: ScenarioTopic = {
  controllers: ['service-cidr-controller'],
  seen: [see(ServiceCIDR, ({ spec }) => spec)],
  scenarios: {
    'a network that comes and goes': async (world) => {
      await world.create(ServiceCIDR, { metadata: { name: 'more' }, spec: { cidrs: ['10.200.0.0/24'] } });
      await world.look('ready');
      await world.of(ServiceCIDR).delete('more');
      await world.look('going');
      await world.pass(12);
      await world.look('gone');
    },

    'a network with an address in use': async (world) => {
      await world.create(ServiceCIDR, { metadata: { name: 'more' }, spec: { cidrs: ['10.200.0.0/24'] } });
      await world.create(Service, {
        metadata: { name: 'a' },
        spec: { clusterIP: '10.200.0.9', ports: [{ port: 80 }] },
      });
      await world.of(ServiceCIDR).delete('more');
      await world.pass(12);
      await world.look('held');
      await world.of(Service).delete('a');
      await world.pass(12);
      await world.look('gone');
    },

    'a network whose addresses belong to another too': async (world) => {
      await world.create(ServiceCIDR, { metadata: { name: 'small' }, spec: { cidrs: ['10.200.0.0/24'] } });
      await world.create(ServiceCIDR, { metadata: { name: 'large' }, spec: { cidrs: ['10.200.0.0/16'] } });
      await world.create(Service, {
        metadata: { name: 'a' },
        spec: { clusterIP: '10.200.0.9', ports: [{ port: 80 }] },
      });
      await world.of(ServiceCIDR).delete('small');
      await world.pass(12);
      await world.look('the large one is left');
      await world.of(Service).delete('a');
      await world.quiet();
    },

    'a larger network releases one that was held': async (world) => {
      await world.create(ServiceCIDR, { metadata: { name: 'small' }, spec: { cidrs: ['10.200.0.0/24'] } });
      await world.create(Service, {
        metadata: { name: 'a' },
        spec: { clusterIP: '10.200.0.9', ports: [{ port: 80 }] },
      });
      await world.of(ServiceCIDR).delete('small');
      await world.pass(12);
      await world.look('held');
      await world.create(ServiceCIDR, { metadata: { name: 'large' }, spec: { cidrs: ['10.200.0.0/16'] } });
      await world.pass(12);
      await world.look('the large one is left');
      await world.of(Service).delete('a');
      await world.quiet();
    },

    'an address that nobody manages holds nothing': async (world) => {
      await world.create(ServiceCIDR, { metadata: { name: 'more' }, spec: { cidrs: ['10.200.0.0/24'] } });
      const parentRef = { resource: 'services', namespace: world.namespace, name: 'a' };
      await world.create(IPAddress, { metadata: { name: '10.200.0.7' }, spec: { parentRef } });
      await world.of(ServiceCIDR).delete('more');
      await world.pass(12);
      await world.look('gone');
    },
  },
};
