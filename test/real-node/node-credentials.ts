import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RunningServer } from '../../peers/index.ts';
import { CryptoRandom } from '../../src/base/index.ts';
import { kubeconfigText } from '../../src/cluster/kubeconfig.ts';
import {
  type CertificateRequest,
  type Credential,
  issueCertificate,
  type Issuer,
  issuerFrom,
  newPrivateKey,
} from '../../src/wire/certificates/index.ts';
import { NODE_ADDRESS } from './node-layout.ts';

const HOUR_MS = 3_600_000;
const LIFETIME_MS = 24 * HOUR_MS;

/** Signs what a node's parts need with the cluster's authority, whose key the control plane keeps in its folder. */
export class NodeCredentials {
  readonly #server: RunningServer;
  readonly #authority: string;
  readonly #issuer: Issuer;

  private constructor(server: RunningServer, authority: string, issuer: Issuer) {
    this.#server = server;
    this.#authority = authority;
    this.#issuer = issuer;
  }

  static async read(server: RunningServer): Promise<NodeCredentials> {
    const authority = await readFile(authorityPath(server), 'utf8');
    const key = createPrivateKey(await readFile(join(server.folder, 'pki', 'ca.key'), 'utf8'));
    return new NodeCredentials(server, authority, issuerFrom(new X509Certificate(authority), key));
  }

  /** A kubeconfig for a user, with the address at which every node reaches the API server. */
  async writeKubeconfig(
    path: string,
    user: { readonly name: string; readonly groups: readonly string[] },
  ): Promise<void> {
    const subject = { commonName: user.name, organizations: user.groups };
    const client = this.#issue({ subject, usage: 'client' });
    const text = kubeconfigText({
      name: 'node',
      server: `https://${NODE_ADDRESS}:${new URL(this.#server.url).port}`,
      certificateAuthority: this.#authority,
      client,
    });
    await writeFile(path, text, { mode: 0o600 });
  }

  /** A pair that a kubelet serves with: `PATH.crt` and `PATH.key`. */
  async writeServingPair(path: string, names: readonly string[]): Promise<void> {
    const pair = this.#issue({ subject: { commonName: `system:node:${names[0] ?? ''}` }, usage: 'server', names });
    await writeFile(`${path}.crt`, pair.certificate);
    await writeFile(`${path}.key`, pair.privateKey, { mode: 0o600 });
  }

  #issue(request: Omit<CertificateRequest, 'notBefore' | 'notAfter'>): Credential {
    const privateKey = newPrivateKey();
    const now = Date.now();
    const validity = { notBefore: now - HOUR_MS, notAfter: now + LIFETIME_MS };
    const certificate = issueCertificate({ ...request, ...validity }, createPublicKey(privateKey), {
      issuer: this.#issuer,
      random: new CryptoRandom(),
    });
    return { certificate, privateKey };
  }
}

/** The certificate that the cluster's parts trust. */
export function authorityPath({ folder }: RunningServer): string {
  return join(folder, 'pki', 'ca.crt');
}
