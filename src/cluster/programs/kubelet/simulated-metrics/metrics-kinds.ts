import { type ApiObject, structuralKind, type StructuralSchema, type TypeTable } from '../../../../api/index.ts';
import { type Column, type Computed, customCapabilities, type Resource } from '../../../../apiserver/index.ts';
import { sumOfTexts, type UsageTexts } from './usage.ts';

export const METRICS = { group: 'metrics.k8s.io', version: 'v1beta1' } as const;

const QUANTITIES: StructuralSchema = {
  type: 'object',
  description: 'Amounts by the names of resources',
  additionalProperties: { 'x-kubernetes-int-or-string': true },
};
const COMMON: Readonly<Record<string, StructuralSchema>> = {
  timestamp: { type: 'string', format: 'date-time', description: 'When the usage was found out' },
  window: { type: 'string', description: 'Over how long before that' },
};

const NODES = {
  kind: 'NodeMetrics',
  namespaced: false,
  properties: { ...COMMON, usage: QUANTITIES },
  usage: (object: ApiObject): readonly UsageTexts[] => [object['usage'] as UsageTexts],
};
const PODS = {
  kind: 'PodMetrics',
  namespaced: true,
  properties: {
    ...COMMON,
    containers: {
      type: 'array',
      description: 'What each container uses',
      items: {
        type: 'object',
        required: ['name', 'usage'],
        properties: { name: { type: 'string' }, usage: QUANTITIES },
      },
    },
  },
  usage: (object: ApiObject): readonly UsageTexts[] =>
    (object['containers'] as readonly { readonly usage: UsageTexts }[]).map(({ usage }) => usage),
};

/** A resource of the group, as metrics-server has it: read only, and registered with the same priorities. */
export function metricsKind(plural: 'nodes' | 'pods', types: TypeTable, computed: Computed): Resource {
  const { kind, namespaced, properties, usage } = plural === 'nodes' ? NODES : PODS;
  const { group, version } = METRICS;
  const schema: StructuralSchema = { type: 'object', description: `What ${plural} use`, properties };
  const type = structuralKind(schema, { group, version, kind }, { types });
  return {
    ...METRICS,
    plural,
    singular: '',
    kind,
    namespaced,
    shortNames: [],
    categories: [],
    verbs: ['get', 'list'],
    type,
    fingerprint: `${group}/${version} ${plural}`,
    capabilities: customCapabilities,
    storage: {
      prefix: `/registry/${group}/${plural}/`,
      apiVersion: `${group}/${version}`,
      kind,
      type,
      encoding: 'json',
    },
    strategy: {},
    priority: { group: 100, version: 100 },
    isReplaceable: true,
    subresources: new Map(),
    columns: [
      column('Name', ({ metadata }) => metadata.name ?? '', 'name'),
      column('cpu', (object) => sumOfTexts(usage(object)).cpu),
      column('memory', (object) => sumOfTexts(usage(object)).memory),
      column('Window', (object) => object['window']),
    ],
    selectableFields: [],
    fieldValue: () => '',
    computed,
  };
}

function column(name: string, value: (object: ApiObject) => unknown, format = ''): Column {
  return { name, type: 'string', format, description: `${name} of the last window`, priority: 0, value };
}
