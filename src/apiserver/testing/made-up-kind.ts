import { madeUpTypes } from '../../api/testing/made-up-types.ts';
import { customCapabilities } from '../capabilities.ts';
import type { Column, ObjectView, Resource } from '../resource.ts';

export interface MadeUpOptions {
  readonly group?: string;
  readonly versions?: readonly string[];
  /** A line for each field of the spec, in the language of definition files. */
  readonly spec?: readonly string[];
}

const SCHEDULE: Column = {
  name: 'Schedule',
  type: 'string',
  format: '',
  description: 'When it runs',
  priority: 0,
  value: (object) => (object['spec'] as { readonly schedule?: string } | undefined)?.schedule,
};

/** All versions of a CronTab, as somebody defines it while the server runs; the first version is the stored one. */
export function cronTabs(options: MadeUpOptions = {}): Resource[] {
  const { group = 'stable.example.com', versions = ['v1', 'v1beta1'], spec = ['schedule 1 string'] } = options;
  const typeOf = madeUpTypes(...versions.map((version) => definition(`${group}/${version}`, spec)));
  const nameOf = (version: string): string => `made.up.${version}.CronTab`;
  const storedType = typeOf(nameOf(versions[0] ?? ''));
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
    type: typeOf(nameOf(version)),
    capabilities: customCapabilities,
    storage: {
      prefix: `/registry/${group}/crontabs/`,
      apiVersion: `${group}/${versions[0]}`,
      kind: 'CronTab',
      type: storedType,
      encoding: 'json',
    },
    strategy: {},
    resetFields: { '': ['status'], status: ['metadata', 'spec'] },
    subresources: new Map([['status', STATUS]]),
    columns: [SCHEDULE],
    selectableFields: [],
    selectFields: () => ({}),
  }));
}

const STATUS: ObjectView = { type: 'view', verbs: ['get', 'patch', 'update'], strategy: {} };

function definition(groupVersion: string, spec: readonly string[]): string {
  const [, version] = groupVersion.split('/');
  return `
group ${groupVersion}
package made.up.${version}

kind CronTab
  metadata 1 meta/v1.ObjectMeta
  spec 2 *CronTabSpec
  status 3 *CronTabStatus

type CronTabSpec
${spec.map((line) => `  ${line}`).join('\n')}

type CronTabStatus
  active 1 []string
`;
}
