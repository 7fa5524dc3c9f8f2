// `npm run interop:proxy [-- --only REGEX]`: the same Services with `keelson proxy` and with kube-proxy in mode nftables, in a network
// namespace of their own: connections from pods, the node and outside have to end the same way. Prints what differs.
import { parseArgs } from 'node:util';
import { execFileSync } from 'node:child_process';
import { findPeer, startKeelson } from '../../../peers/index.ts';
import { connect, mergePatch } from '../../../src/client/index.ts';
import { NetworkLab } from '../../../src/network/testing/network-lab.ts';
import { runInOwnNetwork, whyNoNetwork } from './own-namespace.ts';
import { PROXIES, type ProxyName } from './proxies.ts';
import { allScenarios, NODE } from './scenarios.ts';
import { type Configuration, playAll, type Verdicts } from './play.ts';

const { values: flags } = parseArgs({ options: { only: { type: 'string', default: '' } } });

const CONFIGURATIONS: readonly Configuration[] = [
  { name: 'defaults', fields: { clusterCIDR: '10.244.0.0/16,fd00:244::/48' } },
  {
    name: 'all addresses, pods by bridge',
    fields: {
      nodePortAddresses: ['0.0.0.0/0', '::/0'],
      detectLocalMode: 'BridgeInterface',
      detectLocal: { bridgeInterface: 'pods0' },
    },
  },
  { name: 'masquerade all', fields: { nftables: { masqueradeAll: true } } },
];

process.exitCode = await main();

async function main(): Promise<number> {
  const reason = whyNoNetwork() ?? findPeer('kube-proxy').reason;
  if (reason !== undefined) {
    console.error(`interop:proxy does not run: ${reason}`);
    return 1;
  }
  const code = runInOwnNetwork();
  if (code !== undefined) return code;
  const only = new RegExp(flags.only);
  const scenarios = allScenarios().filter(({ name }) => only.test(name));
  await using lab = await NetworkLab.open(3, { isNodeHere: true });
  await using server = await startKeelson({
    // No other program may give addresses to load balancers.
    flags: [
      '--nodes=0',
      '--service-cluster-ip-range=10.96.0.0/16,fd00:96::/112',
      '--controllers=*,-service-lb-controller',
    ],
  });
  await using client = await connect({ kubeconfig: server.kubeconfig });
  const { nodes } = client.core.v1;
  await nodes.create({ metadata: { name: NODE, labels: { 'topology.kubernetes.io/zone': 'a' } } });
  const addresses = [lab.node.ipv4, lab.node.ipv6].map((address) => ({ type: 'InternalIP' as const, address }));
  await nodes.status.patch(NODE, mergePatch({ status: { addresses } }));
  let differences = 0;
  let compared = 0;
  for (const configuration of CONFIGURATIONS) {
    const results = new Map<ProxyName, Verdicts>();
    for (const proxy of PROXIES)
      results.set(proxy, await playAll(scenarios, { proxy, configuration, lab, server, client }));
    const [ours, theirs] = PROXIES.map((proxy) => results.get(proxy) ?? new Map<string, string>());
    for (const [what, verdict] of theirs ?? []) {
      compared += 1;
      if (ours?.get(what) === verdict) continue;
      differences += 1;
      console.log(`${configuration.name}: ${what}\n  kube-proxy:    ${verdict}\n  keelson proxy: ${ours?.get(what)}`);
    }
  }
  const left = execFileSync('nft', ['list', 'tables'], { encoding: 'utf8' }).trim();
  if (left !== '') console.log(`rules are left: ${left}`);
  console.log(`${compared} verdicts, ${differences} differ`);
  return differences === 0 && left === '' && compared > 0 ? 0 : 1;
}
