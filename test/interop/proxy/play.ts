import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Daemon, RunningServer } from '../../../peers/index.ts';
import { findPeer } from '../../../peers/index.ts';
import type { Service } from '../../../src/api/types/core/v1.d.ts';
import type { EndpointSlice } from '../../../src/api/types/discovery/v1.d.ts';
import { type Client, hasReason } from '../../../src/client/index.ts';
import { LAB_PORT, type LabHost, type NetworkLab } from '../../../src/network/testing/network-lab.ts';
import { eventually } from '../../real-node/eventually.ts';
import { type ProxyName, startProxy } from './proxies.ts';
import { type From, NAMESPACE, NODE, type Probe, type Scenario, SILENCE_MS, type Step, TIMES } from './scenarios.ts';

/** By connection: what came of it. */
export type Verdicts = ReadonlyMap<string, string>;

export interface Configuration {
  readonly name: string;
  readonly fields: object;
}

export interface Play {
  readonly proxy: ProxyName;
  readonly configuration: Configuration;
  readonly lab: NetworkLab;
  readonly server: RunningServer;
  readonly client: Client;
}

const LIMIT_MS = 60_000;
/** Proxies delete flows after the rules are there, and say nothing when they have. */
const FLOWS_MS = 3000;
const MARKER = 'marker';
const MARKER_IPS = ['10.96.0.9', 'fd00:96::9'] as const;
/** Who tells by its answer that everything before it is in the rules. */
const MARKER_PODS = [1, 2, 3];

/** Plays all scenarios with one proxy, and removes its rules afterwards. */
export async function playAll(scenarios: readonly Scenario[], play: Play): Promise<Verdicts> {
  const { proxy, configuration, server, client } = play;
  const verdicts = new Map<string, string>();
  await client.core.v1.services.namespace(NAMESPACE).create(markerService());
  {
    await using daemon = await startProxy(proxy, {
      folder: server.folder,
      kubeconfig: server.kubeconfig,
      node: NODE,
      configuration: configuration.fields,
    });
    for (const scenario of scenarios) {
      for (const [at, step] of scenario.steps.entries()) {
        await apply(step, play);
        await passed(daemon, play);
        await look(`${scenario.name} ${at + 1}`, { step, play, verdicts });
      }
      await removeAll(scenario, client);
    }
    await client.core.v1.services.namespace(NAMESPACE).delete(MARKER);
    for (const family of ['ipv4', 'ipv6']) await slicesOf(client).delete(`${MARKER}-${family}`);
  }
  cleanUp(proxy);
  console.log(`${configuration.name}: ${proxy}: ${verdicts.size} verdicts`);
  return verdicts;
}

function cleanUp(proxy: ProxyName): void {
  const [program, ...args] =
    proxy === 'kube-proxy'
      ? [findPeer('kube-proxy').path ?? '']
      : [process.execPath, join('dist', 'keelson.js'), 'proxy'];
  execFileSync(program ?? '', [...args, '--cleanup'], { stdio: 'ignore' });
  execFileSync('conntrack', ['-F'], { stdio: 'ignore' });
}

function slicesOf(client: Client) {
  return client.discovery.v1.endpointslices.namespace(NAMESPACE);
}

async function apply({ services = [], slices = [] }: Step, { client }: Play): Promise<void> {
  const all = client.core.v1.services.namespace(NAMESPACE);
  for (const service of services) {
    const created = await all.create(service);
    if (service.status !== undefined) await all.status.update({ ...created, status: service.status });
  }
  for (const slice of slices) await put(slice, client);
}

async function put(slice: EndpointSlice, client: Client): Promise<void> {
  const name = slice.metadata?.name ?? '';
  try {
    const { metadata } = await slicesOf(client).get(name);
    await slicesOf(client).update({
      ...slice,
      metadata: { ...slice.metadata, resourceVersion: metadata.resourceVersion },
    });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
    await slicesOf(client).create(slice);
  }
}

async function removeAll({ steps }: Scenario, client: Client): Promise<void> {
  const names = (
    of: (step: Step) => readonly { readonly metadata?: { readonly name?: string } }[],
  ): readonly string[] => [...new Set(steps.flatMap(of).map(({ metadata }) => metadata?.name ?? ''))];
  for (const name of names(({ slices = [] }) => slices)) await slicesOf(client).delete(name);
  for (const name of names(({ services = [] }) => services))
    await client.core.v1.services.namespace(NAMESPACE).delete(name);
}

function markerService(): Service {
  return {
    metadata: { name: MARKER, namespace: NAMESPACE },
    spec: {
      clusterIP: MARKER_IPS[0],
      clusterIPs: [...MARKER_IPS],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
      ports: [{ name: 'tcp', port: 80 }],
    },
  };
}

let markers = 0;

/** Resolves when the proxy has taken in everything up to now: a marker, written last, leads to another pod than before. */
async function passed(daemon: Daemon, { client, lab }: Play): Promise<void> {
  markers += 1;
  const pod = lab.pod(MARKER_PODS[markers % MARKER_PODS.length] ?? 1);
  const services = client.core.v1.services.namespace(NAMESPACE);
  const port = 1000 + (markers % 2);
  const marker = await services.get(MARKER);
  await services.update({ ...marker, spec: { ...marker.spec, ports: [{ name: 'tcp', port }] } });
  for (const [addressType, address] of [
    ['IPv4', pod.ipv4],
    ['IPv6', pod.ipv6],
  ] as const)
    await put(
      {
        metadata: {
          name: `${MARKER}-${addressType.toLowerCase()}`,
          namespace: NAMESPACE,
          labels: { 'kubernetes.io/service-name': MARKER },
        },
        addressType,
        ports: [{ name: 'tcp', protocol: 'TCP', port: LAB_PORT }],
        endpoints: [{ addresses: [address], nodeName: NODE }],
      },
      client,
    );
  for (const address of MARKER_IPS)
    await eventually(
      async () => {
        const answer = await lab.node.ask({ address, port, waitMs: SILENCE_MS });
        if (!answer.startsWith(`${pod.name} `)) throw new Error(`the marker answers "${answer}"`);
      },
      { what: 'the marker', limitMs: LIMIT_MS, daemons: [daemon] },
    );
}

interface Looking {
  readonly step: Step;
  readonly play: Play;
  readonly verdicts: Map<string, string>;
}

async function look(name: string, { step, play, verdicts }: Looking): Promise<void> {
  if (step.probes.some(({ keep }) => keep !== undefined)) await sleep(FLOWS_MS);
  const results = await Promise.all(step.probes.map((probe) => ask(probe, play.lab)));
  for (const [at, { from, address, port, protocol = 'TCP', keep }] of step.probes.entries())
    verdicts.set(
      `${name}: ${from} to ${address} ${port}/${protocol}${keep === undefined ? '' : ', same socket'}`,
      results[at] ?? '',
    );
  for (const port of step.health ?? []) {
    const answer = await fetch(`http://${play.lab.node.ipv4}:${port}/`);
    const weight = answer.headers.get('x-load-balancing-endpoint-weight');
    verdicts.set(`${name}: health port ${port}`, `${answer.status} ${weight} ${await answer.text()}`);
  }
}

/** The results of some tries, as a set. A connection that gets no answer, twice, or is refused, is not tried again. */
async function ask({ from, keep, ...target }: Probe, lab: NetworkLab): Promise<string> {
  const host = hostOf(from, lab);
  const results = new Set<string>();
  const connection = { ...target, ...(keep === undefined ? {} : { keep: `${keep} ${target.address} ${target.port}` }) };
  for (let at = 0; at < (keep === undefined ? TIMES : 1); at++) {
    const first = await host.ask({ ...connection, waitMs: SILENCE_MS });
    const result = first === 'no answer' ? await host.ask({ ...connection, waitMs: 4 * SILENCE_MS }) : first;
    results.add(result);
    if (result === 'no answer' || result === 'refused') break;
  }
  return [...results].toSorted().join(' | ');
}

function hostOf(from: From, lab: NetworkLab): LabHost {
  switch (from) {
    case 'outside':
      return lab.outside;
    case 'node':
      return lab.node;
    default:
      return lab.pod(Number(from.slice(3)));
  }
}
