import { createPrivateKey, createPublicKey } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { CryptoRandom } from '../../../base/index.ts';
import { issueCertificate, newPrivateKey, selfIssuer } from '../../certificates/index.ts';
import { LeanSocket } from '../lean-socket.ts';

/** Both ends of a TLS connection; disposing closes them. */
export class TlsPair implements Disposable {
  readonly near: LeanSocket;
  readonly far: TLSSocket;

  static async open(): Promise<TlsPair> {
    const issuer = selfIssuer({ commonName: 'authority' }, createPrivateKey(newPrivateKey()));
    const key = newPrivateKey();
    const validity = { notBefore: Date.UTC(2020), notAfter: Date.UTC(2049) };
    const request = {
      subject: { commonName: 'localhost' },
      usage: 'server',
      names: ['127.0.0.1'],
      ...validity,
    } as const;
    const cert = issueCertificate(request, createPublicKey(key), { issuer, random: new CryptoRandom() });
    const server = createServer({ cert, key });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
    const near = new LeanSocket((onread) => {
      const options = { host: '127.0.0.1', port, rejectUnauthorized: false, onread };
      return connect(options);
    });
    const [[far]] = await Promise.all([accepted, once(near.secured, 'secureConnect')]);
    server.close();
    return new TlsPair(
      near,
      far.on('error', () => undefined),
    );
  }

  private constructor(near: LeanSocket, far: TLSSocket) {
    this.near = near;
    this.far = far;
  }

  [Symbol.dispose](): void {
    this.near.destroy();
    this.far.destroy();
  }
}
