import type { ApiObject, Struct } from '../api/index.ts';
import { defaultFeatures } from '../api/index.ts';
import type { Container, PersistentVolumeClaimSpec, PodSpec } from '../api/types/core/v1.d.ts';
import type { HorizontalPodAutoscalerBehavior } from '../api/types/autoscaling/v2.d.ts';
import type { KubernetesVersion } from '../base/index.ts';
import { isSetAt, memberPath, withoutAt } from './nested-members.ts';

/**
 * What becomes of a type's values while a feature is off. Each rule is upstream's: a value that the old object has already keeps what it
 * has.
 */
interface OffRule<T> {
  readonly feature: string;
  isUsed(value: T): boolean;
  drop(value: T): T;
}

type Values = Readonly<Record<string, unknown>>;

const PROBES = ['livenessProbe', 'readinessProbe', 'startupProbe'] as const;

/**
 * By type; each rule applies in the versions of Kubernetes that have its feature and have it off by default. Where the feature does not
 * exist, its fields do not either, or they are always there.
 */
const rules: Readonly<Record<string, readonly OffRule<Values>[]>> = {
  'io.k8s.api.core.v1.PodSpec': [
    rule<PodSpec>('DynamicResourceAllocation', {
      isUsed: ({ resourceClaims = [] }) => resourceClaims.length > 0,
      drop: ({ resourceClaims: _, ...spec }) =>
        withContainers(spec, ({ resources, ...container }) => {
          if (resources === undefined) return container;
          const { claims: _claims, ...others } = resources;
          return { ...container, resources: others };
        }),
    }),
    rule<PodSpec>('PodLevelResources', {
      isUsed: ({ resources }) => resources !== undefined,
      drop: ({ resources: _, ...spec }) => spec,
    }),
    rule<PodSpec & { workloadRef?: object }>('GenericWorkload', {
      isUsed: ({ workloadRef }) => workloadRef !== undefined,
      drop: ({ workloadRef: _, ...spec }) => spec,
    }),
    rule<PodSpec>('HostnameOverride', {
      isUsed: ({ hostnameOverride }) => hostnameOverride !== undefined,
      drop: ({ hostnameOverride: _, ...spec }) => spec,
    }),
    rule<PodSpec>('ContainerRestartRules', {
      isUsed: ({ containers, initContainers }) =>
        (containers ?? []).some(({ restartPolicy }) => restartPolicy !== undefined) ||
        (initContainers ?? []).some(
          ({ restartPolicy = 'Always', restartPolicyRules = [] }) =>
            restartPolicy !== 'Always' || restartPolicyRules.length > 0,
        ),
      drop: (spec) =>
        withContainers(spec, (container, isInitial) => {
          const { restartPolicyRules: _rules, restartPolicy, ...others } = container;
          return isInitial && restartPolicy === 'Always' ? { ...others, restartPolicy } : others;
        }),
    }),
    rule<PodSpec>('EnvFiles', {
      isUsed: (spec) => containersOf(spec).some(({ env = [] }) => env.some(({ valueFrom }) => valueFrom?.fileKeyRef)),
      drop: (spec) =>
        withContainers(spec, (container) => ({
          ...container,
          ...(container.env === undefined
            ? {}
            : {
                env: container.env.map((variable) => {
                  if (variable.valueFrom?.fileKeyRef === undefined) return variable;
                  const { fileKeyRef: _, ...valueFrom } = variable.valueFrom;
                  return { ...variable, valueFrom };
                }),
              }),
        })),
    }),
    rule<PodSpec>('ImageVolume', {
      isUsed: ({ volumes = [] }) => volumes.some(({ image }) => image !== undefined),
      drop: (spec) => {
        const images = new Set((spec.volumes ?? []).filter(({ image }) => image !== undefined).map(({ name }) => name));
        const volumes = (spec.volumes ?? []).filter(({ name }) => !images.has(name));
        return withContainers({ ...spec, volumes }, ({ volumeMounts, ...container }) => {
          if (volumeMounts === undefined) return container;
          return { ...container, volumeMounts: volumeMounts.filter(({ name }) => !images.has(name)) };
        });
      },
    }),
    dropped('ClusterTrustBundleProjection', 'volumes[].projected.sources[].clusterTrustBundle'),
    dropped('PodCertificateRequest', 'volumes[].projected.sources[].podCertificate'),
    dropped('EvictionRequestAPI', 'evictionResponders'),
    dropped('EmptyDirVolumeMode', 'volumes[].emptyDir.mode'),
    dropped('VolumeBindMountOptions', ...inContainers('volumeMounts[].bindMountOptions')),
    dropped(
      'H2CContainerProbe',
      ...inContainers(
        ...PROBES.map((probe) => `${probe}.httpGet.protocol`),
        'lifecycle.postStart.httpGet.protocol',
        'lifecycle.preStop.httpGet.protocol',
      ),
    ),
    dropped('GRPCContainerProbeTLS', ...inContainers(...PROBES.map((probe) => `${probe}.grpc.mode`))),
    dropped(
      'AtomicWriteVolumeUserFields',
      ...['secret', 'configMap', 'downwardAPI'].flatMap((source) => [
        `volumes[].${source}.defaultUser`,
        `volumes[].${source}.items[].user`,
        `volumes[].projected.sources[].${source}.items[].user`,
      ]),
      'volumes[].projected.defaultUser',
      ...['serviceAccountToken', 'clusterTrustBundle', 'podCertificate'].map(
        (source) => `volumes[].projected.sources[].${source}.user`,
      ),
    ),
  ],
  'io.k8s.api.core.v1.PodStatus': [dropped('CSIVolumeHealth', 'volumeHealth')],
  'io.k8s.api.core.v1.PersistentVolumeClaimStatus': [dropped('CSIVolumeHealth', 'healthStatus')],
  'io.k8s.api.core.v1.NodeSpec': [dropped('InPlacePodVerticalScalingSchedulerPreemption', 'podPreemptionPolicy')],
  'io.k8s.api.storage.v1.CSINodeStatus': [dropped('CSIVolumeHealth', 'storageHealth')],
  'io.k8s.api.storage.v1.CSIDriverSpec': [dropped('VolumeLimitScaling', 'preventPodSchedulingIfMissing')],
  'io.k8s.api.apps.v1.StatefulSetSpec': [
    dropped('MaxUnavailableStatefulSet', 'updateStrategy.rollingUpdate.maxUnavailable'),
  ],
  'io.k8s.api.resource.v1.ResourceSliceSpec': [
    dropped('DRAPartitionableDevicesType', 'partitionTypeAttribute'),
    dropped('DRAOptionalNodeOperations', 'skipNodeOperations'),
    dropped('DRADeviceCompatibilityGroups', 'devices[].consumesCounters[].compatibilityGroups'),
    dropped('DRANodeAllocatableResources', 'devices[].nodeAllocatableResources'),
  ],
  'io.k8s.api.resource.v1.ResourceClaimSpec': [
    dropped(
      'DRADerivedAttributes',
      'devices.requests[].exactly.derivedAttributes',
      'devices.requests[].firstAvailable[].derivedAttributes',
    ),
  ],
  'io.k8s.api.resource.v1.ResourceClaimStatus': [
    dropped('DRAOptionalNodeOperations', 'allocation.devices.results[].skipNodeOperations'),
  ],
  'io.k8s.api.resource.v1alpha3.ResourcePoolStatusRequestSpec': [
    dropped('DRAPartitionableDevicesType', 'defaultPartitionTypeAttribute'),
  ],
  'io.k8s.api.core.v1.PersistentVolumeClaimSpec': [
    rule<PersistentVolumeClaimSpec>('VolumeAttributesClass', {
      isUsed: ({ volumeAttributesClassName }) => volumeAttributesClassName !== undefined,
      drop: ({ volumeAttributesClassName: _, ...spec }) => spec,
    }),
  ],
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior': [
    rule<HorizontalPodAutoscalerBehavior>('HPAConfigurableTolerance', {
      isUsed: ({ scaleDown, scaleUp }) => scaleDown?.tolerance !== undefined || scaleUp?.tolerance !== undefined,
      drop: ({ scaleDown, scaleUp, ...behavior }) => ({
        ...behavior,
        ...(scaleUp === undefined ? {} : { scaleUp: { ...scaleUp, tolerance: undefined } }),
        ...(scaleDown === undefined ? {} : { scaleDown: { ...scaleDown, tolerance: undefined } }),
      }),
    }),
  ],
  'io.k8s.api.apps.v1.DeploymentStatus': [terminatingReplicas()],
  'io.k8s.api.apps.v1.ReplicaSetStatus': [terminatingReplicas()],
};

function inContainers(...paths: readonly string[]): string[] {
  return ['containers', 'initContainers', 'ephemeralContainers'].flatMap((list) =>
    paths.map((path) => `${list}[].${path}`),
  );
}

/** Drops what is at the paths, unless the old object has something at one of them. */
function dropped(feature: string, ...texts: readonly string[]): OffRule<Values> {
  const paths = texts.map(memberPath);
  return {
    feature,
    isUsed: (value) => paths.some((path) => isSetAt(value, path)),
    drop: (value) => paths.reduce((kept, path) => withoutAt(kept, path), value),
  };
}

function terminatingReplicas(): OffRule<Values> {
  return rule<{ terminatingReplicas?: number }>('DeploymentReplicaSetTerminatingReplicas', {
    isUsed: ({ terminatingReplicas: count }) => count !== undefined,
    drop: ({ terminatingReplicas: _, ...status }) => status,
  });
}

/** The one place where the type of a rule's values is erased: rules are found by the name of that type. */
function rule<T extends object>(feature: string, { isUsed, drop }: Omit<OffRule<T>, 'feature'>): OffRule<Values> {
  return { feature, isUsed: (value) => isUsed(value as T), drop: (value) => drop(value as T) as Values };
}

/** Lists that a client left out are null where upstream writes them so. */
function containersOf({ containers, initContainers, ephemeralContainers }: PodSpec): Container[] {
  return [...(containers ?? []), ...(initContainers ?? []), ...(ephemeralContainers ?? [])];
}

function withContainers(spec: PodSpec, change: (container: Container, isInitial: boolean) => Container): PodSpec {
  const changed = (name: 'containers' | 'initContainers' | 'ephemeralContainers'): Partial<PodSpec> => {
    const list: readonly Container[] | null | undefined = spec[name];
    return list ? { [name]: list.map((container) => change(container, name === 'initContainers')) } : {};
  };
  return { ...spec, ...changed('containers'), ...changed('initContainers'), ...changed('ephemeralContainers') };
}

/** Changes an object that is about to be written. `old` is absent for a new one. */
export type DropOffFeatures = (object: ApiObject, old?: ApiObject) => void;

/** What drops the fields of features that are off by default in a version of Kubernetes; undefined when objects of the type have none. */
export function dropOffFeatures(type: Struct, version: KubernetesVersion): DropOffFeatures | undefined {
  const features = defaultFeatures(version);
  const held = new Map(
    Object.entries(rules).map(([name, all]) => [name, all.filter(({ feature }) => features.get(feature) === false)]),
  );
  const places = placesIn(type, held);
  if (places.length === 0) return undefined;
  return (object, old) => {
    for (const place of places) {
      const first = place.path[0] ?? '';
      const changed = replaced([object, old ?? NOTHING], place);
      if (changed !== object[first]) object[first] = changed;
    }
  };
}

interface Place {
  readonly path: readonly string[];
  readonly own: readonly OffRule<Values>[];
}

/** A CronJob has the spec of its pods at the fifth level. */
const MAX_DEPTH = 6;

/** Where values of types with rules are, not counting those in lists and maps. */
function placesIn(type: Struct, held: ReadonlyMap<string, readonly OffRule<Values>[]>, depth = 0): Place[] {
  if (depth > MAX_DEPTH) return [];
  return type.fields.flatMap(({ name, shape }) => {
    if (shape.kind !== 'struct') return [];
    const own = held.get(shape.struct.name) ?? [];
    const below = placesIn(shape.struct, held, depth + 1);
    return [
      ...(own.length === 0 ? [] : [{ path: [name], own }]),
      ...below.map((place) => ({ ...place, path: [name, ...place.path] })),
    ];
  });
}

/** The first member on the path, with what is at its end after the rules. */
function replaced([owner, old]: readonly [Values, Values], place: Place, at = 0): unknown {
  const { path, own } = place;
  const name = path[at] ?? '';
  const value = owner[name];
  if (!isValues(value)) return value;
  const before = old[name];
  const former = isValues(before) ? before : NOTHING;
  const next = path[at + 1];
  if (next !== undefined) {
    const changed = replaced([value, former], place, at + 1);
    return changed === value[next] ? value : { ...value, [next]: changed };
  }
  let kept = value;
  for (const { isUsed, drop } of own) if (isUsed(kept) && !isUsed(former)) kept = drop(kept);
  return kept;
}

const NOTHING: Values = {};

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
