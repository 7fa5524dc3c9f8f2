/** What a path of an API server is about: `deployments default/web status`. */
export interface ResourcePath {
  readonly resource: string;
  /** `namespace/name`, what of it there is. */
  readonly key: string;
  readonly subresource: string;
}

const PATTERN = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?(?:\/(.+))?$/;

/** The resource that a request is for; undefined for paths that are none. */
export function resourcePath(target: string): ResourcePath | undefined {
  const [path = ''] = target.split('?');
  const [, namespace = '', resource, name = '', subresource = ''] = PATTERN.exec(path) ?? [];
  if (resource === undefined) return undefined;
  return { resource, key: [namespace, name].filter((part) => part !== '').join('/'), subresource };
}
