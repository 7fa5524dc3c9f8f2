export { nodeLifecycleController, type NodeLifecycleOptions } from './node-lifecycle.ts';
