/** The Kubernetes release whose API is served. */
export const KUBERNETES_VERSION = 'v1.36.3';

declare const KEELSON_VERSION: string | undefined;

/** The package's version; set when the bundle is built. */
export function keelsonVersion(): string {
  return typeof KEELSON_VERSION === 'string' ? KEELSON_VERSION : '0.0.0-source';
}
