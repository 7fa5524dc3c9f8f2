import { lstat, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { CryptoRandom, discardLogger, RealClock } from '../../../../base/index.ts';
import { connect } from '../../../../client/index.ts';
import { launchCluster } from '../../../index.ts';
import { bootstrapClient, clientCertificateFiles } from './bootstrap.ts';
import { RotatedCertificate } from './rotated-certificate.ts';

const TOKEN = { id: 'abcdef', secret: '0123456789abcdef' };

test('a bootstrap token becomes a client certificate, in the files of a kubelet, which is replaced when it is due', async () => {
  const clock = new RealClock(); // TLS compares certificates with the time of the machine
  await using cluster = await launchCluster({
    name: 'test',
    storage: { type: 'memory' },
    runtimeConfig: new Map(),
    serviceCidrs: ['10.96.0.0/16'],
    nodes: 0,
    scheduler: false,
    serving: { listen: { host: '127.0.0.1', port: 0 } },
    access: { authentication: { bootstrapTokens: true } },
    clock,
    random: new CryptoRandom(),
    log: discardLogger,
    signal: new AbortController().signal,
  });
  await using admin = cluster.plane.client({ user: 'admin', groups: ['system:masters'] });
  await admin.core.v1.secrets.namespace('kube-system').create({
    metadata: { name: `bootstrap-token-${TOKEN.id}` },
    type: 'bootstrap.kubernetes.io/token',
    stringData: {
      'token-id': TOKEN.id,
      'token-secret': TOKEN.secret,
      'usage-bootstrap-authentication': 'true',
      'auth-extra-groups': 'system:bootstrappers:nodes',
    },
  });
  const { clusterrolebindings } = admin.rbac.v1;
  const bind = (name: string, role: string, group: string): Promise<unknown> =>
    clusterrolebindings.create({
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name: group }],
    });
  await bind('request', 'system:node-bootstrapper', 'system:bootstrappers:nodes');
  await bind(
    'approve',
    'system:certificates.k8s.io:certificatesigningrequests:nodeclient',
    'system:bootstrappers:nodes',
  );
  await bind('renew', 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient', 'system:nodes');

  const folder = await mkdtemp(join(tmpdir(), 'kubelet-pki-'));
  const bootstrapKubeconfig = join(folder, 'bootstrap');
  const authority = Buffer.from(cluster.plane.pki.authority.certificate).toString('base64');
  const server = { server: cluster.plane.access.server, 'certificate-authority-data': authority };
  await writeFile(
    bootstrapKubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'c', cluster: server }],
      users: [{ name: 'u', user: { token: `${TOKEN.id}.${TOKEN.secret}` } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  const [certDir, kubeconfig] = [join(folder, 'pki'), join(folder, 'kubeconfig')];
  const { signal } = new AbortController();
  const options = { kubeconfig, bootstrapKubeconfig, certDir, node: 'n1', clock, log: discardLogger, signal };
  await bootstrapClient(options);

  const files = clientCertificateFiles(certDir, clock);
  expect((await lstat(files.path)).isSymbolicLink()).toBe(true);
  const first = await files.current();
  expect(new X509Certificate(first?.certificate ?? '').subject).toBe('O=system:nodes\nCN=system:node:n1');
  await using node = await connect({ kubeconfig, clock });
  const review = await node.authentication.v1.selfsubjectreviews.create({ metadata: {} });
  expect(review.status?.userInfo?.username).toBe('system:node:n1');

  await bootstrapClient(options); // a valid certificate is kept
  expect(await files.current()).toEqual(first);

  const due = { ...clock, now: () => clock.now() + 364 * 24 * 3_600_000, monotonic: () => clock.monotonic() };
  const stop = new AbortController();
  const rotation = new RotatedCertificate({
    client: node,
    files,
    wanted: {
      subject: { commonName: 'system:node:n1', organizations: ['system:nodes'] },
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usage: 'client auth',
    },
    clock: Object.assign(Object.create(clock) as RealClock, due),
    random: new CryptoRandom(),
    log: discardLogger,
    onStored: () => stop.abort(),
  });
  await rotation.run(stop.signal);
  expect((await files.current())?.privateKey).not.toBe(first?.privateKey);
});
