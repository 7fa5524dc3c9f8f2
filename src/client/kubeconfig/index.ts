// Connections from kubeconfigs and from a pod's service account.
export type { ContextOptions } from './context-connection.ts';
export { environmentProxy } from './environment-proxy.ts';
export { inClusterConnection, type InClusterOptions } from './in-cluster-connection.ts';
export { contextConnection, kubeconfigCode, loadKubeconfig, parseKubeconfig } from './lazy-kubeconfig.ts';
export { kubeconfigPaths } from './kubeconfig-paths.ts';
export type { LoadOptions } from './load-kubeconfig.ts';
export {
  type ClusterEntry,
  type ContextEntry,
  type Impersonation,
  type Kubeconfig,
  KubeconfigError,
  mergeKubeconfigs,
  type UserEntry,
} from './kubeconfig.ts';
