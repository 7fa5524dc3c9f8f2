// The whole cluster inside a test process.
export { startCluster, type StartClusterOptions } from './start-cluster.ts';
export type { TestCluster } from './test-cluster.ts';
export type { SettleOptions } from './settle-all.ts';
export type { TracedOperation, TracedRequest, TracedStep } from '../cluster/index.ts';
export type { TestActor } from './acting-as.ts';
export { SeededRandom } from '../base/index.ts';
