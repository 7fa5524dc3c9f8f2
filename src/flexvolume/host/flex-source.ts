import { encodeJson } from '../../api/client.ts';
import { compareUtf8, type DeepReadonly } from '../../base/index.ts';
import type * as core from '../../api/types/core/v1.d.ts';

/** A FlexVolume of a pod or of a PersistentVolume, in one form. */
export interface FlexSource {
  /** Of the PersistentVolume, else of the volume in the pod. */
  readonly name: string;
  readonly driver: string;
  readonly fsType: string;
  readonly isReadOnly: boolean;
  readonly options: Readonly<Record<string, string>>;
  /** Without a namespace, that of the pod is meant. */
  readonly secret: { readonly name: string; readonly namespace: string | undefined } | undefined;
}

/** The FlexVolume that a volume of a pod is, or that its claim is bound to; undefined for other volumes. */
export function flexSourceOf(
  volume: DeepReadonly<core.Volume> | undefined,
  persistentVolume: DeepReadonly<core.PersistentVolume> | undefined,
): FlexSource | undefined {
  const direct = volume?.flexVolume;
  if (direct !== undefined)
    return {
      ...commonOf(direct),
      name: volume?.name ?? '',
      isReadOnly: direct.readOnly ?? false,
      secret: direct.secretRef === undefined ? undefined : { name: direct.secretRef.name ?? '', namespace: undefined },
    };
  const bound = persistentVolume?.spec?.flexVolume;
  if (bound === undefined) return undefined;
  const { name = '', namespace = '' } = bound.secretRef ?? {};
  return {
    ...commonOf(bound),
    name: persistentVolume?.metadata?.name ?? '',
    isReadOnly: volume?.persistentVolumeClaim?.readOnly ?? false,
    secret: bound.secretRef === undefined ? undefined : { name, namespace: namespace === '' ? undefined : namespace },
  };
}

function commonOf(
  source: DeepReadonly<core.FlexVolumeSource | core.FlexPersistentVolumeSource>,
): Pick<FlexSource, 'driver' | 'fsType' | 'options'> {
  return { driver: source.driver, fsType: source.fsType ?? '', options: source.options ?? {} };
}

/** The argument of drivers with the volume and its options, byte for byte as a kubelet writes it. Options of the volume win. */
export function optionsJson(source: FlexSource, extra: Readonly<Record<string, string>> = {}): string {
  const options = {
    'kubernetes.io/fsType': source.fsType,
    'kubernetes.io/readwrite': source.isReadOnly ? 'ro' : 'rw',
    'kubernetes.io/pvOrVolumeName': source.name,
    ...extra,
    ...source.options,
  };
  const sorted = Object.entries(options).sort(([left], [right]) => compareUtf8(left, right));
  return `{${sorted.map(([key, value]) => `${encodeJson(key)}:${encodeJson(value)}`).join(',')}}`;
}

/** The name of a volume that has to be attached, in the status of nodes. */
export function uniqueName({ driver, name }: FlexSource): string {
  return `${driver}/${name}`;
}
