import type { DeepReadonly } from '../../../base/index.ts';
import type { Service } from '../../types/core/v1.d.ts';
import { quantityOf } from '../../values/quantity.ts';
import { ONE, ZERO } from './amounts.ts';
import { countName, evaluatorOf } from './evaluator.ts';

const COUNT = countName('', 'services');
const NAMES = new Set([COUNT, 'services', 'services.nodeports', 'services.loadbalancers']);

/** The usage of services: the services themselves, node ports, and load balancers. */
export const serviceEvaluator = evaluatorOf<DeepReadonly<Service>>({
  group: '',
  plural: 'services',
  handles: ({ operation, subresource }) => subresource === '' && (operation === 'CREATE' || operation === 'UPDATE'),
  measures: (name) => NAMES.has(name),
  usage: (service) =>
    new Map([
      [COUNT, ONE],
      ['services', ONE],
      ['services.loadbalancers', service.spec?.type === 'LoadBalancer' ? ONE : ZERO],
      ['services.nodeports', quantityOf(nodePorts(service))],
    ]),
  setsFree: (service, old) => exposure(service) !== exposure(old),
});

/** Ports are allocated after the quota check, so the ports that will be allocated count. */
function nodePorts({ spec }: DeepReadonly<Service>): number {
  const ports = spec?.ports ?? [];
  if (spec?.type === 'NodePort') return ports.length;
  if (spec?.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter(({ nodePort = 0 }) => nodePort !== 0).length;
}

function exposure({ spec }: DeepReadonly<Service>): string {
  return spec?.type === 'NodePort' || spec?.type === 'LoadBalancer' ? spec.type : '';
}
