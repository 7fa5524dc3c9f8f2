import type { Duration } from '../../base/index.ts';
import type { App } from '../../kit/index.ts';
import type { StartClusterOptions } from '../start-cluster.ts';
import type { TestCluster } from '../test-cluster.ts';
import type { InputOptions } from './inputs/input-options.ts';

/** One step of a scenario: what users do. The cluster settles after it. */
export type ScenarioStep<Outside = undefined> = (cluster: TestCluster, outside: Outside) => unknown;

/** What an operator is put through, whatever it is written in. */
export interface ScenarioParts<Outside = undefined> {
  /** Names it in reports; default the name of the app or program. */
  readonly name?: string;
  /** The cluster; default one with controllers, scheduler and a node. */
  readonly cluster?: Omit<StartClusterOptions, 'apps' | 'seed' | 'startAt' | 'trace' | 'signal'>;
  /** Runs once, before the operator is started for the first time. */
  readonly setup?: (cluster: TestCluster) => unknown;
  /** The steps by name, in order. */
  readonly steps: Readonly<Record<string, ScenarioStep<Outside>>>;
  /**
   * What runs without faults wait for after a step, by the step's name, before its end is noted: for operators that pause in their work.
   * Runs with faults wait for the same end.
   */
  readonly waits?: Readonly<Record<string, ScenarioStep<Outside>>>;
  /**
   * Makes what the operator uses outside of the cluster, such as a fake of a cloud. Called again for each run. The operator may
   * be killed before and after each call of its methods.
   */
  readonly outside?: () => Outside;
  /** What is outside, as plain data, to be compared with the run without faults; default nothing. */
  readonly outsideState?: (outside: Outside) => unknown;
  /** What must hold after each step, by name. Returns false, or throws, if it does not. */
  readonly invariants?: Readonly<Record<string, ScenarioStep<Outside>>>;
  /** Fields that are not compared, as `KIND path`, such as `Cache status.retries`; `*` stands for any kind or member. */
  readonly ignore?: readonly string[];
  /**
   * Also changes the fields of users' objects of custom kinds, to what their schemas allow, and back; `true` for all fields. What is
   * ignored, or makes the operator fail, is a finding. Default false.
   */
  readonly inputs?: boolean | InputOptions;
  /** Kinds, such as `ConfigMap`, whose objects may stay when everything that users have created is deleted. */
  readonly leaves?: readonly string[];
}

/**
 * What an operator is put through: how its process is started, and what users do meanwhile, in order.
 *
 * Example: `{ app: () => operator(), steps: { create: ({ client }) => client.kind(Cache).create(cache), remove: … } }`
 */
export interface Scenario<Outside = undefined> extends ScenarioParts<Outside> {
  /**
   * Makes the operator. It is called for each start of its process, so what the operator keeps in memory must be made
   * here.
   */
  readonly app: (outside: Outside) => App;
  /** Makes the version before this one, from which it is upgraded while its objects exist; default no upgrades are tried. */
  readonly formerApp?: (outside: Outside) => App;
}

/**
 * The same for an operator that is a program of any language. It finds the cluster by KUBECONFIG, runs in real time, and is killed
 * and started again as a process.
 *
 * Example: `{ run: './bin/manager', setup: (cluster) => cluster.load('config/crd'), steps: { create: … } }`
 */
export interface ProgramScenario extends Omit<ScenarioParts, 'outside' | 'outsideState'> {
  /** The command: a line for the shell, or a program and its arguments. */
  readonly run: string | readonly string[];
  /** The command of the version before, from which it is upgraded while its objects exist; default no upgrades are tried. */
  readonly formerRun?: string | readonly string[];
  /** The folder that it runs in; default that of this process. */
  readonly workingFolder?: string;
  /** Variables besides KUBECONFIG and those of this process. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The service account that it acts as, `NAMESPACE/NAME`, with the rights that `setup` gives it; default an administrator.
   * Refused requests are findings then.
   */
  readonly serviceAccount?: string;
  /** It is at rest when it has sent and seen nothing for this long; default 1s. */
  readonly quiet?: Duration;
  /** How long it may take, retries included, until the state is as expected; default 30s. */
  readonly patience?: Duration;
  /** How many runs go on at the same time; more than 1 only for programs that listen at no fixed port. Default 1. */
  readonly parallel?: number;
}
