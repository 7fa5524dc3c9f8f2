/** Where `kubectl apply` keeps the whole object that it applied. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** As much of an object as blanking reads. */
interface Blankable {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: { readonly annotations?: unknown };
  readonly [member: string]: unknown;
}

/**
 * A Secret without its values: each is the empty string, and what `kubectl apply` remembers of it is removed. Other objects are returned as
 * they are.
 */
export function blankSecret<T extends object>(object: T): T {
  const { apiVersion, kind, metadata, ...members } = object as Blankable;
  if (kind !== 'Secret' || apiVersion !== 'v1') return object;
  const values = Object.fromEntries(
    ['data', 'stringData'].flatMap((name) => {
      const kept = members[name];
      return typeof kept === 'object' && kept !== null ? [[name, emptied(kept)]] : [];
    }),
  );
  return { ...object, ...values, ...(metadata === undefined ? {} : { metadata: withoutLastApplied(metadata) }) };
}

function emptied(values: object): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((key) => [key, '']));
}

function withoutLastApplied(metadata: NonNullable<Blankable['metadata']>): object {
  const { annotations } = metadata;
  if (typeof annotations !== 'object' || annotations === null || !(LAST_APPLIED in annotations)) return metadata;
  const { [LAST_APPLIED]: _removed, ...kept } = annotations as Record<string, unknown>;
  return { ...metadata, annotations: kept };
}
