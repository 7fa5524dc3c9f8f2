// Classes of former in-tree plugins as classes of the CSI drivers that have replaced them.
import type { DeepReadonly } from '../../../base/index.ts';
import type { StorageClass } from '../../types/storage/v1.d.ts';
import { driverOf, ZONE_KEYS } from './migrated-plugins.ts';

type Terms = NonNullable<DeepReadonly<StorageClass>['allowedTopologies']>;
type Pairs = readonly (readonly [name: string, value: string])[];

const FILE_SYSTEM = 'csi.storage.k8s.io/fstype';
/** Labels of nodes for the zone, which classes of in-tree plugins may name. */
const ZONE_LABEL = 'topology.kubernetes.io/zone';
const ZONE_LABELS = new Set([ZONE_LABEL, 'failure-domain.beta.kubernetes.io/zone']);
/** Parameters that the driver of vSphere knows under another name. */
const VSPHERE_SUFFIX = '-migrationparam';
const VSPHERE_RENAMED = new Set([
  'datastore',
  'diskformat',
  'hostfailurestotolerate',
  'forceprovisioning',
  'cachereservation',
  'diskstripes',
  'objectspacereservation',
  'iopslimit',
]);
const PORTWORX_SECRETS = [
  'provisioner',
  'controller-publish',
  'node-publish',
  'node-stage',
  'controller-expand',
  'node-expand',
];

/** How a plugin's class is said to its driver. */
interface ClassRule {
  /** Parameters that replace one; undefined for one that stays as it is. Names come in lower case. */
  readonly renamed?: (name: string, value: string) => Pairs | undefined;
  /** Parameters that a parameter brings with it. */
  readonly beside?: (name: string) => Pairs;
  /** Whether `zone` and `zones` are parameters of the class. */
  readonly hasZones?: boolean;
  readonly added?: Pairs;
  /** How the driver names a zone. */
  readonly zone?: (name: string) => string;
}

const fileSystem: ClassRule['renamed'] = (name, value) => (name === 'fstype' ? [[FILE_SYSTEM, value]] : undefined);

const rules: Readonly<Record<string, ClassRule>> = {
  'kubernetes.io/aws-ebs': {
    hasZones: true,
    renamed: fileSystem,
    // a disk may be too small for its rate: the plugin raised it, and the driver does so when it may
    beside: (name) => (name === 'iopspergb' ? [['allowautoiopspergbincrease', 'true']] : []),
  },
  'kubernetes.io/azure-disk': { hasZones: true, zone: (name) => (/^[0-9]+$/.test(name) ? '' : name) },
  'kubernetes.io/azure-file': {},
  'kubernetes.io/cinder': { renamed: fileSystem },
  'kubernetes.io/gce-pd': { hasZones: true, renamed: fileSystem },
  'kubernetes.io/portworx-volume': {
    renamed: (name, value) => {
      const [, part] = /^openstorage\.io\/auth-secret-(name|namespace)$/.exec(name) ?? [];
      return part === undefined
        ? undefined
        : PORTWORX_SECRETS.map((secret) => [`csi.storage.k8s.io/${secret}-secret-${part}`, value] as const);
    },
  },
  'kubernetes.io/vsphere-volume': {
    renamed: (name, value) => {
      if (name === 'storagepolicyname') return [[name, value]];
      if (VSPHERE_RENAMED.has(name)) return [[`${name}${VSPHERE_SUFFIX}`, value]];
      return fileSystem(name, value) ?? []; // the driver knows no others
    },
    added: [['csimigration', 'true']],
  },
};

/**
 * The class as the CSI driver gets it, where its provisioner is a former in-tree plugin; other classes as they are. The provisioner stays,
 * because volumes of the class are volumes of the plugin. Throws for a class that contradicts itself.
 */
export function translatedClass<T extends DeepReadonly<StorageClass>>(storageClass: T): T {
  const { provisioner, parameters = {}, allowedTopologies = [] } = storageClass;
  const rule = driverOf(provisioner) === undefined ? undefined : rules[provisioner];
  if (rule === undefined) return storageClass;
  const zones: string[] = [];
  const translated = new Map<string, string>();
  for (const [name, value] of Object.entries(parameters)) {
    const lower = name.toLowerCase();
    if (rule.hasZones === true && lower === 'zone') zones.splice(0, zones.length, value);
    else if (rule.hasZones === true && lower === 'zones') zones.splice(0, zones.length, ...value.split(','));
    else {
      const pairs = rule.renamed?.(lower, value) ?? [[name, value] as const];
      for (const [to, its] of [...pairs, ...(rule.beside?.(lower) ?? [])]) translated.set(to, its);
    }
  }
  for (const [name, value] of rule.added ?? []) translated.set(name, value);
  if (zones.length > 0 && allowedTopologies.length > 0)
    throw new Error('cannot simultaneously set allowed topologies and zone/zones parameters');
  const key = ZONE_KEYS[provisioner];
  const own: Terms =
    zones.length > 0 ? [{ matchLabelExpressions: [{ key: ZONE_LABEL, values: zones }] }] : allowedTopologies;
  const terms =
    key === undefined ? own : own.map((term) => termWith(term, { key, zone: rule.zone ?? ((name) => name) }));
  return {
    ...storageClass,
    parameters: Object.fromEntries(translated),
    ...(terms.length === 0 ? {} : { allowedTopologies: terms }),
  };
}

function termWith(
  { matchLabelExpressions }: Terms[number],
  { key, zone }: { readonly key: string; readonly zone: (name: string) => string },
): Terms[number] {
  if (matchLabelExpressions === undefined) return {};
  return {
    matchLabelExpressions: matchLabelExpressions.map((expression) => {
      const isZone = ZONE_LABELS.has(expression.key) || expression.key === key;
      return isZone ? { key, values: expression.values.map(zone) } : expression;
    }),
  };
}
