import type { CertificateSigningRequest } from '../../../src/client/index.ts';
import { newSigningRequest } from '../../../src/wire/certificates/testing/new-signing-request.ts';
import { AREA_PREFIX, type AreaParts, createNamespace, pick, type SoakArea } from './area.ts';

const NAMESPACE = `${AREA_PREFIX}identity`;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Certificates that are asked for, approved, denied or left alone; and service accounts that come and go. */
export function identityArea({ client, random }: AreaParts): SoakArea {
  const requests = client.certificates.v1.certificatesigningrequests;
  const accounts = client.core.v1.serviceaccounts.namespace(NAMESPACE);
  const request = newSigningRequest({ commonName: 'soak', organizations: ['soakers'] });
  let made = 0;

  async function ask(): Promise<string> {
    const name = `soak-${++made}`;
    await requests.create({
      metadata: { name },
      spec: { request, signerName: 'kubernetes.io/kube-apiserver-client', usages: ['client auth'] },
    });
    const verdict = pick(random, ['Approved', 'Denied', undefined]);
    if (verdict === undefined) return `asked for certificate ${name}`;
    const stored = await requests.get(name);
    const conditions = [{ type: verdict, status: 'True', reason: 'Soak', message: 'by chance' }];
    await requests.subresource<CertificateSigningRequest>('approval').update({ ...stored, status: { conditions } });
    return `asked for certificate ${name}: ${verdict}`;
  }

  async function account(): Promise<string> {
    const name = `account-${++made}`;
    await accounts.create({ metadata: { name } });
    await accounts.deleteCollection();
    return `created account ${name} and deleted all`;
  }

  return {
    namespace: NAMESPACE,
    begin: () => createNamespace(client, NAMESPACE),
    act: () => pick(random, [ask, ask, account])(),
    async problems() {
      const found: string[] = [];
      const nowMs = client.clock.now();
      for (const { metadata, status } of (await requests.list()).items) {
        const ageMs = nowMs - Date.parse(metadata.creationTimestamp);
        const verdict = status?.conditions?.find(({ type }) => type === 'Approved' || type === 'Denied')?.type;
        if (verdict === 'Approved' && status?.certificate === undefined) found.push(`${metadata.name} is not signed`);
        if (ageMs > (verdict === undefined ? DAY_MS + 2 * HOUR_MS : 4 * HOUR_MS))
          found.push(`request ${metadata.name} should be gone: ${verdict}, ${Math.round(ageMs / HOUR_MS)} hours old`);
      }
      const names = (await accounts.list()).items.map(({ metadata }) => metadata.name);
      if (names.join() !== 'default') found.push(`there are the accounts ${names.join()}`);
      return found;
    },
  };
}
