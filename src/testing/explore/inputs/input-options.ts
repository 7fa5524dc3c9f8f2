/** Which fields of users' objects are changed, and to what. */
export interface InputOptions {
  /** Values of a field, instead of ones made from its schema, such as `{ 'Cache spec.image': ['nginx:1.29', 'nginx:1.30'] }`. */
  readonly values?: Readonly<Record<string, readonly unknown[]>>;
  /** Fields that stay as they are, with all below them, such as `Cache spec.secretName`. */
  readonly skip?: readonly string[];
  /** Fields that need not have an effect, with all below them, such as `Cache spec.description`. */
  readonly withoutEffect?: readonly string[];
}

/** Whether a list of fields, each as `KIND path`, has this one or one above it. Positions in lists are written `[]`. */
export function namesField(list: readonly string[], kind: string, path: string): boolean {
  const general = generalPath(path);
  return list.some((each) => {
    const [ofKind = '', named = ''] = each.split(' ');
    if (ofKind !== kind && ofKind !== '*') return false;
    return isWithin(general, generalPath(named));
  });
}

/** Whether a path is another one, or below it. */
export function isWithin(path: string, above: string): boolean {
  return path === above || path.startsWith(`${above}.`);
}

/** A path in which every position in a list is written `[]`: `spec.rules.0.port` and `spec.rules[].port` are `spec.rules.[].port`. */
export function generalPath(path: string): string {
  return path.replaceAll(/\.?\[\]/g, '.[]').replaceAll(/\.\d+(?=\.|$)/g, '.[]');
}
