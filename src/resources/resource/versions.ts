export const GROUP = 'resource.k8s.io';

/** What discovery announces that the stable kinds are stored in. */
export const ANNOUNCED: readonly string[] = ['v1beta1@..1.33', 'v1beta2@..1.34'];

/** The two beta versions of the stable kinds. */
export function deprecatedVersions(kind: string): Readonly<Record<string, string>> {
  return {
    v1beta1: `resource.k8s.io/v1beta1 ${kind} is deprecated in v1.35+, unavailable in v1.38+`,
    v1beta2: `resource.k8s.io/v1beta2 ${kind} is deprecated in v1.36+, unavailable in v1.39+`,
  };
}
