import type { X509Certificate } from 'node:crypto';
import type { TLSSocket } from 'node:tls';

/** Returns the error of a certificate; `problem` is what TLS found, if anything. */
export type CertificateCheck = (certificate: X509Certificate, problem: string | undefined) => Error | undefined;

/** The judge of a dial target that asks `check`. A certificate with a problem is refused whatever `check` returns. */
export function judgedBy(check: CertificateCheck): (socket: TLSSocket) => Error | undefined {
  return (socket) => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return new Error('the server showed no certificate');
    const problem = socket.authorized ? undefined : String(socket.authorizationError); // a code, although its type is Error
    return check(certificate, problem) ?? (problem === undefined ? undefined : new Error(problem));
  };
}
