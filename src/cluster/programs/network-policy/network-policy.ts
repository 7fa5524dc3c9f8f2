import { hostname } from 'node:os';
import { type Runnable, runTogether } from '../../../base/index.ts';
import { keyOf, type Observed, type Pod } from '../../../client/index.ts';
import { type App, app, type HealthOptions, HealthServer, type HealthSource } from '../../../kit/index.ts';
import type { PodNetwork } from '../../../node/index.ts';
import { nftProblem, type PodIdentity, type PolicyEnforcer, policyEnforcer } from '../../../network/index.ts';
import { parseCidr } from '../../../api/values/index.ts';
import { listenAddress } from '../dns/dns-settings.ts';
import { FlagError, type FlagValues } from '../flag.ts';
import type { ProgramBody, StandaloneProgram, StandaloneTools } from '../program.ts';
import { IDENTITY, type NetworkPolicyOptions } from './options.ts';

export const body: ProgramBody<NetworkPolicyOptions> = {
  readFlags: (flags) => ({ networkPolicy: flags.isSet('network-policy') }),
  async open() {
    const problem = await nftProblem();
    if (problem !== undefined)
      throw new Error(`Cannot enforce NetworkPolicies: ${problem}; --network-policy=none runs the node without`);
    return { [Symbol.dispose]: () => undefined };
  },
  inCluster({ plane, options }) {
    const enforcer = policyEnforcer({ node: options.realNode?.name ?? hostname().toLowerCase() });
    plane.podNetwork.add(podNetworkOf(enforcer));
    return { identity: IDENTITY, parts: [enforcer] };
  },
  standalone,
};

/** Lets the pods of the node in this process wait until their policies are in force. */
function podNetworkOf(enforcer: PolicyEnforcer): PodNetwork {
  const identity = (pod: Observed<Pod>): PodIdentity => ({ key: keyOf(pod), uid: pod.metadata.uid });
  return {
    attached: (pod, addresses, { signal }) => enforcer.attached(identity(pod), addresses, signal),
    detached: (pod) => enforcer.detached(identity(pod)),
  };
}

/** `keelson network-policy`. */
async function standalone(flags: FlagValues, { print }: StandaloneTools): Promise<StandaloneProgram | undefined> {
  const node = (flags.text('hostname-override') ?? hostname()).toLowerCase();
  const podRanges = rangesOf(flags.list('pod-cidr'));
  const isCleaning = flags.isSet('cleanup');
  if (!isCleaning && (flags.text('kubeconfig') ?? '') === '')
    throw new FlagError('network-policy needs --kubeconfig: it does not follow the current cluster of kubectl');
  const problem = await nftProblem();
  if (problem !== undefined) throw new FlagError(problem);
  const enforcer = policyEnforcer({ node, ...(podRanges.length === 0 ? {} : { podRanges }) });
  if (isCleaning) {
    await enforcer.cleanUp();
    print('removed all rules of network policies');
    return undefined;
  }
  const health = healthOf(flags);
  return {
    election: false,
    async run({ client }, signal) {
      print(`enforcing network policies on node "${node}"`);
      const running = app('network-policy', [enforcer]);
      const tasks: Runnable[] = [{ run: (scope) => running.run(client, scope) }];
      if (health !== undefined) tasks.push(new HealthServer(health, new EnforcerHealth(running, enforcer)));
      await runTogether(tasks, signal);
    },
  };
}

/** Not ready before all policies are in force. */
class EnforcerHealth implements HealthSource {
  readonly #app: App;
  readonly #enforcer: PolicyEnforcer;

  constructor(running: App, enforcer: PolicyEnforcer) {
    this.#app = running;
    this.#enforcer = enforcer;
  }

  get unready(): readonly string[] {
    return [...this.#app.unready, ...(this.#enforcer.isInForce ? [] : ['policies are not in force'])];
  }

  get registries(): HealthSource['registries'] {
    return this.#app.registries;
  }
}

/** Undefined for nowhere. */
function healthOf(flags: FlagValues): HealthOptions | undefined {
  const text = flags.text('health-address') ?? 'none';
  return text === 'none' ? undefined : listenAddress('health-address', text);
}

function rangesOf(ranges: readonly string[]): readonly string[] {
  const wrong = ranges.find((range) => parseCidr(range) === undefined);
  if (wrong !== undefined) throw new FlagError(`--pod-cidr must be ranges such as 10.244.0.0/24, got "${wrong}"`);
  return ranges;
}
