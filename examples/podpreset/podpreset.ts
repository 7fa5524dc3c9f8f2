import { admission, type App, app, extensionServer, type ObjectOf, Pod, resource } from 'keelson';
import { z } from 'zod';

const selector = z.object({ matchLabels: z.record(z.string(), z.string()).optional() });
const env = z.object({ name: z.string(), value: z.string().optional() });
const mount = z.object({ name: z.string(), mountPath: z.string(), readOnly: z.boolean().optional() });
const source = z.object({ name: z.string() });
const volume = z.object({
  name: z.string(),
  emptyDir: z.object({ medium: z.string().optional() }).optional(),
  configMap: source.optional(),
  secret: z.object({ secretName: z.string() }).optional(),
});

/** What Kubernetes had until 1.20: settings that pods get at their creation, by their labels. */
export const PodPreset = resource('settings.k8s.io/v1alpha1', 'PodPreset', {
  spec: z.object({
    selector,
    env: z.array(env).optional(),
    envFrom: z.array(z.object({ configMapRef: source.optional(), secretRef: source.optional() })).optional(),
    volumes: z.array(volume).optional(),
    volumeMounts: z.array(mount).optional(),
  }),
  annotations: {
    'api-approved.kubernetes.io': 'unapproved, experimental-only; please get an approval from Kubernetes API reviewers',
  },
});
export type PodPreset = ObjectOf<typeof PodPreset>;

type Settings = PodPreset['spec'];
type PodSpec = NonNullable<Pod['spec']>;
type Container = PodSpec['containers'][number];

const PREFIX = 'podpreset.admission.kubernetes.io';

const podPresets = admission(Pod, {
  name: 'podpreset.settings.k8s.io',
  failurePolicy: 'Ignore', // pods without their presets are better than no pods
  operations: ['CREATE'],
  reads: [PodPreset],
  mutate(pod, { objects, warn, namespace }) {
    const { annotations = {}, labels = {} } = pod.metadata;
    if (pod.spec === undefined || annotations[`${PREFIX}/exclude`] === 'true') return undefined;
    const presets = objects(PodPreset)
      .list({ namespace })
      .filter(({ spec }) => Object.entries(spec.selector.matchLabels ?? {}).every(([key, is]) => labels[key] === is));
    const settings = presets.map(({ spec }) => spec as Settings);
    const conflict = conflictOf(pod.spec as PodSpec, settings);
    if (conflict !== undefined) warn(`PodPresets are not applied: ${conflict}`);
    if (conflict !== undefined || presets.length === 0) return undefined;
    const applied = presets.map(({ metadata }) => [
      `${PREFIX}/podpreset-${metadata.name}`,
      metadata.resourceVersion ?? '',
    ]);
    return {
      ...pod,
      metadata: { ...pod.metadata, annotations: { ...annotations, ...Object.fromEntries(applied) } },
      spec: withPresets(pod.spec as PodSpec, settings),
    };
  },
});

/** The conflict between two different settings of the same name, if any; then the pod gets no settings. */
function conflictOf(spec: PodSpec, presets: readonly Settings[]): string | undefined {
  const differs = (kind: string, own: readonly Named[], added: readonly Named[]): string | undefined => {
    const known = new Map(own.map((item) => [keyOf(item), JSON.stringify(item)]));
    for (const item of added) {
      if ((known.get(keyOf(item)) ?? JSON.stringify(item)) !== JSON.stringify(item)) return `${kind} "${keyOf(item)}"`;
      known.set(keyOf(item), JSON.stringify(item));
    }
    return undefined;
  };
  const all = <Key extends 'env' | 'volumes' | 'volumeMounts'>(key: Key): readonly Named[] =>
    presets.flatMap((preset) => preset[key] ?? []);
  for (const container of spec.containers) {
    const found =
      differs('env', container.env ?? [], all('env')) ??
      differs('volumeMount', container.volumeMounts ?? [], all('volumeMounts'));
    if (found !== undefined) return `${found} of container "${container.name}" is there with another value`;
  }
  const found = differs('volume', spec.volumes ?? [], all('volumes'));
  return found === undefined ? undefined : `${found} is there with another value`;
}

interface Named {
  readonly name?: string;
  readonly mountPath?: string;
}

/** Mounts are identified by their path, everything else by name. */
function keyOf({ name, mountPath }: Named): string {
  return mountPath ?? name ?? '';
}

function withPresets(spec: PodSpec, presets: readonly Settings[]): PodSpec {
  const merged = <T extends Named>(own: readonly T[] = [], added: readonly T[]): T[] => {
    const known = new Set(own.map(keyOf));
    return [...own, ...added.filter((item) => !known.has(keyOf(item)) && known.add(keyOf(item)))];
  };
  const filled = (container: Container): Container => ({
    ...container,
    env: merged(
      container.env,
      presets.flatMap((preset) => preset.env ?? []),
    ),
    envFrom: [...(container.envFrom ?? []), ...presets.flatMap((preset) => preset.envFrom ?? [])],
    volumeMounts: merged(
      container.volumeMounts,
      presets.flatMap((preset) => preset.volumeMounts ?? []),
    ),
  });
  const volumes = merged(spec.volumes, presets.flatMap(toVolumes));
  return { ...spec, containers: spec.containers.map(filled), volumes };
}

function toVolumes(settings: Settings): NonNullable<PodSpec['volumes']> {
  return (settings.volumes ?? []).map((each) => ({ ...each }));
}

export function podPresetApp(port = 0): App {
  return app('podpreset', [], { server: extensionServer({ admission: [podPresets], port }), resources: [PodPreset] });
}
