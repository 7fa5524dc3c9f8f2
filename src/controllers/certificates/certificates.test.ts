import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type {
  CertificateSigningRequest as CsrObject,
  CertificateSigningRequestSpec,
} from '../../api/types/certificates/v1.d.ts';
import { CertificateSigningRequest, type Client } from '../../client/index.ts';
import { startCluster, type TestCluster } from '../../testing/index.ts';
import { newSigningRequest, type WantedCertificate } from '../../wire/certificates/testing/new-signing-request.ts';

const NODE: WantedCertificate = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
type Usages = NonNullable<CertificateSigningRequestSpec['usages']>;
const CLIENT_USAGES: Usages = ['digital signature', 'client auth'];

interface Asked {
  readonly as?: Client;
  readonly usages?: Usages;
  readonly expirationSeconds?: number;
}

async function ask(cluster: TestCluster, signer: string, wanted: WantedCertificate, asked: Asked = {}) {
  const { as = cluster.client, usages = CLIENT_USAGES, expirationSeconds } = asked;
  const { metadata } = await as.kind(CertificateSigningRequest).create({
    metadata: { generateName: 'csr-' },
    spec: {
      request: newSigningRequest(wanted),
      signerName: `kubernetes.io/${signer}`,
      usages: [...usages],
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    },
  });
  await cluster.settle();
  return metadata.name;
}

async function decide(cluster: TestCluster, name: string, type: 'Approved' | 'Denied', as = cluster.client) {
  const requests = as.kind(CertificateSigningRequest);
  const request = await requests.get(name);
  const conditions = [{ type, status: 'True', reason: 'KubectlApprove', message: 'by hand' }];
  await requests.subresource<CsrObject>('approval').update({ ...request, status: { conditions } });
  await cluster.settle();
}

function certificateOf({ status }: CsrObject): X509Certificate {
  return new X509Certificate(Buffer.from(status?.certificate ?? '', 'base64'));
}

describe('requests for certificates', () => {
  test('are signed for clients once they are approved', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const requests = cluster.client.kind(CertificateSigningRequest);
    const name = await ask(cluster, 'kube-apiserver-client', { commonName: 'ada', organizations: ['dev'] });
    expect((await requests.get(name)).status).toEqual({});
    await decide(cluster, name, 'Approved');
    const signed = await requests.get(name);
    const certificate = certificateOf(signed);
    expect(certificate.subject).toBe('O=dev\nCN=ada');
    expect(certificate.issuer).toBe('CN=keelson-ca');
    expect(certificate.ca).toBe(false);
    expect(certificate.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    const lifeMs = Date.parse(certificate.validTo) - Date.parse(certificate.validFrom);
    expect(lifeMs).toBe(365 * 24 * 3_600_000);
    expect(cluster.problems).toEqual([]);
  });

  test('last as long as requested, up to the maximum', async () => {
    await using cluster = await startCluster({ nodes: 0, controllerSettings: { clusterSigningDuration: 3_600_000 } });
    const requests = cluster.client.kind(CertificateSigningRequest);
    const minutesOf = async (expirationSeconds: number): Promise<number> => {
      const name = await ask(cluster, 'kube-apiserver-client', { commonName: 'ada' }, { expirationSeconds });
      await decide(cluster, name, 'Approved');
      const { validFrom, validTo } = certificateOf(await requests.get(name));
      return (Date.parse(validTo) - Date.parse(validFrom)) / 60_000;
    };
    expect(await minutesOf(600)).toBe(15);
    expect(await minutesOf(86_400)).toBe(65);
  });

  test.each<[string, WantedCertificate, Usages, string]>([
    [
      'kube-apiserver-client',
      { commonName: 'a' },
      ['server auth'],
      'invalid usage for client certificate: server auth',
    ],
    [
      'kube-apiserver-client',
      { commonName: 'a' },
      ['digital signature'],
      'missing required usage for client certificate: client auth',
    ],
    ['kube-apiserver-client-kubelet', { commonName: 'a' }, CLIENT_USAGES, 'subject organization is not system:nodes'],
    [
      'kube-apiserver-client-kubelet',
      { ...NODE, dnsNames: ['a'] },
      CLIENT_USAGES,
      'DNS subjectAltNames are not allowed',
    ],
    [
      'kube-apiserver-client-kubelet',
      { ...NODE, commonName: 'n1' },
      CLIENT_USAGES,
      'subject common name does not begin with system:node:',
    ],
    [
      'kube-apiserver-client-kubelet',
      NODE,
      ['client auth'],
      'usages did not match [client auth digital signature key encipherment]',
    ],
    ['kubelet-serving', NODE, ['digital signature', 'server auth'], 'DNS or IP subjectAltName is required'],
    [
      'kubelet-serving',
      { ...NODE, dnsNames: ['n1'], emailAddresses: ['a@b'] },
      ['digital signature', 'server auth'],
      'Email subjectAltNames are not allowed',
    ],
  ])('of %s for %o and %j fail', async (signer, wanted, usages, message) => {
    await using cluster = await startCluster({ nodes: 0 });
    const name = await ask(cluster, signer, wanted, { usages });
    const requests = cluster.client.kind(CertificateSigningRequest);
    if ((await requests.get(name)).status?.conditions === undefined) await decide(cluster, name, 'Approved');
    expect((await requests.get(name)).status).toMatchObject({
      conditions: [
        { type: 'Approved' },
        { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message },
      ],
    });
  });

  test('of new nodes and renewals are approved only for requesters with the permission', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const requests = cluster.client.kind(CertificateSigningRequest);
    const bind = (name: string, group: string): Promise<unknown> =>
      cluster.client.rbac.v1.clusterrolebindings.create({
        metadata: { name: `to-${name}` },
        roleRef: {
          apiGroup: 'rbac.authorization.k8s.io',
          kind: 'ClusterRole',
          name: `system:certificates.k8s.io:certificatesigningrequests:${name}`,
        },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
      });
    await cluster.client.rbac.v1.clusterrolebindings.create({
      metadata: { name: 'to-ask' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node-bootstrapper' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:authenticated' }],
    });
    const bootstrapper = cluster.as('system:bootstrap:abcdef', ['system:bootstrappers']);
    const first = await ask(cluster, 'kube-apiserver-client-kubelet', NODE, { as: bootstrapper });
    expect((await requests.get(first)).status).toEqual({});
    await bind('nodeclient', 'system:bootstrappers');
    await cluster.clock.advance('1m');
    await cluster.settle();
    const approved = await requests.get(first);
    expect(approved.status?.conditions).toMatchObject([
      {
        type: 'Approved',
        reason: 'AutoApproved',
        message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
      },
    ]);
    expect(certificateOf(approved).subject).toBe('O=system:nodes\nCN=system:node:n1');
    await bind('selfnodeclient', 'system:nodes');
    const node = cluster.as('system:node:n1', ['system:nodes']);
    const renewal = await ask(cluster, 'kube-apiserver-client-kubelet', NODE, { as: node });
    expect((await requests.get(renewal)).status?.conditions).toMatchObject([
      { message: 'Auto approving self kubelet client certificate after SubjectAccessReview.' },
    ]);
    const stranger = await ask(cluster, 'kube-apiserver-client-kubelet', NODE, { as: cluster.as('eve') });
    expect((await requests.get(stranger)).status).toEqual({});
    expect(cluster.problems).toEqual([]);
  });

  test('are deleted when they are no longer useful', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const requests = cluster.client.kind(CertificateSigningRequest);
    const pending = await ask(cluster, 'kube-apiserver-client', { commonName: 'a' });
    const signed = await ask(cluster, 'kube-apiserver-client', { commonName: 'b' });
    const denied = await ask(cluster, 'kube-apiserver-client', { commonName: 'c' });
    await decide(cluster, signed, 'Approved');
    await decide(cluster, denied, 'Denied');
    const names = async (): Promise<unknown[]> =>
      (await requests.list()).items.map(({ metadata }) => metadata.name).sort();
    await cluster.clock.advance('59m');
    await cluster.settle();
    expect(await names()).toEqual([pending, signed, denied].sort());
    await cluster.clock.advance('2m');
    await cluster.settle();
    expect(await names()).toEqual([pending]);
    await cluster.clock.advance('23h');
    await cluster.settle();
    expect(await names()).toEqual([]);
  });
});

describe('the API server', () => {
  test('rejects approving, signing and system:masters requests without the permission', async () => {
    await using cluster = await startCluster({ nodes: 0 });
    const all = [{ apiGroups: ['certificates.k8s.io'], resources: ['*'], verbs: ['create', 'get', 'update', 'patch'] }];
    const ada = await cluster.as({ user: 'ada', rules: all });
    const name = await ask(cluster, 'kube-apiserver-client', { commonName: 'ada' }, { as: ada });
    await expect(decide(cluster, name, 'Approved', ada)).rejects.toThrow(
      `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: user not permitted to approve requests with signerName "kubernetes.io/kube-apiserver-client"`,
    );
    const requests = ada.kind(CertificateSigningRequest);
    const request = await requests.get(name);
    const conditions = [{ type: 'Failed', status: 'True' }];
    await expect(requests.status.update({ ...request, status: { conditions } })).rejects.toThrow(
      'user not permitted to sign requests with signerName "kubernetes.io/kube-apiserver-client"',
    );
    const signers = { apiGroups: ['certificates.k8s.io'], resources: ['signers'], verbs: ['approve'] };
    await cluster.as({ user: 'ada', rules: [...all, { ...signers, resourceNames: ['kubernetes.io/*'] }] });
    await decide(cluster, name, 'Approved', ada);
    await expect(
      ask(cluster, 'kube-apiserver-client', { commonName: 'a', organizations: ['system:masters'] }),
    ).rejects.toThrow('use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed');
    await expect(ask(cluster, 'kube-apiserver-client', { commonName: 'a', isForged: true })).rejects.toThrow(
      'x509: ECDSA verification failure',
    );
  });
});
