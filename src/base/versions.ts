/** The releases of Kubernetes whose API can be served, oldest first, by their version. */
export const KUBERNETES_RELEASES = {
  '1.33': 'v1.33.13',
  '1.34': 'v1.34.8',
  '1.35': 'v1.35.4',
  '1.36': 'v1.36.3',
  '1.37': 'v1.37.1',
} as const;

/** A version of Kubernetes that can be served, such as `1.36`. */
export type KubernetesVersion = keyof typeof KUBERNETES_RELEASES;

export const DEFAULT_KUBERNETES_VERSION: KubernetesVersion = '1.36';

/** The Kubernetes release whose API is served by default. */
export const KUBERNETES_VERSION: string = KUBERNETES_RELEASES[DEFAULT_KUBERNETES_VERSION];

/** A minor version of Kubernetes 1: 36 is 1.36. */
export type MinorVersion = number;

export function minorOf(version: KubernetesVersion): MinorVersion {
  return Number(version.slice('1.'.length));
}

export function isKubernetesVersion(text: string): text is KubernetesVersion {
  return Object.hasOwn(KUBERNETES_RELEASES, text);
}

declare const KEELSON_VERSION: string | undefined;

/** The package's version; set when the bundle is built. */
export function keelsonVersion(): string {
  return typeof KEELSON_VERSION === 'string' ? KEELSON_VERSION : '0.0.0-source';
}
