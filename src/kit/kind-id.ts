import type { Kind } from '../client/index.ts';

/** Identifies a kind by value, not by object identity. */
export function kindId({ apiVersion, plural }: Kind): string {
  return `${apiVersion} ${plural}`;
}

/** Identifies an object among those of all kinds. */
export function objectId(kind: Kind, key: string): string {
  return `${kindId(kind)} ${key}`;
}
