import type { Kind } from '../client/index.ts';

/** Names a kind, however often its value was made. */
export function kindId({ apiVersion, plural }: Kind): string {
  return `${apiVersion} ${plural}`;
}

/** Names an object among those of all kinds. */
export function objectId(kind: Kind, key: string): string {
  return `${kindId(kind)} ${key}`;
}
