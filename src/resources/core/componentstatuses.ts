import { type ApiObject, notFound } from '../../api/index.ts';
import { componentStatusColumns } from '../columns/core-columns.ts';
import type { ComponentProbe, KindEnvironment } from '../kind-environment.ts';
import type { Kind } from '../kind.ts';

/** How the parts of the control plane are, asked when somebody looks. */
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
  return {
    group: '',
    plural: 'componentstatuses',
    columns: componentStatusColumns,
    deprecation: 'v1 ComponentStatus is deprecated in v1.19+',
    computed: {
      async get(name) {
        const probe = probes.find((candidate) => candidate.name === name);
        if (probe === undefined) throw notFound({ group: '', resource: 'componentstatus' }, name);
        return statusOf(probe);
      },
      list: () => Promise.all(probes.map(statusOf)),
    },
  };
}

async function statusOf({ name, check }: ComponentProbe): Promise<ApiObject> {
  const problem = await check().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const condition = { type: 'Healthy', status: problem === undefined ? 'True' : 'False', message: problem ?? 'ok' };
  return { kind: 'ComponentStatus', apiVersion: 'v1', metadata: { name }, conditions: [condition] };
}
