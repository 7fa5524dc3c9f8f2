// The code that reads kubeconfigs, including a YAML parser. Loaded on demand, since programs in pods do not need it.
export { connectionOfContext } from './context-connection.ts';
export { connectionOfFiles, loadKubeconfigFiles } from './load-kubeconfig.ts';
export { readKubeconfig } from './read-kubeconfig.ts';
