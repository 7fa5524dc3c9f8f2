import type { ApiObject, Struct } from '../api/index.ts';
import { defaultFeatures } from '../api/index.ts';
import type { Container, PersistentVolumeClaimSpec, PodSpec } from '../api/types/core/v1.d.ts';
import type { HorizontalPodAutoscalerBehavior } from '../api/types/autoscaling/v2.d.ts';
import { DEFAULT_KUBERNETES_VERSION, type KubernetesVersion } from '../base/index.ts';

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

/** By type. The features are on by default in the default version of Kubernetes, where no rule applies. */
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

/**
 * What drops the fields of features that are off by default in a version of Kubernetes, and on in the default one; undefined when objects of
 * the type have none.
 */
export function dropOffFeatures(type: Struct, version: KubernetesVersion): DropOffFeatures | undefined {
  if (version === DEFAULT_KUBERNETES_VERSION) return undefined;
  const features = defaultFeatures(version);
  const held = new Map(
    Object.entries(rules).map(([name, all]) => [name, all.filter(({ feature }) => features.get(feature) !== true)]),
  );
  const places = placesIn(type, held);
  if (places.length === 0) return undefined;
  return (object, old) => {
    for (const { path, own } of places) {
      const [first = ''] = path;
      const changed = replaced([object, old ?? {}], path, own);
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
function replaced(
  [owner, old]: readonly [Values, Values],
  [name = '', ...rest]: readonly string[],
  own: readonly OffRule<Values>[],
): unknown {
  const value = owner[name];
  if (!isValues(value)) return value;
  const before = isValues(old[name]) ? old[name] : {};
  const [next] = rest;
  if (next !== undefined) {
    const changed = replaced([value, before], rest, own);
    return changed === value[next] ? value : { ...value, [next]: changed };
  }
  return own.reduce((kept, { isUsed, drop }) => (isUsed(kept) && !isUsed(before) ? drop(kept) : kept), value);
}

function isValues(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
