// One run of kills under traffic, and what is wrong afterwards.
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runProgram } from '../../../peers/index.ts';
import { SeededRandom } from '../../../src/base/index.ts';
import { connect } from '../../../src/client/index.ts';
import { eventually } from '../eventually.ts';
import type { ClusterParts, NodePart, RealCluster, RealNode } from '../index.ts';
import { DNS_ADDRESS } from '../node-layout.ts';
import { podLeftovers } from '../pod-leftovers.ts';
import { policyEnforcers } from '../policy-enforcer.ts';
import { serviceProxies } from '../service-proxy.ts';
import { DownTimes } from './down-times.ts';
import { addedRules, firewallRules } from './firewall-rules.ts';
import { NAMESPACE, TalkingPods } from './talking-pods.ts';
import { type ProbeCounts, Traffic } from './traffic.ts';

const SETTLE_MS = 180_000;
const MAX_DOWN_MS = 3000;
const MAX_PAUSE_MS = 4000;
const POLL_MS = 1000;
/** A server that dies several times soon after its start comes up without its scheduler, on purpose: each one lives this long. */
const SERVER_LIFE_MS = 70_000;
/** How often in a row the rules have to be the same before they count as settled. */
const SETTLED_READS = 5;
/** The address of the Service `kubernetes`, which every proxy has rules for. */
const API_ADDRESS = '10.96.0.1';
/** How long answers that were cached before a change may be used. */
const STALE_MS = 10_000;

interface Target {
  readonly node: RealNode;
  /** `server` is the one process of mode `up`. */
  readonly part: NodePart | 'server';
}

export class KillRun {
  readonly #cluster: RealCluster;
  readonly #parts: ClusterParts;
  readonly #random: SeededRandom;
  readonly #down = new DownTimes();
  readonly #counts: Record<string, number> = {};
  #serverKilledMs = -Infinity;

  constructor(cluster: RealCluster, parts: ClusterParts, { seed }: { readonly seed: string }) {
    this.#cluster = cluster;
    this.#parts = parts;
    this.#random = new SeededRandom(seed);
  }

  /** Everything that is wrong, one line each. */
  async run(kills: number): Promise<readonly string[]> {
    const { nodes, server } = this.#cluster;
    await using client = await connect({ kubeconfig: server.kubeconfig });
    const before = await this.#settledRules();
    const pods = new TalkingPods(
      client,
      nodes.map(({ name }) => name),
    );
    await pods.start(holds);
    const isWhole = this.#parts.mode === 'up';
    const traffic = new Traffic(pods, {
      hasPolicies: isWhole || this.#parts.network.policy !== 'none',
      hasNames: isWhole || this.#parts.network.dns !== 'none',
      excuse: ({ by, service }, startMs, endMs) =>
        this.#down.during(startMs, endMs, [
          ...(by === 'name' ? ['names'] : []),
          ...(service === 'steady' ? [] : ['replacement']),
        ]),
    });
    await traffic.start();
    console.error('pods are talking');
    for (let kill = 0; kill < kills; kill++) await this.#strike(pods, kill);
    console.error(`killed: ${JSON.stringify(this.#counts)}`);
    await holds('ready pods', () => pods.unready());
    await sleep(STALE_MS);
    const counts = await traffic.stop();
    const held = await pods.held();
    print(counts);
    console.log(`held connection: ${held.answers} answers${held.isBroken ? ', then it was cut' : ''}`);
    return [
      ...counts.flatMap(problemsOf),
      ...(held.isBroken || held.answers === 0 ? ['the held connection was cut'] : []),
      ...(await this.#leftovers(pods, before)),
      ...(await this.#cleanedUp()),
    ];
  }

  /** The rules of each node once the proxy and the enforcer have nothing more to do. */
  async #settledRules(): Promise<readonly (readonly string[])[]> {
    const read = (): Promise<readonly (readonly string[])[]> =>
      Promise.all(this.#cluster.nodes.map(({ layout }) => firewallRules(layout)));
    let rules = await read();
    for (let same = 0; same < SETTLED_READS;) {
      await sleep(POLL_MS);
      const now = await read();
      const isSame = now.every((list, index) => addedRules(rules[index] ?? [], list).length === 0);
      const isProgrammed = this.#hasNoProxy || now.every((list) => list.some((rule) => rule.includes(API_ADDRESS)));
      same = isSame && isProgrammed ? same + 1 : 0;
      rules = now;
    }
    return rules;
  }

  /** Kills one part, changes something while it is down, and starts it again. */
  async #strike(pods: TalkingPods, kill: number): Promise<void> {
    const targets = this.#targets();
    const target = targets[Math.floor(this.#random.float() * targets.length)];
    if (target === undefined) throw new Error('There is nothing to kill');
    const { node, part } = target;
    this.#counts[part] = (this.#counts[part] ?? 0) + 1;
    if (part === 'server') await sleep(Math.max(0, this.#serverKilledMs + SERVER_LIFE_MS - performance.now()));
    const namesAreBack = part === 'dns' || part === 'server' ? this.#down.begin('names') : undefined;
    const replaced = kill % 3 === 0 ? undefined : this.#down.begin('replacement');
    const change = (): Promise<void> =>
      kill % 3 === 0 ? pods.toggleExtra() : pods.replaceServer(kill % 3 === 1 ? 'churned' : 'closed');
    if (part === 'server') {
      await change();
      this.#serverKilledMs = performance.now();
      await this.#cluster.server.restartKilled?.();
    } else {
      process.kill(node.daemon(part).pid, 'SIGKILL');
      await change();
      await sleep(this.#random.float() * MAX_DOWN_MS);
      await node.restart(part);
    }
    if (namesAreBack !== undefined) {
      await holds('answers of the name server', namesAnswer);
      namesAreBack(STALE_MS);
    }
    await holds('ready pods', () => pods.unready());
    replaced?.(STALE_MS);
    await sleep(this.#random.float() * MAX_PAUSE_MS);
  }

  /** Ends the programs that own tables and lets them remove these; what is left of them afterwards. */
  async #cleanedUp(): Promise<readonly string[]> {
    const { proxy, policy } = this.#parts.network;
    const programs = { proxy: serviceProxies[proxy], policy: policyEnforcers[policy] };
    const left: string[] = [];
    for (const node of this.#cluster.nodes)
      for (const part of ['proxy', 'policy'] as const) {
        const { rules } = programs[part] ?? {};
        if (rules === undefined || !node.parts.includes(part)) continue;
        await node.daemon(part).stop();
        await runProgram([...node.layout.enter, process.execPath, resolve('dist', 'keelson.js'), ...rules.cleanup]);
        const tables = (await firewallRules(node.layout)).filter((rule) => /^table \S+ \S+$/.test(rule));
        const own = tables.filter((table) => rules.tables.some((name) => table.endsWith(` ${name}`)));
        left.push(...own.map((table) => `left on ${node.name} after the clean-up of its ${part}: ${table}`));
      }
    return left;
  }

  get #hasNoProxy(): boolean {
    return this.#parts.mode !== 'up' && this.#parts.network.proxy === 'none';
  }

  #targets(): readonly Target[] {
    const { nodes, node } = this.#cluster;
    const ofNodes = nodes.flatMap((each) =>
      each.parts.filter((part) => part !== 'runtime').map((part): Target => ({ node: each, part })),
    );
    return this.#parts.mode === 'up' ? [...ofNodes, { node, part: 'server' }] : ofNodes;
  }

  async #leftovers(pods: TalkingPods, before: readonly (readonly string[])[]): Promise<readonly string[]> {
    await pods.delete();
    await holds('the end of the namespace', async () => ((await pods.isGone()) ? undefined : 'it is still there'));
    const { nodes } = this.#cluster;
    const find = async (): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const [index, { layout, name }] of nodes.entries()) {
        const rules = addedRules(before[index] ?? [], await firewallRules(layout));
        found.push(...rules.map((rule) => `left on ${name}: rule ${rule}`));
        found.push(...(await podLeftovers(layout)).map((line) => `left on ${name}: ${line}`));
      }
      return found;
    };
    const deadline = performance.now() + SETTLE_MS;
    let left = await find();
    while (left.length > 0 && performance.now() < deadline) {
      await sleep(POLL_MS);
      left = await find();
    }
    return left;
  }
}

/** What keeps the name server from answering; undefined when it does. */
async function namesAnswer(): Promise<string | undefined> {
  const name = `steady.${NAMESPACE}.svc.cluster.local`;
  const answer = await runProgram(['dig', `@${DNS_ADDRESS}`, '+short', '+time=1', '+tries=1', name]).catch(
    (error: Error) => error.message,
  );
  return /^\d+\.\d+\.\d+\.\d+\n$/.test(answer) ? undefined : answer;
}

function problemsOf({ name, ok, failed, wrong, examples }: ProbeCounts): readonly string[] {
  const example = examples[0] ?? '';
  return [
    ...(ok === 0 ? [`${name}: not one call succeeded`] : []),
    ...(failed > 0 ? [`${name}: ${failed} calls failed, which nothing explains: ${example}`] : []),
    ...(wrong > 0 ? [`${name}: ${wrong} wrong answers: ${example}`] : []),
  ];
}

function print(counts: readonly ProbeCounts[]): void {
  const sum = (count: (each: ProbeCounts) => number): number => counts.reduce((total, each) => total + count(each), 0);
  console.table(
    counts.map(({ name, ok, excused, failed, wrong }) => ({
      call: name,
      'as it should': ok,
      'failed, explained': excused,
      failed,
      wrong,
    })),
  );
  console.log(
    `${sum(({ ok }) => ok)} calls as they should, ${sum(({ excused }) => excused)} failed while a part was down, ` +
      `${sum(({ failed }) => failed)} failed otherwise, ${sum(({ wrong }) => wrong)} wrong`,
  );
}

async function holds(what: string, check: () => Promise<string | undefined>): Promise<void> {
  await eventually(
    async () => {
      const problem = await check();
      if (problem !== undefined) throw new Error(problem);
    },
    { what, limitMs: SETTLE_MS },
  );
}
