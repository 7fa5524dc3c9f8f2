// Where the cluster is and who we are: kubeconfigs, and the service account of a pod.
export { contextConnection, type ContextOptions } from './context-connection.ts';
export { environmentProxy } from './environment-proxy.ts';
export {
  inClusterConnection,
  type InClusterOptions,
  kubeconfigPaths,
  loadKubeconfig,
  type LoadOptions,
  mergeKubeconfigs,
} from './load-kubeconfig.ts';
export {
  type ClusterEntry,
  type ContextEntry,
  type Impersonation,
  type Kubeconfig,
  KubeconfigError,
  type UserEntry,
} from './kubeconfig.ts';
export { parseKubeconfig } from './parse-kubeconfig.ts';
