import {
  type Observed,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type StorageClass,
} from '../../client/index.ts';

/** The class of claims and volumes before there was a field for it; it still comes first. */
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** The name of the class that a claim asks for, or a volume belongs to; empty for none. */
export function classNameOf({ metadata, spec }: Observed<PersistentVolume> | Observed<PersistentVolumeClaim>): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec?.storageClassName ?? '';
}

/** Whether a claim says which class it wants, be it none. */
export function namesClass({ metadata, spec }: Observed<PersistentVolumeClaim>): boolean {
  return metadata.annotations?.[CLASS_ANNOTATION] !== undefined || spec?.storageClassName !== undefined;
}

/** The newest of the classes that are marked as default, the first by name of those that are equally new. */
export function defaultClass(classes: readonly Observed<StorageClass>[]): Observed<StorageClass> | undefined {
  return classes
    .filter(({ metadata }) => IS_DEFAULT.some((name) => metadata.annotations?.[name] === 'true'))
    .toSorted((left, right) => compare(ageKey(right), ageKey(left)) || compare(left.metadata.name, right.metadata.name))
    .at(0);
}

function ageKey({ metadata }: Observed<StorageClass>): string {
  return metadata.creationTimestamp ?? '';
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}
