// What a kubeconfig takes, a YAML parser among it. Pods have none, so it is loaded with the first one.
export { connectionOfContext } from './context-connection.ts';
export { readKubeconfig } from './read-kubeconfig.ts';
