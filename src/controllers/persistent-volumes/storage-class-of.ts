import type { Observed, StorageClass } from '../../client/index.ts';

const IS_DEFAULT = ['storageclass.kubernetes.io/is-default-class', 'storageclass.beta.kubernetes.io/is-default-class'];

/** The newest default class; among equally new ones the first by name. */
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
