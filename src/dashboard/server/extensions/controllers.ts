import type { Lease } from '../../../api/types/coordination/v1.d.ts';
import { hasReason } from '../../../api/client.ts';
import type { ControllerState } from '../../protocol.ts';
import type { AskedMap } from './asked-map.ts';
import { readItems } from './read-list.ts';

/** Leases that are no controller's: those of nodes and of API servers. */
const OTHER_LEASES: ReadonlySet<string> = new Set(['kube-node-lease']);
const SERVER_LEASE = /^(apiserver|kube-apiserver)-/;

/** Controllers with their queues, where the API server's process has them; and those that are known by their lease. */
export async function controllers(asked: AskedMap): Promise<readonly ControllerState[]> {
  const [own, leases] = await Promise.all([
    queues(asked),
    readItems<Lease>(asked, '/apis/coordination.k8s.io/v1/leases'),
  ]);
  const led = leases.flatMap(({ metadata, spec }): ControllerState[] => {
    const { name = '', namespace = '' } = metadata ?? {};
    const holder = spec?.holderIdentity;
    if (OTHER_LEASES.has(namespace) || SERVER_LEASE.test(name) || holder === undefined || holder === '') return [];
    return [{ name, program: name, holder }];
  });
  const programs = new Set(own.map(({ program }) => program));
  return [...own, ...led.filter(({ program }) => !programs.has(program))];
}

async function queues({ client, signal }: AskedMap): Promise<readonly ControllerState[]> {
  try {
    const { items } = (await client.request({ method: 'GET', path: '/keelson/controllers', signal })) as {
      readonly items: readonly ControllerState[];
    };
    return items;
  } catch (error) {
    if (hasReason(error, 'NotFound') || hasReason(error, 'Forbidden')) return [];
    throw error;
  }
}
