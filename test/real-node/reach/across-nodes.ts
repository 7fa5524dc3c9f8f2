import type { Client } from '../../../src/client/index.ts';
import { eventually } from '../eventually.ts';
import type { RealCluster } from '../index.ts';

const NAMESPACE = 'across';
const IMAGE = 'registry.k8s.io/e2e-test-images/agnhost:2.63.0';
const LIMIT_MS = 120_000;
const PORT = 8080;

/** Pods on every node call pods on every other node, which see the caller's own address. */
export function acrossNodes(
  client: Client,
  { nodes }: Pick<RealCluster, 'nodes'>,
): { readonly name: string; run(): Promise<void> } {
  const pods = client.core.v1.pods.namespace(NAMESPACE);
  const addressOf = async (name: string): Promise<string> => {
    const { status } = await pods.get(name);
    if (status?.podIP === undefined) throw new Error(`pod "${name}" has no address`);
    return status.podIP;
  };
  const run = async (): Promise<void> => {
    await client.core.v1.namespaces.create({ metadata: { name: NAMESPACE } });
    for (const { name } of nodes)
      await pods.create({
        metadata: { name },
        spec: {
          nodeName: name,
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'main', image: IMAGE, args: ['netexec', `--http-port=${PORT}`, '--udp-port=8081'] }],
        },
      });
    for (const caller of nodes)
      for (const called of nodes.filter((node) => node !== caller))
        await eventually(
          async () => {
            const [from, to] = [await addressOf(caller.name), await addressOf(called.name)];
            const dial = `dial?host=${to}&port=${PORT}&request=clientip&protocol=http&tries=1`;
            const answer = await (await fetch(`http://${from}:${PORT}/${dial}`)).text();
            const seen = /"responses":\["([\d.]+):\d+"\]/.exec(answer)?.[1];
            if (seen !== from) throw new Error(`${called.name} should see ${from}, got ${answer}`);
          },
          { what: `a call from ${caller.name} to ${called.name}`, limitMs: LIMIT_MS },
        );
  };
  return { name: 'pods of two nodes reach each other, with addresses of their own', run };
}
