// Run inside namespaces by node-namespaces.test.ts: opens a second node, gives each node a pod without a container, and prints what they see.
import { runProgram } from '../../../peers/index.ts';
import { room } from '../namespaces.ts';
import { type NodeLayout, nodeLayout } from '../node-layout.ts';
import { openNodeNamespaces } from '../node-namespaces.ts';

const PORT = '8080';
const first = nodeLayout(room());
const second = nodeLayout(room(), 2);
{
  await using _namespaces = await openNodeNamespaces(second, [first]);
  for (const node of [first, second]) await addPod(node);
  const seen = {
    hostnames: [await on(first, 'hostname'), await on(second, 'hostname')],
    memoryGroup: await on(second, 'grep', '-o', 'memory:.*', '/proc/self/cgroup'),
    groupFromOutside: await on(first, 'ls', '-d', '/sys/fs/cgroup/memory/node-2'),
    hasFilesOfFirst: await on(second, 'ls', '/etc/cni/net.d', '/var/log'),
    fromFirst: await callerSeen(first, second),
    fromSecond: await callerSeen(second, first),
  };
  console.log(JSON.stringify(seen));
}

async function on({ enter }: NodeLayout, ...command: readonly string[]): Promise<string> {
  return (await runProgram([...enter, ...command])).trim();
}

function podAddress({ podRange }: NodeLayout): string {
  return podRange.replace('0/24', '2');
}

/** What a bridge plugin does: a network namespace behind a bridge that is the gateway of the node's pods. */
async function addPod(node: NodeLayout): Promise<void> {
  const gateway = node.podRange.replace('0/24', '1');
  const script = `ip link add pods0 type bridge; ip address add ${gateway}/24 dev pods0; ip link set pods0 up
    ip netns add pod; ip link add pod-port type veth peer name eth0 netns pod; ip link set pod-port master pods0 up
    ip -n pod address add ${podAddress(node)}/24 dev eth0; ip -n pod link set eth0 up; ip -n pod route add default via ${gateway}`;
  await on(node, 'bash', '-ec', script);
}

/** The address that a server in the pod of `server` sees when the pod of `client` calls it. */
async function callerSeen(client: NodeLayout, server: NodeLayout): Promise<string> {
  const listen = `const s = require('net').createServer((c) => { c.end(c.remoteAddress); s.close(); });
    s.listen(${PORT}, '0.0.0.0')`;
  const call = `const dial = () => require('net').connect(${PORT}, '${podAddress(server)}')
    .on('error', () => setTimeout(dial, 50)).pipe(process.stdout); dial()`;
  const serving = on(server, 'ip', 'netns', 'exec', 'pod', process.execPath, '-e', listen);
  const answer = await on(client, 'ip', 'netns', 'exec', 'pod', process.execPath, '-e', call);
  await serving;
  return answer;
}
