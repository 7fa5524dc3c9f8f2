// Connections from kubeconfigs and from a pod's service account.
export type { ContextOptions } from './context-connection.ts';
export { environmentProxy } from './environment-proxy.ts';
export { inClusterConnection, type InClusterOptions } from './in-cluster-connection.ts';
export { contextConnection, parseKubeconfig } from './lazy-kubeconfig.ts';
export { kubeconfigPaths, loadKubeconfig, type LoadOptions, mergeKubeconfigs } from './load-kubeconfig.ts';
export {
  type ClusterEntry,
  type ContextEntry,
  type Impersonation,
  type Kubeconfig,
  KubeconfigError,
  type UserEntry,
} from './kubeconfig.ts';
