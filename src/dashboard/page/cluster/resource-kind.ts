/** A kind that the server serves, as discovery describes it, in the version that it prefers. */
export interface ResourceKind {
  /** The empty string is the core group. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: ReadonlySet<string>;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlySet<string>;
}

/** As discovery, RBAC and kubectl write it: `pods`, `deployments.apps`. */
export function resourceName({ group, resource }: Pick<ResourceKind, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

export function apiVersionOf({ group, version }: Pick<ResourceKind, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

export interface ObjectKey {
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** The path of a list, or of one object. */
export function pathOf(kind: ResourceKind, { namespace, name }: ObjectKey = {}): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const inNamespace =
    kind.isNamespaced && namespace !== undefined && namespace !== ''
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  return `${root}${inNamespace}/${kind.resource}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
