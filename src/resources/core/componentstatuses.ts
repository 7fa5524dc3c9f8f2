import { type ApiObject, notFound } from '../../api/index.ts';
import type { ComponentStatus } from '../../api/types/core/v1.d.ts';
import { column, each, nameColumn } from '../columns/column.ts';
import type { ComponentProbe, KindEnvironment } from '../kind-environment.ts';
import { defineKind, type Kind } from '../kind.ts';

/** The health of control plane components, probed on every read. */
export function componentStatuses({ components, objects }: KindEnvironment): Kind {
  const probes: readonly ComponentProbe[] = [
    ...components,
    {
      name: 'etcd-0',
      check: async () => {
        await objects.store.revision();
      },
    },
  ];
  return defineKind<ComponentStatus>({
    group: '',
    plural: 'componentstatuses',
    columns: [
      nameColumn,
      column('Status', 'Whether the component is well', health),
      column('Message', 'What it says about itself', (component) => healthCondition(component)?.message ?? ''),
      column('Error', 'What went wrong when it was asked', (component) => healthCondition(component)?.error ?? ''),
    ],
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
    computed: {
      async get(name) {
        const probe = probes.find((candidate) => candidate.name === name);
        if (probe === undefined) throw notFound({ group: '', resource: 'componentstatus' }, name);
        return statusOf(probe);
      },
      list: () => Promise.all(probes.map(statusOf)),
    },
  });
}

async function statusOf({ name, check }: ComponentProbe): Promise<ApiObject> {
  const problem = await check().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const condition = { type: 'Healthy', status: problem === undefined ? 'True' : 'False', message: problem ?? 'ok' };
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}

function health(component: ComponentStatus): string {
  const condition = healthCondition(component);
  if (condition === undefined) return 'Unknown';
  return condition.status === 'True' ? 'Healthy' : 'Unhealthy';
}

function healthCondition({
  conditions,
}: ComponentStatus): NonNullable<ComponentStatus['conditions']>[number] | undefined {
  return each(conditions).find(({ type }) => type === 'Healthy');
}
