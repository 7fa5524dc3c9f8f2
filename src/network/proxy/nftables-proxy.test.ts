import { describe, expect, test } from 'vitest';
import { requires } from '../../base/testing/requires.ts';
import { type RunningApp, runApp } from '../../kit/testing/running-app.ts';
import { Conntrack } from '../conntrack/index.ts';
import { Nft } from '../nftables/nft.ts';
import { serviceOf, sliceOf } from '../services/testing/services.ts';
import { inNamespaces, LAB_PORT, NetworkLab } from '../testing/network-lab.ts';
import { nftablesProxy } from './nftables-proxy.ts';

const NODE = { metadata: { name: 'n1' } };

/** A proxy for the node of a lab, on a cluster in this process. */
async function runProxy(lab: NetworkLab, onHealthz: (url: string) => void): Promise<RunningApp> {
  const { prefix } = lab.node;
  const part = nftablesProxy({
    node: 'n1',
    rules: { clusterCidrs: ['10.244.0.0/16', 'fd00:244::/48'], nodePortAddresses: ['0.0.0.0/0', '::/0'] },
    healthz: { host: '127.0.0.1', port: 0, onListening: ({ host, port }) => onHealthz(`http://${host}:${port}`) },
    nft: new Nft({ prefix }),
    conntrack: new Conntrack({ prefix }),
  });
  return runApp([part], async (client) => {
    const { nodes } = client.core.v1;
    await nodes.create(NODE);
    const addresses = [{ type: 'InternalIP' as const, address: lab.node.ipv4 }];
    await nodes.status.update({ ...(await nodes.get('n1')), status: { addresses } });
  });
}

describe('a proxy on a cluster', inNamespaces(), () => {
  test('UDP clients leave former endpoints, and the health port answers', requires('conntrack'), async () => {
    await using lab = await NetworkLab.open(2);
    let healthz = '';
    await using running = await runProxy(lab, (url) => (healthz = url));
    const { client, clock } = running;
    const later = async (): Promise<void> => {
      await clock.advance(1000);
      await running.settle();
    };
    const ports = [{ name: 'dns', protocol: 'UDP' as const, port: 53 }];
    await client.core.v1.services.namespace('default').create(
      serviceOf('dns', {
        ipFamilyPolicy: 'SingleStack',
        clusterIP: '10.96.0.10',
        ports,
      }),
    );
    const slices = client.discovery.v1.endpointslices.namespace('default');
    const slice = (pod: number) =>
      sliceOf('dns', [{ addresses: [lab.pod(pod).ipv4], nodeName: 'n1' }], {
        ports: [{ name: 'dns', protocol: 'UDP', port: LAB_PORT }],
      });
    const created = await slices.create(slice(1));
    await later();
    const connection = { address: '10.96.0.10', port: 53, protocol: 'UDP', keep: 'one' } as const;
    expect(await lab.outside.ask(connection)).toBe('pod1 sees 10.244.0.1');

    await slices.update({ ...created, endpoints: slice(2).endpoints ?? [] });
    await later();
    expect(await lab.outside.ask(connection)).toBe('pod2 sees 10.244.0.1'); // from the same source port
    expect(running.app.metrics).toContain('kubeproxy_conntrack_reconciler_deleted_entries_total{ip_family="IPv4"} 1\n');

    const health = await fetch(`${healthz}/healthz`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({
      nodeEligible: true,
      healthy: true,
      status: { IPv4: { healthy: true }, IPv6: { healthy: true } },
    });
    await client.core.v1.nodes.update({
      ...(await client.core.v1.nodes.get('n1')),
      spec: { taints: [{ key: 'ToBeDeletedByClusterAutoscaler', effect: 'NoSchedule' }] },
    });
    await later();
    expect((await fetch(`${healthz}/healthz`)).status).toBe(503);
    expect((await fetch(`${healthz}/livez`)).status).toBe(200);
    expect((await fetch(`${healthz}/metrics`)).status).toBe(404);
    await running.stop();
    expect(await lab.node.run('nft', 'list', 'tables')).toContain('keelson-services'); // traffic goes on without it
  });
});
