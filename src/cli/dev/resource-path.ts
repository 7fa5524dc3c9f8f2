/** The resource in a path of an API server: `deployments default/web status`. */
export interface ResourcePath {
  readonly resource: string;
  /** `namespace/name`, or the part that is known. */
  readonly key: string;
  readonly subresource: string;
}

const PATTERN = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/;

/** Parses the path of a request; undefined if it names no resource. */
export function resourcePath(target: string): ResourcePath | undefined {
  const [path = ''] = target.split('?');
  const [, namespace = '', resource, name = '', subresource = ''] = PATTERN.exec(path) ?? [];
  if (resource === undefined) return undefined;
  return { resource, key: [namespace, name].filter((part) => part !== '').join('/'), subresource };
}
