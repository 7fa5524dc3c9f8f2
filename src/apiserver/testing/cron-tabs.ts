import { builtInTypes, structuralKind } from '../../api/index.ts';
import type { StructuralSchema } from '../../api/index.ts';
import { customCapabilities } from '../capabilities.ts';
import type { Column, Convert, ObjectView, Resource } from '../resource.ts';

export interface CronTabOptions {
  readonly group?: string;
  /** The first is the stored one. */
  readonly versions?: readonly string[];
  /** The schemas of the fields of the spec, the same in all versions or by version. */
  readonly spec?: Properties | ((version: string) => Properties);
  readonly convert?: Convert;
}

type Properties = NonNullable<StructuralSchema['properties']>;

const SCHEDULE: Column = {
  name: 'Schedule',
  type: 'string',
  format: '',
  description: 'When it runs',
  priority: 0,
  value: (object) => (object['spec'] as { readonly schedule?: string } | undefined)?.schedule,
};

/** All versions of a CronTab, as a CustomResourceDefinition would define them at run time. */
export function cronTabs(options: CronTabOptions = {}): Resource[] {
  const { group = 'stable.example.com', versions = ['v1', 'v1beta1'], convert } = options;
  const { spec = { schedule: { type: 'string' } } } = options;
  const types = builtInTypes();
  const typeOf = (version: string): Resource['type'] =>
    structuralKind(
      schemaOf(typeof spec === 'function' ? spec(version) : spec),
      { group, version, kind: 'CronTab' },
      { types },
    );
  const [stored = 'v1'] = versions;
  const storedType = typeOf(stored);
  return versions.map((version) => ({
    group,
    version,
    plural: 'crontabs',
    singular: 'crontab',
    kind: 'CronTab',
    namespaced: true,
    shortNames: ['ct'],
    categories: ['all'],
    verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
    type: version === stored ? storedType : typeOf(version),
    capabilities: customCapabilities,
    storage: {
      prefix: `/registry/${group}/crontabs/`,
      apiVersion: `${group}/${stored}`,
      kind: 'CronTab',
      type: storedType,
      encoding: 'json',
      ...(convert === undefined ? {} : { convert }),
    },
    strategy: {},
    resetFields: { '': ['status'], status: ['metadata', 'spec'] },
    subresources: new Map([['status', STATUS]]),
    columns: [SCHEDULE],
    selectableFields: [],
    fieldValue: () => '',
  }));
}

const STATUS: ObjectView = { type: 'view', verbs: ['get', 'patch', 'update'], strategy: {} };

function schemaOf(spec: Properties): StructuralSchema {
  return {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: spec },
      status: { type: 'object', properties: { active: { type: 'array', items: { type: 'string' } } } },
    },
  };
}
