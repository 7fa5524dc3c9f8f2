export { taintEvictionController } from './taint-eviction.ts';
