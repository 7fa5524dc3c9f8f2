// Pods that a node runs by itself, from manifests on its disk or at a URL.
export type { ManifestReader } from './manifests.ts';
export { NodeStaticPods, type StaticPodOptions } from './node-static-pods.ts';
export { isMirrorPod, isStaticPod } from './static-pod.ts';
