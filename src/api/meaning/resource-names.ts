import { qualifiedNameProblems } from '../values/label-names.ts';

/** Whether a resource is Kubernetes' own: its name has no domain, or one that ends in `kubernetes.io`. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

/** Whether a resource is one that vendors define, such as `example.com/gpu`. */
export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return qualifiedNameProblems(`requests.${name}`).length === 0;
}

/** Whether a pod may have pod-level amounts of the resource (KEP-2837). */
export function isPodLevelResource(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');
}
