import { resourceName, type ResourceKind } from '../cluster/resource-kind.ts';

export interface Section {
  readonly title: string;
  /** `custom`: a group that the cluster's own definitions or other API servers serve. */
  readonly type: 'common' | 'custom' | 'built-in';
  readonly kinds: readonly ResourceKind[];
}

/**
 * Where people look for the kinds that every cluster has, and in which order. All other kinds, custom ones included, have a section for
 * their group: nothing that the server serves is left out.
 */
const PLACES: readonly (readonly [title: string, resources: readonly string[]])[] = [
  [
    'Workloads',
    [
      'pods',
      'deployments.apps',
      'statefulsets.apps',
      'daemonsets.apps',
      'replicasets.apps',
      'jobs.batch',
      'cronjobs.batch',
    ],
  ],
  [
    'Network',
    ['services', 'endpointslices.discovery.k8s.io', 'ingresses.networking.k8s.io', 'networkpolicies.networking.k8s.io'],
  ],
  ['Configuration', ['configmaps', 'secrets', 'horizontalpodautoscalers.autoscaling', 'resourcequotas', 'limitranges']],
  ['Storage', ['persistentvolumeclaims', 'persistentvolumes', 'storageclasses.storage.k8s.io']],
  [
    'Cluster',
    ['nodes', 'namespaces', 'events', 'customresourcedefinitions.apiextensions.k8s.io', 'leases.coordination.k8s.io'],
  ],
];

export function sectionsOf(kinds: readonly ResourceKind[]): Section[] {
  const shown = kinds.filter(({ verbs }) => verbs.has('list'));
  const byName = new Map(shown.map((kind) => [resourceName(kind), kind]));
  const placed = PLACES.map(([title, names]) => ({
    title,
    type: 'common' as const,
    kinds: names.flatMap((name) => byName.get(name) ?? []),
  }));
  const done = new Set(placed.flatMap((section) => section.kinds));
  const groups = new Map<string, ResourceKind[]>();
  for (const kind of shown.filter((each) => !done.has(each)))
    groups.set(kind.group, [...(groups.get(kind.group) ?? []), kind]);
  const others = [...groups].map(([group, rest]): Section => {
    const type = group.includes('.') && !group.endsWith('.k8s.io') ? 'custom' : 'built-in';
    return { title: group === '' ? 'Core' : group, type, kinds: rest };
  });
  const ofType = (wanted: Section['type']): readonly Section[] => others.filter(({ type }) => type === wanted);
  // groups of the cluster's own definitions come right after the workloads
  const [workloads, everyday] = [placed.slice(0, 1), placed.slice(1)];
  return [...workloads, ...ofType('custom'), ...everyday, ...ofType('built-in')].filter(
    (section) => section.kinds.length > 0,
  );
}
