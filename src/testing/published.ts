// The published door `keelson/testing`: the whole cluster inside a test process.
export { startCluster, type StartClusterOptions } from './start-cluster.ts';
export type { TestCluster } from './test-cluster.ts';
export type { SettleOptions } from './settle-all.ts';
export type { SchedulingAttempt, TracedOperation, TracedRequest, TracedStep } from '../cluster/index.ts';
export type { TestActor } from './acting-as.ts';
export { type Duration, type KubernetesVersion, SeededRandom, type VirtualClock } from '../base/index.ts';
export {
  type FaultRates,
  FaultyTransport,
  type FaultyTransportOptions,
  noFaults,
  unreliableNetwork,
} from '../client/index.ts';
export type { ActiveFault, CallFault, Fault, FaultChance, FaultTarget, RequestFault } from './faults/index.ts';
export type { RequestVerb } from './resource-request.ts';
export type { CauseTrace } from './trace/cause-trace.ts';
export type { TracedRun, TracedWrite, TraceNode } from './trace/trace-node.ts';
export type { LoadOptions } from '../client/manifests/index.ts';
export {
  type ClusterTest,
  type ClusterTestBody,
  type ClusterTester,
  testCluster,
  type TestClusterOptions,
  type VersionTests,
} from './runners/cluster-tests.ts';
export type { RunnerHooks } from './runners/runner-hooks.ts';
export { openCluster, type OpenClusterOptions } from './snapshot/open-cluster.ts';
export {
  explore,
  type ExploreOptions,
  type ExploreProgress,
  type ExploreReport,
  type FaultGroup,
  type Finding,
  type InputOptions,
  type Oracle,
  type ProgramScenario,
  type RequestCost,
  type Scenario,
  type ScenarioParts,
  type ScenarioStep,
  type UsedRight,
} from './explore/index.ts';
