// npm run bench:proxy: `keelson proxy` and kube-proxy in mode nftables in turns, in a network namespace of their own, on our API server
// with many Services. Writes docs/reference/benchmarks-proxy.md.
//   npm run bench:proxy -- [--services 10000] [--endpoints 10] [--changes 20] [--rounds 2] [--only keelson] [--out FILE]
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { findPeer, startKeelson } from '../peers/index.ts';
import { connect, mergePatch } from '../src/client/index.ts';
import { runInOwnNetwork, whyNoNetwork } from '../test/interop/proxy/own-namespace.ts';
import { PROXIES, type ProxyName } from '../test/interop/proxy/proxies.ts';
import { machine, Report } from './api/report.ts';
import { makeServices } from './proxy/many-services.ts';
import { measureProxy } from './proxy/measure-proxy.ts';

const { values: flags } = parseArgs({
  options: {
    services: { type: 'string', default: '10000' },
    endpoints: { type: 'string', default: '10' },
    changes: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '2' },
    only: { type: 'string' },
    out: { type: 'string' },
  },
});
const [services, endpoints, changes, rounds] = [flags.services, flags.endpoints, flags.changes, flags.rounds].map(
  Number,
) as [number, number, number, number];
const NODE = 'n1';
const OURS: ProxyName = 'keelson proxy';
const THEIRS: ProxyName = 'kube-proxy';

process.exitCode = await main();

async function main(): Promise<number> {
  const reason = whyNoNetwork();
  if (reason !== undefined) {
    console.error(`bench:proxy does not run: ${reason}`);
    return 1;
  }
  const code = runInOwnNetwork();
  if (code !== undefined) return code;
  const isPeerThere = findPeer('kube-proxy').reason === undefined;
  const chosen = PROXIES.filter((name) => flags.only === undefined || name.includes(flags.only));
  const proxies = isPeerThere ? chosen : chosen.filter((name) => name !== THEIRS);
  execFileSync('sh', [
    '-ec',
    'ip link set lo up; ip link add node0 type bridge; ip addr add 192.0.2.1/24 dev node0; ip link set node0 up',
  ]);
  const report = new Report();
  await using server = await startKeelson({
    flags: [
      '--nodes=0',
      '--service-cluster-ip-range=10.64.0.0/12,fd00:96::/112',
      '--controllers=-*',
      '--scheduler=false',
    ],
  });
  await using client = await connect({ kubeconfig: server.kubeconfig });
  await client.core.v1.nodes.create({ metadata: { name: NODE } });
  const addresses = [{ type: 'InternalIP' as const, address: '192.0.2.1' }];
  await client.core.v1.nodes.status.patch(NODE, mergePatch({ status: { addresses } }));
  await makeServices(client, { services, endpoints, node: NODE });
  console.log(`${services} Services with ${endpoints} endpoints each are there`);
  for (let round = 0; round < rounds; round++)
    for (const proxy of round % 2 === 0 ? proxies : proxies.toReversed())
      await measureProxy(report, { proxy, client, server, node: NODE, services, endpoints, changes });
  const table = report.markdown(OURS, isPeerThere ? THEIRS : undefined);
  console.log(table);
  if (flags.out !== undefined || (services === 10_000 && proxies.length === 2))
    await writeFile(flags.out ?? 'docs/reference/benchmarks-proxy.md', page(table));
  return 0;
}

function page(table: string): string {
  const size = `${services.toLocaleString('en')} Services with ${endpoints} endpoints each`;
  return `# Benchmarks of the service proxy

Made by \`npm run bench:proxy\` on ${machine()}: median and range of ${rounds} rounds of one run, \`${OURS}\` and ${THEIRS} 1.36 in mode nftables in turns, with the same configuration file, in a network namespace of their own, on the same
Keelson API server: ${size}. Both call \`nft\` and share the processors with the API server. Processor time and memory are those of the proxy and of the programs that it starts.

- **Time to program**: from the start of the process until all rules of both IP families are in the kernel.
- **One change**: from the request that replaces one endpoint until the rules follow; ${changes} changes, one every 2 seconds, so that none waits for the pause between two syncs.
- **1,000 changes**: as many EndpointSlices change, 100 a second.

${table}
`;
}
