// The whole cluster inside a test process.
export { startCluster, type StartClusterOptions } from './start-cluster.ts';
export type { TestCluster } from './test-cluster.ts';
export type { SettleOptions } from './settle-all.ts';
export type { TracedOperation, TracedRequest, TracedStep } from '../cluster/index.ts';
export type { TestActor } from './acting-as.ts';
export { SeededRandom } from '../base/index.ts';
export type { ActiveFault, CallFault, Fault, FaultChance, FaultTarget, RequestFault } from './faults/index.ts';
export { FaultProxy, type FaultProxyOptions, type Injection, type ProxiedFault } from './faults/index.ts';
export type { RequestVerb } from './resource-request.ts';
export type { CauseTrace } from './trace/cause-trace.ts';
export type { TracedRun, TracedWrite, TraceNode } from './trace/trace-node.ts';
export type { LoadOptions } from '../client/manifests/index.ts';
export {
  type ClusterTest,
  type ClusterTestBody,
  testCluster,
  type TestClusterOptions,
} from './runners/cluster-tests.ts';
export type { RunnerHooks } from './runners/runner-hooks.ts';
export { openCluster, type OpenClusterOptions } from './snapshot/open-cluster.ts';
export { explore, type ExploreOptions, type FaultGroup, type ProgramScenario } from './explore/index.ts';
